/** The presets of a new job: those that the user has set, or those of the last job. */
import { isDeepStrictEqual } from 'node:util'
import type { Presets } from '../../shared/api/resources.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { JOBS_UNTIL_STARRED, newJobPresets } from '../../shared/model/settings.ts'
import { TASK_NAMES, taskOf } from '../../shared/preset/task-names.ts'
import type { Settings } from '../settings/settings.ts'

const isKnown = (name: string, listed: Presets | null): boolean =>
  taskOf(name) !== undefined || (listed !== null && [...listed.image, ...listed.video].includes(name))

/** Returns the presets of a new job. Presets of the last job that have been deleted since then give way to the first task. */
export function firstPresets(
  settings: ReturnType<Settings['view']>,
  { kind, presets: listed }: Pick<ConnectionView, 'kind' | 'presets'>,
): readonly string[] {
  const isBuiltIn = kind !== 'external'
  const presets = newJobPresets(settings, isBuiltIn)
  if (settings.defaultPresets !== null || listed === null || presets.every((name) => isKnown(name, listed)))
    return presets
  return isBuiltIn ? [TASK_NAMES[0]] : []
}

/** Remembers the presets of a started draft if the next new job can use them, too. Those for a single job can't be used again. */
export function rememberChoice(
  { presets }: Draft,
  { presets: listed }: Pick<ConnectionView, 'presets'>,
  settings: Pick<Settings, 'view' | 'update'>,
): void {
  if (!presets.every((name) => isKnown(name, listed))) return
  const { lastPresets, underMegabytes, namedPresetJobs } = settings.view()
  const before = { lastPresets, underMegabytes, namedPresetJobs }
  const next = {
    lastPresets: [...presets],
    underMegabytes: taskOf(presets[0])?.megabytes ?? underMegabytes,
    namedPresetJobs: namedPresetJobs + added(presets, namedPresetJobs),
  }
  if (!isDeepStrictEqual(next, before)) settings.update(next)
}

/** Counts a started job if its presets were chosen by name, so that starred presets can take the place of the tasks. */
export function countNamed(presets: readonly string[], settings: Pick<Settings, 'view' | 'update'>): void {
  const { namedPresetJobs: count } = settings.view()
  if (added(presets, count) > 0) settings.update({ namedPresetJobs: count + 1 })
}

const added = (presets: readonly string[], count: number): number =>
  presets.length > 0 && count < JOBS_UNTIL_STARRED && presets.every((name) => taskOf(name) === undefined)
    ? 1
    : 0
