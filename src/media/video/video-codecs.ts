/** Opens decoders and encoders for video tracks. */
import { failed } from '../../shared/failure/failure-error.ts'
import {
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_CODEC_FLAG_QSCALE,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PKT_DATA_DOVI_CONF,
  FF_DECODER_LIBVPX_VP8,
  FF_DECODER_LIBVPX_VP9,
  FF_ENCODER_FFV1,
  FF_ENCODER_GIF,
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
  type Frame,
  type HardwareFramesContext,
  type IRational,
  Rational,
  type Stream,
} from 'node-av/lib'
import { decoderThreads, withThreads } from './codec-threads.ts'
import { type EncoderSettings, supportedRate } from './encoder-settings.ts'
import { codecName, mustSucceed, openDecoder, pixelFormatOf, withOptions } from '../ffmpeg/ffmpeg.ts'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'
import { encoderOver, type OpenEncoder, type VideoEncoder } from './video-encoder.ts'
import { ENCODER_FLAGS } from './target-file.ts'

/** Chooses a decoder. FFmpeg's own VP8 and VP9 decoders drop the alpha channel; libvpx keeps it. */
function decoderFor(stream: Stream): Codec | null {
  if (stream.metadata?.get('alpha_mode') === '1') {
    const name = codecName(stream)
    if (name === 'vp9') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP9)
    if (name === 'vp8') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP8)
  }
  return Codec.findDecoder(stream.codecpar.codecId)
}

/** Offset of the byte in the Dolby Vision configuration that contains the profile. */
const DOLBY_PROFILE_BYTE = 2
/** The Dolby Vision profile with proprietary colors. It doesn't have a base layer that ordinary decoders could show correctly. */
const DOLBY_PROFILE_ALONE = 5

function refuseUnknownColors(stream: Stream): void {
  const configuration = stream.codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF)
  if (configuration?.[DOLBY_PROFILE_BYTE] !== DOLBY_PROFILE_ALONE) return
  throw failed('dolbyVision')
}

/** @throws FailureError if FFmpeg can't decode the video with correct colors */
export async function openVideoDecoder(stream: Stream): Promise<CodecContext> {
  refuseUnknownColors(stream)
  const codec = decoderFor(stream)
  if (codec === null) throw failed('noVideoDecoder', { codec: codecName(stream).toUpperCase() })
  return openDecoder(codec, stream.codecpar, { timeBase: stream.timeBase, threads: decoderThreads() })
}

const ENCODERS = {
  libx264: FF_ENCODER_LIBX264,
  libx265: FF_ENCODER_LIBX265,
  'libvpx-vp9': FF_ENCODER_LIBVPX_VP9,
  libsvtav1: FF_ENCODER_LIBSVTAV1,
  libwebp_anim: FF_ENCODER_LIBWEBP_ANIM,
  gif: FF_ENCODER_GIF,
  ffv1: FF_ENCODER_FFV1,
} as const

function codecOf(settings: EncoderSettings): Codec {
  const codec = Codec.findEncoderByName(ENCODERS[settings.encoder])
  if (codec === null) throw new Error(`This build of FFmpeg has no encoder ${settings.encoder}`)
  return codec
}

export function encoderFormats(settings: EncoderSettings): string[] {
  return (codecOf(settings).pixelFormats ?? []).flatMap((format) => avGetPixFmtName(format) ?? [])
}

export type EncoderOpening = Pick<EncoderSettings, 'options' | 'bitrate'> & {
  readonly codec: Codec
  readonly pixelFormat: AVPixelFormat
  /** FFmpeg's generic quality setting, for encoders that don't have their own. */
  readonly globalQuality?: number
  /** Set if the frames are in GPU memory. */
  readonly memory?: HardwareFramesContext
}

export function softwareEncoder(settings: EncoderSettings): OpenEncoder {
  return async (first, rate) => {
    const pixelFormat = pixelFormatOf(first.frame)
    const options = { ...withThreads(settings), ...fieldOptions(first.frame, settings.encoder) }
    const opening = { ...settings, options, codec: codecOf(settings), pixelFormat }
    const encoder = encoderOver(await openEncoder(opening, first, supportedRate(settings, rate)))
    return settings.encoder === 'libx264' ? inOneFieldOrder(encoder, first.frame) : encoder
  }
}

/**
 * Gives all frames the first frame's field order. FFmpeg would pass a different order to x264, which would then encode frames that decoders
 * reconstruct differently.
 */
function inOneFieldOrder(encoder: VideoEncoder, first: Frame): VideoEncoder {
  const isTop = isTopFirst(first)
  return {
    ...encoder,
    send(frame) {
      if (isTop) frame?.setFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST)
      else frame?.clearFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST)
      return encoder.send(frame)
    },
  }
}

const isTopFirst = (frame: Frame): boolean => frame.hasFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST)

/**
 * Returns options for frames that keep their fields, so that players know about them.
 * x264 expects the top field first unless it gets the order when it is opened.
 */
function fieldOptions(frame: Frame, encoder: EncoderSettings['encoder']): EncoderSettings['options'] {
  if (!frame.hasFlags(AV_FRAME_FLAG_INTERLACED)) return {}
  const isTop = isTopFirst(frame)
  const order = { field_order: isTop ? 'tt' : 'bb' }
  return encoder === 'libx264'
    ? { ...order, flags: '+ildct', 'x264-params': isTop ? 'tff=1' : 'bff=1' }
    : order
}

/** @param first the first frame; all others have the same format and size */
export async function openEncoder(
  { codec, pixelFormat, bitrate, options: chosen, globalQuality, memory }: EncoderOpening,
  { frame: sample, timeBase }: TimedFrame,
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
