/**
 * Which videos a hardware encoder can encode, and how many videos are processed in parallel (docs/performance.md). A single video doesn't use
 * many cores well.
 */
import type { VideoRecipe } from './preset/preset.ts'

const MEGAPIXEL = 1_000_000
/** The number of pixels assumed for a video of unknown dimensions (1080p). */
const USUAL_PIXELS = 1920 * 1080

export type HardwareCodec = 'h264' | 'hevc' | 'av1'

/** The fields of a recipe that determine which encoder it may use. */
export type EncoderFields = Pick<VideoRecipe, 'codec' | 'engine' | 'crf' | 'maxBytes'>

/** Returns the recipe's codec if the recipe allows a hardware encoder, otherwise undefined. */
export function hardwareCodecOf({ engine, codec, crf, maxBytes }: EncoderFields): HardwareCodec | undefined {
  // Only software encoders are lossless. A maximum file size needs reproducible runs, which only software provides.
  if (engine === 'software' || crf === 0 || maxBytes !== undefined) return undefined
  return codec === 'h264' || codec === 'hevc' || codec === 'av1' ? codec : undefined
}

/**
 * Returns how many videos to process in parallel so that each gets about as many cores as it can use. With a software encoder, at least two
 * if the computer has two cores.
 */
export function videosAtOnce(cores: number, recipe: EncoderFields, pixels = USUAL_PIXELS): number {
  // All videos share one hardware encoder.
  if (recipe.engine === 'hardware' && hardwareCodecOf(recipe) !== undefined) return 1
  const fitting = Math.round(cores / usefulCores(recipe.codec, pixels))
  return Math.min(mostVideosAtOnce(cores), Math.max(1, fitting))
}

function usefulCores(codec: VideoRecipe['codec'], pixels: number): number {
  // With these codecs, streams are copied or encoded by one thread.
  if (codec === 'copy' || codec === 'none' || codec === 'gif' || codec === 'webp') return 2
  if (pixels < MEGAPIXEL) return 2
  return pixels < 4 * MEGAPIXEL ? 4 : 8
}

/** @returns the maximum number of videos that are processed in parallel, even if they are small */
export const mostVideosAtOnce = (cores: number): number => Math.max(1, Math.floor(cores / 2))

/**
 * Returns the elapsed time of videos as a fraction of the time that they would take one after another. Measured with 1080p
 * (docs/performance.md).
 * @param atOnce how many are processed in parallel if there are enough
 */
export const shareOfVideoTime = (videos: number, atOnce: number): number =>
  Math.max(1, Math.min(videos, atOnce)) ** -0.25
