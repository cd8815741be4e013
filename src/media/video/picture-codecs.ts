/** Opens what turns a video track's packets into pictures, and pictures into packets. */
import {
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_CODEC_FLAG_QSCALE,
  AV_PKT_DATA_DOVI_CONF,
  FF_DECODER_LIBVPX_VP8,
  FF_DECODER_LIBVPX_VP9,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBWEBP_ANIM,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
  type AVPixelFormat,
} from 'node-av/constants'
import {
  avGetPixFmtName,
  Codec,
  CodecContext,
  type HardwareFramesContext,
  type IRational,
  Rational,
  type Stream,
} from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'
import type { EncoderSettings } from './encoder-settings.ts'
import { codecName, mustSucceed, pixelFormatOf, withOptions } from '../ffmpeg/ffmpeg.ts'
import { encoderOver, type FirstPicture, type OpenEncoder } from './picture-encoder.ts'
import { ENCODER_FLAGS } from './target-file.ts'

/** More than any camera makes; a header that promises more is meant to exhaust the memory. */
const MOST_PIXELS = 16_384 * 8_192

/** FFmpeg's own VP8 and VP9 decoders drop transparency; libvpx keeps it. */
function decoderFor(stream: Stream): Codec | null {
  if (stream.metadata?.get('alpha_mode') === '1') {
    const name = codecName(stream)
    if (name === 'vp9') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP9)
    if (name === 'vp8') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP8)
  }
  return Codec.findDecoder(stream.codecpar.codecId)
}

/** The third byte of the Dolby Vision configuration. */
const DOLBY_PROFILE_BYTE = 2
/** This one has colours of its own kind and no picture beneath that ordinary decoders show rightly. */
const DOLBY_PROFILE_ALONE = 5

function refuseUnknownColours(stream: Stream): void {
  const configuration = stream.codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF)
  if (configuration?.[DOLBY_PROFILE_BYTE] !== DOLBY_PROFILE_ALONE) return
  throw new ProcessingError('The colours of Dolby Vision profile 5 can’t be converted.')
}

/** @throws ProcessingError where the pictures can't be decoded, or not with their right colours */
export async function openPictureDecoder(stream: Stream): Promise<CodecContext> {
  refuseUnknownColours(stream)
  const codec = decoderFor(stream)
  if (codec === null)
    throw new ProcessingError(`There is no decoder for ${codecName(stream).toUpperCase()} video.`)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(stream.codecpar), 'decoded')
  decoder.pktTimebase = stream.timeBase
  // The library's default is one thread; 0 is one for each core, pictures and slices alike.
  decoder.threadCount = 0
  const opened = await withOptions({ max_pixels: MOST_PIXELS }, (options) => decoder.open2(codec, options))
  mustSucceed(opened, 'decoded')
  return decoder
}

const ENCODERS = {
  libx264: FF_ENCODER_LIBX264,
  libx265: FF_ENCODER_LIBX265,
  'libvpx-vp9': FF_ENCODER_LIBVPX_VP9,
  libsvtav1: FF_ENCODER_LIBSVTAV1,
  libwebp_anim: FF_ENCODER_LIBWEBP_ANIM,
} as const

function codecOf(settings: EncoderSettings): Codec {
  const codec = Codec.findEncoderByName(ENCODERS[settings.encoder])
  if (codec === null) throw new Error(`This build of FFmpeg has no encoder ${settings.encoder}`)
  return codec
}

/** The names of the pixel formats that the encoder takes. */
export function encoderFormats(settings: EncoderSettings): string[] {
  return (codecOf(settings).pixelFormats ?? []).flatMap((format) => avGetPixFmtName(format) ?? [])
}

/** What an encoder is opened with, beside the pictures themselves. */
export type EncoderOpening = Pick<EncoderSettings, 'options' | 'bitrate'> & {
  readonly codec: Codec
  /** Of the pictures as the encoder gets them. */
  readonly pixelFormat: AVPixelFormat
  /** FFmpeg's general measure, for encoders that have none of their own. */
  readonly globalQuality?: number
  /** Where the pictures lie, if that isn't ordinary memory. */
  readonly memory?: HardwareFramesContext
}

/** On the processor, with the settings of a recipe. */
export function softwareEncoder(settings: EncoderSettings): OpenEncoder {
  return async (first, rate) => {
    const pixelFormat = pixelFormatOf(first.frame)
    return encoderOver(await openEncoder({ ...settings, codec: codecOf(settings), pixelFormat }, first, rate))
  }
}

/** @param first of the pictures; all others are like it */
export async function openEncoder(
  { codec, pixelFormat, bitrate, options: chosen, globalQuality, memory }: EncoderOpening,
  { frame: sample, timeBase }: FirstPicture,
  rate: IRational,
): Promise<CodecContext> {
  const encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.width = sample.width
  encoder.height = sample.height
  encoder.pixelFormat = pixelFormat
  encoder.sampleAspectRatio = sample.sampleAspectRatio
  encoder.colorRange = sample.colorRange
  encoder.colorPrimaries = sample.colorPrimaries
  encoder.colorTrc = sample.colorTrc
  encoder.colorSpace = sample.colorSpace
  encoder.chromaLocation = sample.chromaLocation
  encoder.timeBase = new Rational(timeBase.num, timeBase.den)
  encoder.framerate = new Rational(rate.num, rate.den)
  encoder.threadCount = 0
  if (memory !== undefined) encoder.hwFramesCtx = memory
  if (bitrate !== undefined) encoder.bitRate = BigInt(bitrate)
  encoder.setFlags(ENCODER_FLAGS, AV_CODEC_FLAG_FRAME_DURATION)
  if (globalQuality !== undefined) {
    encoder.setFlags(AV_CODEC_FLAG_QSCALE)
    encoder.globalQuality = globalQuality
  }
  const opened = await withOptions(chosen, (options) => encoder.open2(codec, options))
  if (opened >= 0) return encoder
  encoder.freeContext()
  mustSucceed(opened, 'encoded')
  return encoder
}
