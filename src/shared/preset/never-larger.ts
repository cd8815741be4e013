/** Finds out which presets never make a file larger, whatever the file contains. */
import type { MediaKind } from '../media-types.ts'
import { isAnimation, type ImageRecipe, type Preset, type VideoRecipe } from './preset.ts'

/**
 * Returns whether a preset keeps every original of this kind that its result isn't smaller than. The worker decides this for each file:
 * a preset without `neverLarger: always`, or that changes more than format, codec and quality, keeps only some originals. Variations may
 * always be larger.
 */
export function neverMakesLarger(
  { image, video, results }: Pick<Preset, 'image' | 'video' | 'results'>,
  kind: MediaKind,
): boolean {
  if (results.neverLarger !== 'always') return false
  return kind === 'image'
    ? image !== undefined && keepsPhoto(image)
    : video !== undefined && keepsVideo(video)
}

const keepsPhoto = ({ size, crop, rotate, ...recipe }: ImageRecipe): boolean =>
  [size, crop].every((change) => change === undefined) &&
  rotate === 0 &&
  !recipe.grayscale &&
  [recipe.colour, recipe.metadata, recipe.hdr, recipe.animation].every((asked) => asked === 'keep')

const keepsVideo = ({ codec, height, fps, crop, rotate, ...recipe }: VideoRecipe): boolean =>
  codec !== 'none' &&
  !isAnimation(codec) &&
  [height, fps, crop].every((change) => change === undefined) &&
  rotate === 0 &&
  !recipe.grayscale &&
  recipe.audio !== 'none' &&
  [recipe.subtitles, recipe.metadata, recipe.hdr].every((asked) => asked === 'keep') &&
  [...recipe.audioLanguages, ...recipe.subtitleLanguages].length === 0
