/** Chooses whether an audio track is copied, and otherwise its codec. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { AudioCodec } from './audio-track.ts'
import { type Container, holdsAudio, isLosslessAudio } from './container.ts'
import { isLossless } from './encoder-settings.ts'

/** Returns whether the recipe promises that nothing is lost. */
export const keepsEverySample = (recipe: VideoRecipe): boolean =>
  recipe.codec === 'copy' || isLossless(recipe)

/**
 * Returns `copy` if the audio already meets the recipe, because re-encoding would only reduce its quality.
 * @param isExact whether the recipe promises that nothing is lost
 */
export function audioCodec(
  wanted: VideoRecipe['audio'],
  present: string,
  container: Container,
  isExact = false,
): AudioCodec | 'copy' {
  if (holdsAudio(container, present) && (wanted === 'keep' || wanted === present)) return 'copy'
  const exact = wanted === 'keep' ? exactCodec(present, container, isExact) : undefined
  if (exact !== undefined) return exact
  const fallback = container.muxer === 'webm' ? 'opus' : 'aac'
  return (wanted === 'aac' || wanted === 'opus') && holdsAudio(container, wanted) ? wanted : fallback
}

/**
 * Chooses a codec that keeps every sample.
 * @returns undefined if the container can't hold the samples unchanged, or if the recipe doesn't ask for it
 */
function exactCodec(present: string, container: Container, isExact: boolean): AudioCodec | undefined {
  const isPcm = present.startsWith('pcm_')
  if (container.muxer === 'matroska') return isPcm || isExact ? 'pcm' : undefined
  if (container.muxer === 'mov') return isPcm || (isExact && isLosslessAudio(present)) ? 'pcm' : undefined
  const fitsAlac = /^pcm_(?:u8|s8|s16|s24)|^(?:truehd|mlp|tta|wavpack)$/.test(present)
  return isExact && fitsAlac && holdsAudio(container, 'alac') ? 'alac' : undefined
}
