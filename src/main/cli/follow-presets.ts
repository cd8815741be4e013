import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import type { Line } from '../core/index.ts'
import { readPresets } from '../presets/presets.ts'
import type { Context } from './context.ts'
import { type Places, presetFolder } from '../../node/data-folder.ts'
import { notice, type Report } from './output/event.ts'
import { damagedPresetWords } from './output/words.ts'

/** How often to check the built-in service's preset folder, and to ask another service, in ms. */
const CHECK_MS = 2_000
const ASK_MS = 30_000

type Following = {
  readonly service: Pick<Context['service'], 'kind'>
  readonly environment: Places & { readonly timing: Pick<Timing, 'after'> }
  readonly report: Pick<Report, 'say'>
}

/**
 * Notices presets that appear, change or go away while a command runs, and reports those that can't be read.
 * @returns a function that stops it
 */
export function followPresets(
  { service, environment, report }: Following,
  { connection }: { readonly connection: Pick<Line['connection'], 'refreshPresets'> },
): () => void {
  const { after } = environment.timing
  const folder = presetFolder(environment)
  const damaged = createDamagedPresets({ environment, report })
  const everyMs = service.kind === 'builtIn' ? CHECK_MS : ASK_MS
  let known = service.kind === 'builtIn' ? stampOf(folder) : undefined
  let isWritten = false
  const reportDamaged = () => void damaged.check().catch(() => undefined)
  if (service.kind === 'builtIn') reportDamaged()
  let cancel = after(everyMs, check)

  function check(): void {
    const now = service.kind === 'builtIn' ? stampOf(folder) : undefined
    if (service.kind === 'external' || now !== known) void connection.refreshPresets()
    // A document that is being written may be incomplete at first.
    if (service.kind === 'builtIn' && isWritten && now === known) reportDamaged()
    isWritten = now !== known
    known = now
    cancel = after(everyMs, check)
  }
  return () => cancel()
}

/** Reports presets that the service leaves out because it can't read them, each once until it changes. */
export function createDamagedPresets({ environment, report }: Pick<Following, 'environment' | 'report'>) {
  const folder = presetFolder(environment)
  let reported: ReadonlySet<string> = new Set()
  return {
    /** @returns whether there is any */
    async check(): Promise<boolean> {
      const words = (await readPresets(folder)).flatMap(({ name, problems }) =>
        problems.length === 0 ? [] : [damagedPresetWords(folder, name, problems)],
      )
      for (const one of words) if (!reported.has(one)) report.say(notice(one))
      reported = new Set(words)
      return words.length > 0
    },
  }
}

/** Changes whenever a document is added, removed or written, even where it is. Returns '' while the folder can't be read. */
function stampOf(folder: string): string {
  try {
    return JSON.stringify(
      readdirSync(folder).map((file) => {
        const found = statSync(join(folder, file), { throwIfNoEntry: false })
        return [file, found?.mtimeMs, found?.size, found?.ino]
      }),
    )
  } catch {
    return ''
  }
}
