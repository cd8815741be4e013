/** Encodes animations as PNG and JPEG XL, because sharp can't. */
import {
  AV_PIX_FMT_GRAY16BE,
  AV_PIX_FMT_GRAY8,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_RGB48BE,
  AV_PIX_FMT_RGBA,
  AV_PIX_FMT_RGBA64BE,
  AV_PIX_FMT_YA16BE,
  AV_PIX_FMT_YA8,
  type AVPixelFormat,
  FF_ENCODER_APNG,
} from 'node-av/constants'
import { Codec, CodecContext, Rational } from 'node-av/lib'
import { frameOfPixels, mustSucceed, packetsFrom, silenceFfmpeg, withOptions } from '../ffmpeg/ffmpeg.ts'
import type { Animation } from './animation.ts'
import { joinApng } from './apng.ts'
import type { EncodedImage } from './encode-image.ts'
import { encodeJpegXlFrames, type JpegXlSettings } from './jpeg-xl.ts'
import { withPngProfile } from './png-colors.ts'
import type { RawImage } from './raw-image.ts'
import { headerChunk } from './stored-png.ts'

/** Splits a strip of frames that are stacked vertically. */
function framesIn(strip: RawImage, count: number): readonly RawImage[] {
  const height = strip.height / count
  const bytes = strip.pixels.byteLength / count
  return Array.from({ length: count }, (_, index) => ({
    ...strip,
    height,
    pixels: strip.pixels.subarray(index * bytes, (index + 1) * bytes),
  }))
}

export async function encodeJpegXlStrip(
  strip: RawImage,
  { delays }: Animation,
  settings: JpegXlSettings,
): Promise<EncodedImage> {
  const frames = framesIn(strip, delays.length)
  const bytes = await encodeJpegXlFrames(frames, settings, delays)
  return { bytes, width: strip.width, height: strip.height / frames.length }
}

const APNG_FORMATS: Readonly<Record<8 | 16, readonly AVPixelFormat[]>> = {
  8: [AV_PIX_FMT_GRAY8, AV_PIX_FMT_YA8, AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA],
  16: [AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_YA16BE, AV_PIX_FMT_RGB48BE, AV_PIX_FMT_RGBA64BE],
}

/** zlib's levels from 0 to 9. */
const COMPRESSION = { fast: 6, small: 9 } as const

export async function encodeApng(
  strip: RawImage,
  animation: Animation,
  effort: keyof typeof COMPRESSION,
): Promise<EncodedImage> {
  silenceFfmpeg()
  const { width, channels, depth = 8, metadata } = strip
  const frames = framesIn(strip, animation.delays.length)
  const height = strip.height / frames.length
  const format = APNG_FORMATS[depth][channels - 1]
  const codec = Codec.findEncoderByName(FF_ENCODER_APNG)
  if (codec === null || format === undefined) throw new Error('FFmpeg was built without APNG.')
  using encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.width = width
  encoder.height = height
  encoder.pixelFormat = format
  encoder.timeBase = new Rational(1, 1000)
  encoder.threadCount = 1
  encoder.setOption('compression_level', COMPRESSION[effort])
  mustSucceed(await withOptions({ pred: 'mixed' }, (options) => encoder.open2(codec, options)), 'encoded')
  const encoded: Buffer[] = []
  const take = async () => {
    for await (const packet of packetsFrom((one) => encoder.receivePacket(one))) {
      if (packet.data !== null && packet.data.length > 0) encoded.push(Buffer.from(packet.data))
      packet.free()
    }
  }
  for (const [index, { pixels }] of frames.entries()) {
    const bytes = Buffer.from(pixels)
    using frame = frameOfPixels(depth === 16 ? bytes.swap16() : bytes, { width, height }, format)
    frame.pts = BigInt(index)
    mustSucceed(await encoder.sendFrame(frame), 'encoded')
    await take()
  }
  mustSucceed(await encoder.sendFrame(null), 'encoded')
  await take()
  const head = headerChunk({ width, height, channels, depth })
  const png = joinApng(head, encoded, animation)
  return { bytes: metadata.icc === undefined ? png : withPngProfile(png, metadata.icc), width, height }
}
