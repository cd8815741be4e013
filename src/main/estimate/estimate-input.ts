/** Builds the estimator's input from a draft and its preset. */
import type { Recipe } from '../../media/protocol.ts'
import { type Foresight, NOTHING_FORESEEN } from '../../shared/loss/foreseen.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { neverMakesLarger } from '../../shared/preset/never-larger.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import type { EstimateInput } from './estimator.ts'
import type { Trials } from './trials.ts'

export type ChosenPreset = Pick<Preset, 'name' | 'image' | 'video' | 'results'>

export function estimateInput(
  { source, variations }: Pick<Draft, 'source' | 'variations'>,
  preset: ChosenPreset,
): EstimateInput | undefined {
  if (source.kind !== 'files') return undefined
  const { image, video, results } = preset
  const { neverLarger, keepBelowQuality } = results
  const files = source.items.filter(({ kind }) => preset[kind] !== undefined)
  // An original that is kept because of its result's quality may exceed the maximum size. The quality of variations isn't measured.
  const holds = keepBelowQuality === undefined || variations > 1
  return {
    files,
    key: JSON.stringify([image, video, neverLarger, keepBelowQuality]),
    variations,
    video,
    maxBytes: {
      ...(image?.maxBytes !== undefined && holds && { image: image.maxBytes }),
      ...(video?.maxBytes !== undefined && holds && { video: video.maxBytes }),
    },
    neverLarger:
      variations > 1 ? [] : (['image', 'video'] as const).filter((kind) => neverMakesLarger(preset, kind)),
  }
}

export const measureWith =
  (trials: Pick<Trials, 'estimate'>, chosen: () => ChosenPreset | undefined) =>
  async ({ path, identity, kind }: EstimateInput['files'][number], signal: AbortSignal) => {
    const preset = chosen()
    const recipe = preset && recipeFor(preset, kind)
    if (preset === undefined || recipe === undefined) return null
    const { neverLarger, keepBelowQuality } = preset.results
    const answer = await trials.estimate({ path, identity, recipe, neverLarger, keepBelowQuality }, signal)
    if (answer.kind === 'failed') {
      if (answer.failure === null) throw new Error('The process ended without a result.')
      return null
    }
    return { ...answer.estimate, startMs: answer.startMs }
  }

/** Creates a function that determines what the result of a file will lose, as far as the file's header shows it. */
export const foreseeWith =
  (trials: Pick<Trials, 'foresee'>, chosen: () => ChosenPreset) =>
  async (
    { path, identity, kind }: EstimateInput['files'][number],
    signal: AbortSignal,
  ): Promise<Foresight> => {
    const preset = chosen()
    const recipe = recipeFor(preset, kind)
    if (recipe === undefined) return NOTHING_FORESEEN
    const { neverLarger } = preset.results
    const answer = await trials.foresee({ path, identity, recipe, neverLarger }, signal)
    return answer.kind === 'failed' ? NOTHING_FORESEEN : answer
  }

function recipeFor({ image, video }: ChosenPreset, kind: MediaKind): Recipe | undefined {
  if (kind === 'image') return image && { kind, image }
  return video && { kind, video }
}
