/** The presets of a new job: those that the user has set, or those of the last job. */
import { isDeepStrictEqual } from 'node:util'
import type { Draft } from '../../shared/model/draft.ts'
import { JOBS_UNTIL_STARRED, newJobPresets } from '../../shared/model/settings.ts'
import { knownPreset, missingPresets, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { TASK_NAMES, taskOf } from '../../shared/preset/task-names.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Returns the presets of a new job. If a preset of the last job no longer exists, returns the first task or, for an external service, no
 * preset.
 */
export function firstPresets(settings: ReturnType<Settings['view']>, offer: PresetOffer): readonly string[] {
  const isBuiltIn = offer.kind !== 'external'
  const presets = newJobPresets(settings, isBuiltIn)
  if (settings.defaultPresets !== null || missingPresets(offer, presets).length === 0) return presets
  return isBuiltIn ? [TASK_NAMES[0]] : []
}

/** Remembers the presets of a started draft if the next new job can use them. Presets for a single job can't be used again. */
export function rememberChoice(
  { presets }: Draft,
  offer: PresetOffer,
  settings: Pick<Settings, 'view' | 'update'>,
): void {
  if (presets.some((name) => knownPreset(offer, name) === undefined)) return
  const { lastPresets, underMegabytes, namedPresetJobs } = settings.view()
  const before = { lastPresets, underMegabytes, namedPresetJobs }
  const next = {
    lastPresets: [...presets],
    underMegabytes: taskOf(presets[0])?.megabytes ?? underMegabytes,
    namedPresetJobs: namedPresetJobs + added(presets, namedPresetJobs),
  }
  if (!isDeepStrictEqual(next, before)) settings.update(next)
}

/** Counts a started job if its presets were chosen by name, so that starred presets can replace the tasks. */
export function countNamed(presets: readonly string[], settings: Pick<Settings, 'view' | 'update'>): void {
  const { namedPresetJobs: count } = settings.view()
  if (added(presets, count) > 0) settings.update({ namedPresetJobs: count + 1 })
}

const added = (presets: readonly string[], count: number): number =>
  presets.length > 0 && count < JOBS_UNTIL_STARRED && presets.every((name) => taskOf(name) === undefined)
    ? 1
    : 0
