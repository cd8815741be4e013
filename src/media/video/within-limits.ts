/**
 * Checks whether a video already meets a recipe.
 * If the recipe sets only limits (codec, height, frame rate) and the video is within them, the track can be copied. Copying avoids
 * quality loss and takes a fraction of the time.
 */
import { AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN, AV_OPT_TYPE_INT } from 'node-av/constants'
import { avGetPixFmtName, Codec, CodecContext, type CodecParameters, type Stream } from 'node-av/lib'
import { HDR_CODECS, type VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { believableRate } from './clocks.ts'
import { displayedExtent } from './shown-picture.ts'
import { highDynamicRange } from './video-filters.ts'

/** Tolerance for frame rates, because many containers round them. */
const RATE_GRACE = 1.001

/** Returns whether the recipe sets only limits. If it requests a specific quality, even a video within the limits must be encoded. */
const namesOnlyLimits = ({ crf, bitrate, look, maxBytes }: VideoRecipe): boolean =>
  [crf, bitrate, look, maxBytes].every((request) => request === undefined)

const keepsShape = ({ crop, rotate, grayscale }: VideoRecipe): boolean =>
  crop === undefined && rotate === 0 && !grayscale

/** Returns whether copying the video track meets the whole recipe. */
export const isWithinLimits = (video: Stream, recipe: VideoRecipe): boolean =>
  namesOnlyLimits(recipe) && isInForm(video, recipe)

/** Returns whether the video track already has the recipe's properties, apart from its quality. */
export const isInForm = (video: Stream, recipe: VideoRecipe): boolean =>
  isInShape(video, recipe) && codecName(video) === recipe.codec && isPlain(video, recipe)

/** Returns whether the video already looks as the recipe asks, in any codec. */
export const isInShape = (video: Stream, recipe: VideoRecipe): boolean =>
  keepsShape(recipe) &&
  displayedShortSide(video) <= (recipe.height ?? Infinity) &&
  isSlowEnough(video, recipe.fps) &&
  (recipe.hdr === 'keep' || highDynamicRange(video.codecpar) === undefined)

/** Returns the short side as displayed, in pixels. */
export function displayedShortSide(video: Stream): number {
  const { width, height } = displayedExtent(video)
  return Math.min(width, height)
}

/**
 * Returns whether the frame rate is within the limit.
 * With a variable rate, the actual rate may exceed the average. Returns false if the file states no plausible rate.
 */
function isSlowEnough({ avgFrameRate, rFrameRate }: Stream, most: number | undefined): boolean {
  if (most === undefined) return true
  const average = believableRate([avgFrameRate])
  const highest = believableRate([rFrameRate]) ?? average
  if (average === undefined || highest === undefined) return false
  return Math.max(average.num / average.den, highest.num / highest.den) <= most * RATE_GRACE
}

/** Returns whether the pixel format meets the recipe and the video isn't marked as interlaced. */
function isPlain({ codecpar }: Stream, recipe: VideoRecipe): boolean {
  const formats = highDynamicRange(codecpar) === undefined ? plainFormats(recipe) : hdrFormats(recipe)
  return readParameters(
    codecpar,
    (context) => !hasFields(context) && formats.includes(avGetPixFmtName(context.pixelFormat) ?? ''),
  )
}

/** Returns whether the file states that its frames consist of two fields. */
export const isInterlaced = (parameters: CodecParameters): boolean => readParameters(parameters, hasFields)

function hasFields(context: CodecContext): boolean {
  const fieldOrder = context.getOption('field_order', AV_OPT_TYPE_INT)
  return fieldOrder !== AV_FIELD_PROGRESSIVE && fieldOrder !== AV_FIELD_UNKNOWN
}

/** @returns false if the codec is unknown */
function readParameters(parameters: CodecParameters, test: (context: CodecContext) => boolean): boolean {
  const codec = Codec.findDecoder(parameters.codecId)
  if (codec === null) return false
  using context = new CodecContext()
  context.allocContext3(codec)
  return context.parametersToContext(parameters) >= 0 && test(context)
}

/** 8 bits are enough even for a 10-bit recipe, because encoding can't add detail that the video doesn't have. */
const plainFormats = ({ bitDepth }: VideoRecipe): readonly string[] =>
  bitDepth === 10 ? ['yuv420p', 'yuvj420p', 'yuv420p10le'] : ['yuv420p', 'yuvj420p']

/** If the recipe or its codec doesn't keep HDR, the frames must be tone-mapped, so the track can't be copied. */
const hdrFormats = ({ codec, hdr }: VideoRecipe): readonly string[] =>
  hdr === 'keep' && HDR_CODECS.includes(codec) ? ['yuv420p10le'] : []
