/** Opens what turns pictures into packets, with the settings and the colours of the pictures it will get. */
import {
  AV_CODEC_FLAG_FRAME_DURATION,
  FF_ENCODER_LIBSVTAV1,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_LIBX265,
} from 'node-av/constants'
import { avGetPixFmtName, Codec, CodecContext, type Frame, type IRational, Rational } from 'node-av/lib'
import type { EncoderSettings } from './encoder-settings.ts'
import { mustSucceed } from './media-failure.ts'
import { pixelFormatOf } from './sample-kinds.ts'
import { ENCODER_FLAGS } from './target-file.ts'
import { withOptions } from './with-options.ts'

const ENCODERS = {
  libx264: FF_ENCODER_LIBX264,
  libx265: FF_ENCODER_LIBX265,
  'libvpx-vp9': FF_ENCODER_LIBVPX_VP9,
  libsvtav1: FF_ENCODER_LIBSVTAV1,
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

/** @param sample the first picture to be encoded; all others are like it */
export async function openPictureEncoder(
  settings: EncoderSettings,
  sample: Frame,
  timeBase: IRational,
  frameRate: IRational,
): Promise<CodecContext> {
  const codec = codecOf(settings)
  const encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.width = sample.width
  encoder.height = sample.height
  encoder.pixelFormat = pixelFormatOf(sample)
  encoder.sampleAspectRatio = sample.sampleAspectRatio
  encoder.colorRange = sample.colorRange
  encoder.colorPrimaries = sample.colorPrimaries
  encoder.colorTrc = sample.colorTrc
  encoder.colorSpace = sample.colorSpace
  encoder.chromaLocation = sample.chromaLocation
  encoder.timeBase = new Rational(timeBase.num, timeBase.den)
  encoder.framerate = new Rational(frameRate.num, frameRate.den)
  encoder.threadCount = 0
  if (settings.bitrate !== undefined) encoder.bitRate = BigInt(settings.bitrate)
  encoder.setFlags(ENCODER_FLAGS, AV_CODEC_FLAG_FRAME_DURATION)
  const opened = await withOptions(settings.options, (options) => encoder.open2(codec, options))
  mustSucceed(opened, 'encoded')
  return encoder
}
