/** Maps a recipe to an encoder and its options. No other file uses the encoders' option names. */
import type { IRational } from 'node-av/lib'
import { isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import { type HdrMetadata, svtHdr, x265Hdr } from './hdr-metadata.ts'

export type EncodedCodec = Exclude<VideoRecipe['codec'], 'copy' | 'none'>
/** All codecs except those of animated images, which have no goal. */
export type VideoCodec = Exclude<EncodedCodec, 'webp' | 'gif'>

/** Returns whether a goal, such as a visual quality, applies to the codec. */
export const isVideoCodec = (codec: VideoRecipe['codec']): codec is VideoCodec =>
  codec !== 'copy' && codec !== 'none' && !isAnimation(codec)

export type EncoderSettings = {
  readonly encoder: 'libx264' | 'libx265' | 'libvpx-vp9' | 'libsvtav1' | 'libwebp_anim' | 'gif' | 'ffv1'
  readonly options: Readonly<Record<string, string>>
  /** Bits per second; undefined if the recipe sets a quality. */
  readonly bitrate: number | undefined
  readonly lossless: boolean
  /** The pixel format in which the encoder stores every pixel exactly; undefined if it can't, or needn't. */
  readonly exactFormat?: string | undefined
  readonly leastSide: number
}

/** Settings for FFV1, which stores almost every pixel format losslessly. Its slices are decoded in parallel and have checksums. */
export const FFV1: EncoderSettings = {
  encoder: 'ffv1',
  options: { level: '3', g: '1', slicecrc: '1' },
  bitrate: undefined,
  lossless: true,
  leastSide: 1,
}

type Speed = VideoRecipe['speed']

/** The speeds of libvpx-vp9, SVT-AV1 and WebP on their own scales. */
const SPEEDS = {
  ultrafast: { cpuUsed: 8, preset: 12, level: 0 },
  veryfast: { cpuUsed: 5, preset: 10, level: 2 },
  fast: { cpuUsed: 4, preset: 8, level: 3 },
  medium: { cpuUsed: 2, preset: 6, level: 4 },
  slow: { cpuUsed: 1, preset: 4, level: 6 },
} as const satisfies Record<Speed, unknown>

/** The limits of SVT-AV1. It refuses other values, or divides by zero. */
const LIMITS_OF_AV1 = { bitrate: 100_000_000, leastFps: 1, mostFps: 240 }

/** Returns the bit rate that the encoder supports and that is nearest to the recipe's; undefined if the recipe has none. */
export const supportedBitrate = (
  codec: VideoRecipe['codec'],
  { bitrate }: Pick<VideoRecipe, 'bitrate'>,
): number | undefined =>
  bitrate === undefined || codec !== 'av1' ? bitrate : Math.min(bitrate, LIMITS_OF_AV1.bitrate)

/** Returns the frame rate to state to the encoder. Frames keep their times regardless of it. */
export function supportedRate({ encoder }: Pick<EncoderSettings, 'encoder'>, rate: IRational): IRational {
  const { leastFps, mostFps: most } = LIMITS_OF_AV1
  const fps = rate.num / rate.den
  if (encoder !== 'libsvtav1' || (fps >= leastFps && fps <= most)) return rate
  return { num: fps < leastFps ? leastFps : most, den: 1 }
}

type Options = EncoderSettings['options']
type Request = {
  readonly speed: Speed
  readonly lossless: boolean
  readonly hasAlpha: boolean
  readonly hdr: HdrMetadata | undefined
}

type Coding = Pick<EncoderSettings, 'encoder' | 'leastSide'> & {
  readonly options: (request: Request) => Options
  /** Used if the recipe sets neither `crf` nor `bitrate`: good quality at a moderate size. */
  readonly defaultCrf: number
  readonly highestCrf: number
}

export const CODINGS: Readonly<Record<EncodedCodec, Coding>> = {
  h264: { encoder: 'libx264', options: x264Options, leastSide: 2, defaultCrf: 23, highestCrf: 51 },
  hevc: { encoder: 'libx265', options: x265Options, leastSide: 16, defaultCrf: 26, highestCrf: 51 },
  vp9: { encoder: 'libvpx-vp9', options: vp9Options, leastSide: 2, defaultCrf: 33, highestCrf: 63 },
  av1: { encoder: 'libsvtav1', options: svtOptions, leastSide: 64, defaultCrf: 35, highestCrf: 63 },
  webp: { encoder: 'libwebp_anim', options: webpOptions, leastSide: 1, defaultCrf: 20, highestCrf: 63 },
  gif: { encoder: 'gif', options: () => ({}), leastSide: 1, defaultCrf: 20, highestCrf: 63 },
}

/** Returns whether the recipe keeps audio. Animated images don't have any. */
export const hasAudio = ({ codec, audio }: VideoRecipe): boolean => !isAnimation(codec) && audio !== 'none'

/** Maximum frame rate of a GIF. Its clock has steps of 10 ms, and browsers slow down frames shorter than 20 ms. */
const MOST_FPS_OF_GIF = 30

export const mostFps = ({ codec, fps }: Pick<VideoRecipe, 'codec' | 'fps'>): number | undefined =>
  codec === 'gif' ? Math.min(fps ?? MOST_FPS_OF_GIF, MOST_FPS_OF_GIF) : fps

/** Returns whether the recipe requires that every pixel stays the same. */
export const isLossless = ({ crf, bitrate }: Pick<VideoRecipe, 'crf' | 'bitrate'>): boolean =>
  crf === 0 && bitrate === undefined

export const keepsEverySample = (recipe: VideoRecipe): boolean =>
  recipe.codec === 'copy' || isLossless(recipe)

export const isAudioOnly = ({ codec }: VideoRecipe): boolean => codec === 'none'

export function encoderSettings(
  codec: EncodedCodec,
  recipe: VideoRecipe,
  hasAlpha: boolean,
  hdr?: HdrMetadata,
): EncoderSettings {
  const lossless = isLossless(recipe)
  const { encoder, options, leastSide, defaultCrf, highestCrf } = CODINGS[codec]
  const crf = Math.min(recipe.crf ?? defaultCrf, highestCrf)
  const quality: Options =
    recipe.bitrate === undefined && !(lossless && codec === 'h264') ? qualityOptions(codec, crf) : {}
  return {
    encoder,
    options: { ...quality, ...options({ speed: recipe.speed, lossless, hasAlpha, hdr }) },
    bitrate: supportedBitrate(codec, recipe),
    lossless,
    leastSide,
  }
}

function qualityOptions(codec: EncodedCodec, crf: number): Options {
  if (codec === 'gif') return {}
  // WebP's quality scale is inverted compared with crf: 100 is the best quality.
  return codec === 'webp'
    ? { quality: String(Math.round(100 * (1 - crf / CODINGS.webp.highestCrf))) }
    : { crf: String(crf) }
}

/** Sets a quantizer of 0 for lossless results, because a constant quality of 0 is lossless only for 8 bits. */
function x264Options({ speed, lossless }: Request): Options {
  return { preset: speed, ...(lossless ? { qp: '0' } : {}) }
}

function x265Options({ speed, lossless, hdr }: Request): Options {
  const said = hdr === undefined ? [] : x265Hdr(hdr)
  const words = ['log-level=none', ...(lossless ? ['lossless=1'] : []), ...said]
  return { preset: speed, 'x265-params': words.join(':') }
}

function vp9Options({ speed, lossless, hasAlpha }: Request): Options {
  return {
    deadline: speed === 'ultrafast' ? 'realtime' : 'good',
    'cpu-used': String(SPEEDS[speed].cpuUsed),
    'row-mt': '1',
    ...(lossless ? { lossless: '1' } : {}),
    // Alpha is encoded as a second stream, which can't stay in step with alternate reference frames, because they are never shown.
    ...(hasAlpha ? { 'auto-alt-ref': '0' } : {}),
  }
}

function svtOptions({ speed, lossless, hdr }: Request): Options {
  const words = [...(lossless ? ['lossless=1'] : []), ...(hdr === undefined ? [] : svtHdr(hdr))]
  return {
    preset: String(SPEEDS[speed].preset),
    ...(words.length === 0 ? {} : { 'svtav1-params': words.join(':') }),
  }
}

function webpOptions({ speed, lossless }: Request): Options {
  return { compression_level: String(SPEEDS[speed].level), lossless: lossless ? '1' : '0' }
}
