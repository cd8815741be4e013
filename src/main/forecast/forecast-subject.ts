/** A draft and its preset, as a forecast needs them. */
import type { Recipe } from '../../media/protocol.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import type { ForecastSubject } from './forecaster.ts'
import type { Trials } from './trials.ts'

export type ChosenPreset = Pick<Preset, 'name' | 'image' | 'video' | 'results'>

/** Videos take all cores for one; photos take one each. */
export const parallelismOn =
  (cores: number) =>
  (kind: MediaKind): number =>
    kind === 'image' ? Math.max(1, cores) : 1

export function forecastSubject(
  { source, variations }: Pick<Draft, 'source' | 'variations'>,
  preset: ChosenPreset,
): ForecastSubject | undefined {
  if (source.kind !== 'files') return undefined
  const { image, video, results } = preset
  const files = source.items.filter(({ kind }) => preset[kind] !== undefined)
  return {
    files,
    key: JSON.stringify([image, video, results.neverLarger]),
    variations,
    maxBytes: {
      ...(image?.maxBytes === undefined ? {} : { image: image.maxBytes }),
      ...(video?.maxBytes === undefined ? {} : { video: video.maxBytes }),
    },
  }
}

export const tryWith =
  (trials: Trials, chosen: () => ChosenPreset | undefined) =>
  async ({ path, kind }: ForecastSubject['files'][number], _: ForecastSubject, signal: AbortSignal) => {
    const preset = chosen()
    const recipe = preset && recipeFor(preset, kind)
    if (preset === undefined || recipe === undefined) return null
    return trials.run({ path, recipe, neverLarger: preset.results.neverLarger }, signal)
  }

function recipeFor({ image, video }: ChosenPreset, kind: MediaKind): Recipe | undefined {
  if (kind === 'image') return image && { kind, image }
  return video && { kind, video }
}
