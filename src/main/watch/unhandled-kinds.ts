/** Finds photos and videos that none of the chosen presets handles. They must not be processed with other settings. */
import type { DraftProblem } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { knownPreset, type PresetOffer } from '../../shared/preset/known-preset.ts'

const KINDS = [
  ['image', 'photos'],
  ['video', 'videos'],
] as const

const keyOf = (kind: MediaItem['kind'], presets: readonly string[]) => JSON.stringify([kind, presets])

/** @param offer returns what the folder's service offers */
export function createUnhandledKinds(
  offer: () => PresetOffer,
  onProblems: (problems: readonly DraftProblem[]) => void,
) {
  const reported = new Set<string>()
  return {
    isHandled: ({ kind }: MediaItem, presets: readonly string[]): boolean => {
      const service = offer()
      const isHandled =
        presets.length === 0 ||
        service.presets === null ||
        presets.some((preset) => knownPreset(service, preset)?.[kind] === true)
      if (isHandled) reported.delete(keyOf(kind, presets))
      return isHandled
    },
    /** Reports files that aren't handled, once for each kind and choice of presets until a preset handles that kind. */
    report: (items: readonly MediaItem[], presets: readonly string[]): void => {
      const [first, ...more] = presets
      const problems = KINDS.flatMap(([kind, word]): readonly DraftProblem[] => {
        const count = items.filter((item) => item.kind === kind).length
        if (count === 0 || first === undefined || reported.has(keyOf(kind, presets))) return []
        reported.add(keyOf(kind, presets))
        return more.length === 0
          ? [{ code: 'presetNotFor', preset: first, kind: word }]
          : [{ code: 'noPresetFor', kind: word, count }]
      })
      if (problems.length > 0) onProblems(problems)
    },
  }
}
