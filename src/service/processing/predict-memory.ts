/** Predicts how much memory a file needs, so that the files that are processed at the same time fit (docs/performance.md). */
import type { PhotoCoding } from '../../node/media-header/photo-coding.ts'
import { type Extent, MAX_PIXELS, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import type { FileHeader } from '../../shared/model/file-facts.ts'
import {
  losesNothing,
  OUTPUT_FORMATS,
  type OutputFormat,
  PHOTO_FORMATS,
} from '../../shared/preset/photo-formats.ts'
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'
import { hardwareCodecOf } from '../../shared/video-cores.ts'
import type { Recipe } from '../../media/protocol.ts'
import { extentOf, pixelsOfPhoto, pixelsOfVideo } from './pixels.ts'

const MIB = 2 ** 20
/** Memory in bytes of an idle worker, including its libraries. */
const WORKER = 160 * MIB
/** How many copies of the original's file are in memory. Decoders of formats that aren't listed read it in parts. */
const FILES: Readonly<Record<string, number>> = { png: 1, gif: 3, bmp: 1, avif: 1, heic: 1, jxl: 1 }
/** The same for a TIFF that is rewritten, whose blocks are freed late, and for one that is read and copied. */
const TIFF_FILES = { rewritten: 1, held: 2 } as const
/** Bytes for each byte of the original's pixels, if its format is decoded as a whole. */
const DECODED_WHOLE: Readonly<Record<string, number>> = { avif: 6, jxl: 6, heic: 3.5, bmp: 3.5, gif: 5 }
/** The same for each pixel of the original and of the result, if a HEIC has tiles, which are reduced one by one. */
const HEIC_TILES = { original: 0.5, result: 5.2 } as const
/** The same for a HEIC with transparency, which another library decodes. */
const HEIC_ALPHA = 6
/** Bytes for each pixel of other originals. Their decoders keep a few rows in memory. */
const DECODED = 2
/** Like `DECODED_WHOLE`, for files whose coding prevents decoding in rows. A JPEG has coefficients of two bytes. */
const CODED_WHOLE: Readonly<Record<string, number>> = { jpg: 2, png: 1, tiff: 1 }
/** Factors of `pixelBytes` for each pixel of the original, if a TIFF is rewritten, or if HDR is converted or compared. */
const REWRITTEN = 2
const HDR = 11.5
/** Number of copies in memory of the data that follows the image in a JPEG, such as a video. */
const APPENDED = 3
/** Maximum number of bytes that the image in a JPEG takes per pixel. More bytes are counted as data that follows the image. */
const MOST_OF_JPEG = 3
/** Bytes for each pixel of all frames of an animation, if they are decoded or combined in memory. */
const FRAMES: Readonly<Record<string, number>> = { png: 12, gif: 12, avif: 12, heic: 12, jxl: 13 }
/** Formats that may be animated. */
const ANIMATED: ReadonlySet<string> = new Set([...Object.keys(FRAMES), 'webp'])
/** Minimum number of bytes of a frame. Frames without changes are hardly larger. */
const FRAME_BYTES = 12
/** For a photo of unknown dimensions. Few photos have more pixels. */
const LARGE_PHOTO: Extent = { width: 10_000, height: 10_000 }
/** For a video of unknown dimensions, such as an MPEG transport stream. Few videos have more pixels. */
const LARGE_VIDEO: Extent = { width: 3840, height: 2160 }
/** Bytes for each pixel of the result, including the memory of its encoder. */
const ENCODED: Readonly<Record<OutputFormat, number>> = {
  jpeg: 10,
  png: 4,
  tiff: 3,
  webp: 16,
  avif: 36,
  jxl: 36,
}
/** The same for a lossless WebP. */
const ENCODED_LOSSLESS_WEBP = 30
/**
 * Factor of `pixelBytes` for each pixel of a result with more than 8 bits per channel: if the image is reduced, if it keeps its size, and if
 * it keeps its size but its profile is converted to sRGB.
 */
const DEEP = { reduced: 4, whole: 2, converted: 5 } as const
/** The same for a JPEG XL that keeps its size. */
const DEEP_JXL = 3.5
/** Bytes for each pixel of all frames of an animated result. Only the first frame's quality is measured. */
const ENCODED_FRAMES: Readonly<Partial<Record<OutputFormat, number>>> = { png: 12, webp: 8, jxl: 5 }
/**
 * Additional bytes for each pixel if the recipe sets a visual quality or a maximum file size: the search compares results with the
 * original.
 */
const COMPARED = 8
/** Bytes for each pixel of a lossy result: measuring its visual quality decodes it and the original as a whole. */
const MEASURED = 22
/** Additional memory for measuring, regardless of the result's size. */
const MEASURING = 24 * MIB
/** Maximum number of pixels of a result that is measured (`photo-quality.ts`). */
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
/** Memory of SVT-AV1 at speeds with more reference frames and a longer lookahead. */
const SLOW_AV1: FrameMemory = { base: 400, core: 26 }
/**
 * Additional bytes for each pixel, for sample frames, if the recipe sets a visual quality or a maximum file size, or if a hardware encoder is
 * compared with software.
 */
const VIDEO_COMPARED = 140

export type OriginalFacts = Pick<FileHeader, 'width' | 'height'> &
  PhotoCoding & {
    /** The usual extension of its format. */
    readonly format: string | undefined
    readonly bytes: number
  }

/**
 * @param cores number of cores that a video's codecs use
 * @returns bytes; for a photo or a video of unknown or absurd dimensions, those of a large one
 */
export function predictMemory(original: OriginalFacts, recipe: Recipe, cores: number): number {
  if (recipe.kind === 'video')
    return WORKER + memoryOfVideo(extentOf(original) ?? LARGE_VIDEO, recipe.video, cores)
  return WORKER + memoryOfPhoto({ ...original, ...neededExtent(original) }, recipe.image)
}

/** Returns the additional bytes for comparing a hardware encoder with software; undefined if only software can encode the result. */
export function memoryOfTrial(original: OriginalFacts, recipe: Recipe): number | undefined {
  if (recipe.kind === 'image' || hardwareCodecOf(recipe.video) === undefined) return undefined
  // The search for a visual quality, which `predictMemory` includes, has ended before the comparison.
  if (recipe.video.look !== undefined) return 0
  return pixelsOfVideo(recipe.video, extentOf(original) ?? LARGE_VIDEO) * VIDEO_COMPARED
}

function neededExtent({ width, height, needed }: OriginalFacts): Extent {
  const across = Math.max(width ?? 0, needed?.width ?? 0)
  const down = Math.max(height ?? 0, needed?.height ?? 0)
  return extentOf({ width: across, height: down }) ?? LARGE_PHOTO
}

/** Returns how many pixels the frames of an animation may have together. Decoders refuse more. */
const mostFramePixels = (format: string): number =>
  format === 'gif' || format === 'webp' ? MAX_PIXELS : MAX_PIXELS_IN_MEMORY

/** Returns how many frames a file may have at most. */
const mostFrames = (format: string, bytes: number, pixels: number): number =>
  ANIMATED.has(format)
    ? Math.max(1, Math.floor(Math.min(bytes / FRAME_BYTES, mostFramePixels(format) / pixels)))
    : 1

function memoryOfPhoto(original: OriginalFacts & Extent, recipe: ImageRecipe): number {
  const { width, height, format = '', bytes, pixelBytes, isDeep, isWhole, hasProfile } = original
  const { isHdr, isRewritten, isHeld } = original
  const pixels = width * height
  const frames = Math.min(original.frames ?? Infinity, mostFrames(format, bytes, pixels))
  const made = formatOfResult(format, frames, recipe.format)
  const isAnimated = frames > 1 && recipe.animation === 'keep' && PHOTO_FORMATS[made].hasAnimation
  const appended = format === 'jpg' ? Math.max(0, bytes - pixels * MOST_OF_JPEG) : 0
  const copies =
    (FILES[format] ?? 0) + (isRewritten ? TIFF_FILES.rewritten : 0) + (isHeld ? TIFF_FILES.held : 0)
  const ofFile = bytes * copies + appended * APPENDED
  const hasAlpha = pixelBytes % 4 === 0
  const resultPixels = pixelsOfPhoto(recipe, { width, height })
  const isReduced = recipe.crop === undefined && (recipe.size?.fit ?? 'inside') === 'inside'
  const hasTiles = format === 'heic' && !hasAlpha && !isWhole && isReduced
  const ofTiles = HEIC_TILES.original + (HEIC_TILES.result * resultPixels) / pixels
  const usual = format === 'heic' && hasAlpha ? HEIC_ALPHA : (DECODED_WHOLE[format] ?? 0)
  const decodedWhole = hasTiles ? Math.min(usual, ofTiles) : usual
  const ofPixel =
    pixelBytes *
      (decodedWhole +
        (isWhole ? (CODED_WHOLE[format] ?? 0) : 0) +
        (isRewritten ? REWRITTEN : 0) +
        (isHdr ? HDR : 0)) +
    (format in DECODED_WHOLE ? 0 : DECODED)
  const ofFrames = frames > 1 && (isAnimated || format === 'jxl') ? frames * (FRAMES[format] ?? 0) : 0
  const ofResult = isAnimated ? frames * (ENCODED_FRAMES[made] ?? 0) * resultPixels : 0
  const isDeepResult = isDeep && (PHOTO_FORMATS[made].isDeep || recipe.bitDepth > 8)
  const keptDepth = made === 'jxl' ? DEEP_JXL : DEEP.whole
  const wholeDepth = hasProfile && mayConvert(recipe) ? DEEP.converted : keptDepth
  const ofDepth = isDeepResult ? pixelBytes * (resultPixels < pixels ? DEEP.reduced : wholeDepth) : 0
  return (
    ofFile +
    pixels * (ofPixel + ofFrames) +
    ofResult +
    resultPixels * ofDepth +
    memoryOfResult(resultPixels, made, recipe)
  )
}

/** A profile that is too large for the maximum file size is converted, too. */
const mayConvert = ({ colour, grayscale, maxBytes }: ImageRecipe): boolean =>
  colour === 'srgb' || grayscale || maxBytes !== undefined

function memoryOfResult(
  pixels: number,
  format: OutputFormat,
  { look, maxBytes, lossless }: ImageRecipe,
): number {
  const isSearched = look !== undefined || maxBytes !== undefined
  const encoded = format === 'webp' && lossless ? ENCODED_LOSSLESS_WEBP : ENCODED[format]
  const each = encoded + (isSearched ? COMPARED : 0)
  if (losesNothing(format) || pixels > MOST_MEASURED) return pixels * each
  return pixels * Math.max(each, MEASURED) + MEASURING
}

/** Returns the format of the result; the one that needs more memory if that depends on the original's content. */
function formatOfResult(format: string, frames: number, wanted: ImageRecipe['format']): OutputFormat {
  if (wanted !== 'same') return wanted
  if (format === 'gif') return frames > 1 ? 'webp' : 'png'
  return OUTPUT_FORMATS.find((one) => one === format) ?? 'jpeg'
}

function memoryOfVideo({ width, height }: Extent, recipe: VideoRecipe, cores: number): number {
  const { codec, speed, look, maxBytes } = recipe
  const encoded = encoderMemory(codec, speed)
  const isSearched = look !== undefined || maxBytes !== undefined
  const of = ({ base, core }: FrameMemory) => base + core * cores
  const isCopied = codec === 'copy' || codec === 'none'
  return (
    (isCopied ? 0 : width * height * of(VIDEO_DECODED)) +
    pixelsOfVideo(recipe, { width, height }) * (of(encoded) + (isSearched ? VIDEO_COMPARED : 0))
  )
}

function encoderMemory(codec: VideoRecipe['codec'], speed: VideoRecipe['speed']): FrameMemory {
  if (codec === 'h264' && (speed === 'ultrafast' || speed === 'veryfast')) return SHORT_LOOKAHEAD
  if (codec === 'av1' && (speed === 'medium' || speed === 'slow')) return SLOW_AV1
  return VIDEO_ENCODED[codec]
}
