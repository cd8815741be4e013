/** Determines which presets never make a file larger, regardless of its content. */
import type { MediaKind } from '../media-types.ts'
import { isAnimation, type ImageRecipe, type Preset, type VideoRecipe } from './preset.ts'

/**
 * Returns whether a preset keeps the original whenever the result isn't smaller, for all files of this kind. This needs
 * `neverLarger: always` and a recipe that changes only format, codec and quality. Other presets keep some originals or none; the worker
 * decides for each file. Doesn't consider variations, which may always be larger.
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
