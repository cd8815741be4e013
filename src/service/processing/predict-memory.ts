/** Predicts how much memory a file needs, so that the files that are processed at the same time fit (docs/performance.md). */
import type { FileHeader } from '../../shared/model/file-facts.ts'
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'
import type { Recipe } from '../../media/protocol.ts'

const MIB = 2 ** 20
/** Memory in bytes of an idle worker, including its libraries. */
const WORKER = 160 * MIB
/** Bytes for each pixel of the original, if its format is decoded as a whole. */
const DECODED_WHOLE: Readonly<Record<string, number>> = { avif: 16, jxl: 18, bmp: 13, gif: 8, heic: 6 }
/** Bytes for each pixel of other originals: most decoders keep a few rows in memory; the PNG decoder keeps more. */
const DECODED = 2
/** Bytes for each pixel of the result, including the memory of its encoder. */
const ENCODED: Readonly<Record<string, number>> = {
  jpeg: 10,
  png: 4,
  tiff: 3,
  gif: 8,
  webp: 16,
  avif: 36,
  jxl: 36,
}
/** Bytes for each pixel if the format isn't known before the photo is decoded. */
const USUAL = 16
/** Additional bytes for each pixel if a visual quality or a file size is searched for: results are compared with the original. */
const COMPARED = 8
/** Bytes for each pixel of a lossy result: measuring its visual quality decodes it and the original as a whole. */
const MEASURED = 22
/** A result with more pixels isn't measured (`photo-quality.ts`). */
const MOST_MEASURED = 60_000_000

/** Bytes for each pixel of a video's frame: `base` and, for frames in progress on other threads, `core` for each core. */
type FrameMemory = { readonly base: number; readonly core: number }

/** With 10 bits per channel. */
const VIDEO_DECODED: FrameMemory = { base: 20, core: 6 }
/** Memory of the encoders: lookahead frames, reference frames and frames in progress. */
const VIDEO_ENCODED: Readonly<Record<VideoRecipe['codec'], FrameMemory>> = {
  h264: { base: 230, core: 16 },
  hevc: { base: 230, core: 4 },
  av1: { base: 220, core: 14 },
  vp9: { base: 150, core: 4 },
  webp: { base: 150, core: 4 },
  gif: { base: 150, core: 4 },
  copy: { base: 0, core: 0 },
  none: { base: 0, core: 0 },
}
/** Memory of x264 at speeds with a lookahead of at most ten frames. */
const SHORT_LOOKAHEAD: FrameMemory = { base: 100, core: 16 }
/** Bytes for each pixel of the frames in samples, if a visual quality or a file size is searched for. */
const VIDEO_COMPARED = 140
/** For a video of unknown dimensions. */
const USUAL_VIDEO = { width: 1920, height: 1080 }

export type OriginalFacts = Pick<FileHeader, 'width' | 'height'> & {
  /** The usual extension of its format. */
  readonly format: string | undefined
}

/**
 * @param cores number of cores that a video's codecs use
 * @returns bytes; for a photo of unknown dimensions, only the bytes of an idle worker
 */
export function predictMemory(
  { width, height, format = '' }: OriginalFacts,
  recipe: Recipe,
  cores: number,
): number {
  if (recipe.kind === 'video')
    return (
      WORKER + memoryOfVideo(width ?? USUAL_VIDEO.width, height ?? USUAL_VIDEO.height, recipe.video, cores)
    )
  if (width === null || height === null) return WORKER
  const { image } = recipe
  const pixels = width * height
  const made = pixelsOf(image.size, width, height)
  const isSearched = image.look !== undefined || image.maxBytes !== undefined
  const isLossless = image.format === 'png' || image.format === 'tiff'
  const encoded = (ENCODED[image.format] ?? USUAL) + (isSearched ? COMPARED : 0)
  const each = isLossless || made > MOST_MEASURED ? encoded : Math.max(encoded, MEASURED)
  return WORKER + pixels * (DECODED_WHOLE[format] ?? DECODED) + made * each
}

function memoryOfVideo(width: number, height: number, recipe: VideoRecipe, cores: number): number {
  const { codec, speed, look, maxBytes } = recipe
  const pixels = width * height
  const scale = Math.min(1, (recipe.height ?? Infinity) / Math.min(width, height))
  const isShort = codec === 'h264' && (speed === 'ultrafast' || speed === 'veryfast')
  const encoded = isShort ? SHORT_LOOKAHEAD : VIDEO_ENCODED[codec]
  const isSearched = look !== undefined || maxBytes !== undefined
  const of = ({ base, core }: FrameMemory) => base + core * cores
  const isCopied = codec === 'copy' || codec === 'none'
  return (
    (isCopied ? 0 : pixels * of(VIDEO_DECODED)) +
    pixels * scale ** 2 * (of(encoded) + (isSearched ? VIDEO_COMPARED : 0))
  )
}

/** Returns the maximum number of pixels in the result. */
export function pixelsOf(size: ImageRecipe['size'], width: number, height: number): number {
  if (size === undefined) return width * height
  // The image is cropped to the box, or the rest of the box is filled.
  if (size.fit !== 'inside') return (size.width ?? width) * (size.height ?? height)
  const scale = Math.min((size.width ?? Infinity) / width, (size.height ?? Infinity) / height)
  return width * height * Math.min(scale, size.enlarge ? Infinity : 1) ** 2
}
