/** Decides whether an audio track is copied. Otherwise, chooses the codec to encode it with. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { AudioCodec } from './audio-track.ts'
import { type Container, copiesAudio, exactCodec, holdsAudio } from './container.ts'

type Present = {
  /** FFmpeg's name of the codec. */
  readonly codec: string
  /** The original's format, as FFmpeg names it. */
  readonly format: string
  readonly mayCopy: boolean
  readonly isExact: boolean
}

/**
 * Returns `copy` if the audio may be copied and already meets the recipe, because re-encoding would only reduce its quality. Otherwise,
 * returns the codec to encode to.
 */
export function audioCodec(
  wanted: VideoRecipe['audio'],
  { codec, format, mayCopy, isExact }: Present,
  container: Container,
): AudioCodec | 'copy' {
  if (mayCopy && holdsAudio(container, codec) && (wanted === 'keep' || wanted === codec)) return 'copy'
  if (wanted === 'keep') {
    if (isExact && mayCopy && copiesAudio(container, codec, format)) return 'copy'
    const exact = exactCodec(container, codec)
    // Uncompressed audio stays uncompressed, even if the recipe may reduce the quality.
    if (exact !== undefined && (isExact || (exact === 'pcm' && codec.startsWith('pcm_')))) return exact
  }
  const fallback = container.muxer === 'webm' ? 'opus' : 'aac'
  return (wanted === 'aac' || wanted === 'opus') && holdsAudio(container, wanted) ? wanted : fallback
}
