/** The names of presets that commands accept. */
import { terminalLocale } from '../../node/terminal-locale.ts'
import { taskName } from '../../shared/i18n/sentences.ts'
import { TASK_NAMES } from '../../shared/preset/task-names.ts'
import { presetsToOffer } from '../presets/presets.ts'
import type { Context } from './context.ts'
import { presetFolder } from './environment.ts'
import { inLanguageOf } from './output/language.ts'

/**
 * Replaces task names in the terminal's language with the names of their presets. Doesn't use the command's `t`, because that is English
 * with `--json`. Leaves the names of saved presets unchanged. Leaves all names unchanged for an external service, which has no tasks.
 */
export async function presetsMeant(
  { service, environment }: Pick<Context, 'service' | 'environment'>,
  names: readonly string[],
): Promise<readonly string[]> {
  if (service.kind === 'external') return names
  const t = inLanguageOf(terminalLocale(environment.env, environment.platform))
  const taskOf = (name: string) => TASK_NAMES.find((task) => taskName(task, t) === name)
  if (names.every((name) => taskOf(name) === undefined)) return names
  const offered = (await presetsToOffer(presetFolder(environment))).map(({ name }) => name)
  return [...new Set(names.map((name) => (offered.includes(name) ? name : (taskOf(name) ?? name))))]
}
