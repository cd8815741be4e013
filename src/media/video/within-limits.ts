/**
 * Whether a film already is what a recipe asks for. One that names only limits (a codec, a height, a frame rate) and no
 * quality of its own is met best, and in a fraction of the time, by the film's own pictures.
 */
import { AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN, AV_OPT_TYPE_INT } from 'node-av/constants'
import { avGetPixFmtName, Codec, CodecContext, type Stream } from 'node-av/lib'
import { HDR_CODECS, type VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { believableRate } from './clocks.ts'
import { highDynamicRange } from './picture-filters.ts'

/** Rates are rounded in many containers. */
const RATE_GRACE = 1.001

/** Whether the recipe leaves the look of the pictures to the file, so that nothing speaks for encoding them again. */
const namesOnlyLimits = ({ crf, bitrate, look, maxBytes }: VideoRecipe): boolean =>
  [crf, bitrate, look, maxBytes].every((wish) => wish === undefined)

const keepsShape = ({ crop, rotate, grayscale }: VideoRecipe): boolean =>
  crop === undefined && rotate === 0 && !grayscale

/** @returns true where copying the pictures does all that the recipe asks for */
export const isWithinLimits = (picture: Stream, recipe: VideoRecipe): boolean =>
  namesOnlyLimits(recipe) && isInForm(picture, recipe)

/** Whether the pictures are what the recipe makes of them, but for the quality that it names. */
export function isInForm(picture: Stream, recipe: VideoRecipe): boolean {
  return (
    keepsShape(recipe) &&
    codecName(picture) === recipe.codec &&
    displayedShortSide(picture) <= (recipe.height ?? Infinity) &&
    isSlowEnough(picture, recipe.fps) &&
    isPlain(picture, recipe)
  )
}

/** In pixels as they are shown. */
export function displayedShortSide({ codecpar, sampleAspectRatio: { num, den } }: Stream): number {
  const pixelAspect = num > 0 && den > 0 ? num / den : 1
  return Math.min(codecpar.width * pixelAspect, codecpar.height)
}

/** The real rate may be above the average one where it varies; a file that tells neither is not trusted. */
function isSlowEnough({ avgFrameRate, rFrameRate }: Stream, most: number | undefined): boolean {
  if (most === undefined) return true
  const average = believableRate([avgFrameRate])
  const highest = believableRate([rFrameRate]) ?? average
  if (average === undefined || highest === undefined) return false
  return Math.max(average.num / average.den, highest.num / highest.den) <= most * RATE_GRACE
}

/** The form that encoding would bring the pictures into. */
function isPlain({ codecpar }: Stream, recipe: VideoRecipe): boolean {
  const codec = Codec.findDecoder(codecpar.codecId)
  if (codec === null) return false
  const context = new CodecContext()
  context.allocContext3(codec)
  try {
    if (context.parametersToContext(codecpar) < 0) return false
    const fieldOrder = context.getOption('field_order', AV_OPT_TYPE_INT)
    const progressive = fieldOrder === AV_FIELD_PROGRESSIVE || fieldOrder === AV_FIELD_UNKNOWN
    const formats = highDynamicRange(codecpar) === undefined ? plainFormats(recipe) : hdrFormats(recipe)
    return progressive && formats.includes(avGetPixFmtName(context.pixelFormat) ?? '')
  } finally {
    context.freeContext()
  }
}

/** Eight bits are no less than ten where the film never had more. */
const plainFormats = ({ bitDepth }: VideoRecipe): readonly string[] =>
  bitDepth === 10 ? ['yuv420p', 'yuvj420p', 'yuv420p10le'] : ['yuv420p', 'yuvj420p']

/** A codec that doesn't keep a high dynamic range gets its pictures tone-mapped. */
const hdrFormats = ({ codec, hdr }: VideoRecipe): readonly string[] =>
  hdr === 'keep' && HDR_CODECS.includes(codec) ? ['yuv420p10le'] : []
