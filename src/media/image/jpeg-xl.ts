/** Encodes and decodes JPEG XL with FFmpeg's libjxl. */
import { MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import { damagedFile } from '../damaged-file.ts'
import {
  AV_CODEC_ID_JPEGXL,
  AV_FRAME_DATA_ICC_PROFILE,
  AV_PIX_FMT_GRAY16LE,
  AV_PIX_FMT_GRAY8,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_RGB48LE,
  AV_PIX_FMT_RGBA,
  AV_PIX_FMT_RGBA64LE,
  AV_PIX_FMT_YA16LE,
  AV_PIX_FMT_YA8,
  AVCOL_PRI_BT709,
  AVCOL_RANGE_JPEG,
  AVCOL_SPC_RGB,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_IEC61966_2_1,
  AVCOL_TRC_SMPTE2084,
  type AVColorPrimaries,
  type AVPixelFormat,
  FF_ENCODER_LIBJXL,
  FF_ENCODER_LIBJXL_ANIM,
} from 'node-av/constants'
import { Codec, CodecContext, CodecParser, FFmpegError, type Frame, Rational } from 'node-av/lib'
import {
  frameOfPixels,
  newFrame,
  newPacket,
  packetsFrom,
  pixelFormatOf,
  silenceFfmpeg,
  withOptions,
} from '../ffmpeg/ffmpeg.ts'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import { hdrColors } from './hdr-colors.ts'
import { codestreamOf, headerOf } from './jpeg-xl-file.ts'
import { isSrgb, numbersOf, profileOf } from './matrix-profile.ts'
import { refuseTooManyPixels, unlessTooShort } from './image-failure.ts'
import type { RawImage } from './raw-image.ts'
import { withStraightAlpha } from './straight-alpha.ts'

type Shape = Required<Pick<RawImage, 'channels' | 'depth'>>

const SHAPES = new Map<AVPixelFormat, Shape>([
  [AV_PIX_FMT_GRAY8, { channels: 1, depth: 8 }],
  [AV_PIX_FMT_YA8, { channels: 2, depth: 8 }],
  [AV_PIX_FMT_RGB24, { channels: 3, depth: 8 }],
  [AV_PIX_FMT_RGBA, { channels: 4, depth: 8 }],
  [AV_PIX_FMT_GRAY16LE, { channels: 1, depth: 16 }],
  [AV_PIX_FMT_YA16LE, { channels: 2, depth: 16 }],
  [AV_PIX_FMT_RGB48LE, { channels: 3, depth: 16 }],
  [AV_PIX_FMT_RGBA64LE, { channels: 4, depth: 16 }],
])

const CURVES = { pq: AVCOL_TRC_SMPTE2084, hlg: AVCOL_TRC_ARIB_STD_B67 } as const

export type JpegXlSettings = {
  /** Butteraugli distance: 0 is lossless, 1 is hard to tell from the original. */
  readonly distance: number
  /** Effort from 1 to 9. */
  readonly effort: number
}

/** Encodes an image with its profile and alpha, at up to 16 bits. */
export const encodeJpegXl = (image: RawImage, settings: JpegXlSettings): Promise<Buffer> =>
  encodeFrames([image], settings, FF_ENCODER_LIBJXL)

/** Encodes an animation with its profile and alpha, at up to 16 bits. The animation plays endlessly. */
export function encodeJpegXlFrames(
  frames: readonly RawImage[],
  settings: JpegXlSettings,
  delays: readonly number[],
): Promise<Buffer> {
  const times = delays.map((delay) => Math.round(delay))
  const [last, previous] = [times.at(-1) ?? 0, times.at(-2)]
  if (last === previous) return encodeFrames(frames, settings, FF_ENCODER_LIBJXL_ANIM, times)
  // FFmpeg gives the last frame the duration of the one before it, so the last frame is stored twice.
  const half = Math.max(1, Math.round(last / 2))
  const both = [...times.slice(0, -1), half, half]
  return encodeFrames([...frames, ...frames.slice(-1)], settings, FF_ENCODER_LIBJXL_ANIM, both)
}

async function encodeFrames(
  images: readonly RawImage[],
  { distance, effort }: JpegXlSettings,
  name: typeof FF_ENCODER_LIBJXL | typeof FF_ENCODER_LIBJXL_ANIM,
  delays: readonly number[] = [],
): Promise<Buffer> {
  silenceFfmpeg()
  const codec = Codec.findEncoderByName(name)
  const [first] = images
  if (codec === null || first === undefined) throw new Error('FFmpeg was built without JPEG XL.')
  using encoder = new CodecContext()
  encoder.allocContext3(codec)
  const coded: Buffer[] = []
  const take = async () => {
    for await (const packet of packetsFrom((one) => encoder.receivePacket(one))) {
      if (packet.data !== null) coded.push(Buffer.from(packet.data))
      packet.free()
    }
  }
  let time = 0
  for (const [index, image] of images.entries()) {
    using frame = frameOf(image)
    const delay = delays[index] ?? 1
    frame.pts = BigInt(time)
    frame.duration = BigInt(delay)
    time += delay
    if (index === 0) {
      encoder.width = image.width
      encoder.height = image.height
      encoder.pixelFormat = pixelFormatOf(frame)
      encoder.timeBase = new Rational(1, MS_PER_SECOND)
      encoder.threadCount = 1
      must(await withOptions({ distance, effort }, (options) => encoder.open2(codec, options)))
    }
    must(await encoder.sendFrame(frame))
    await take()
  }
  must(await encoder.sendFrame(null))
  await take()
  return Buffer.concat(coded)
}

const MS_PER_SECOND = 1000

function frameOf({ pixels, width, height, channels, depth = 8, metadata, hdr }: RawImage): Frame {
  const [format] = [...SHAPES].find(([, shape]) => shape.channels === channels && shape.depth === depth) ?? []
  if (format === undefined)
    throw new Error(`Unsupported pixel format: ${channels} channels of ${depth} bits.`)
  const bytes = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  const frame = frameOfPixels(bytes, { width, height }, format)
  frame.colorSpace = AVCOL_SPC_RGB
  frame.colorRange = AVCOL_RANGE_JPEG
  frame.colorPrimaries = hdr === undefined ? AVCOL_PRI_BT709 : (hdr.primaries as AVColorPrimaries)
  frame.colorTrc = hdr === undefined ? AVCOL_TRC_IEC61966_2_1 : CURVES[hdr.curve]
  const { icc } = metadata
  if (icc !== undefined) icc.copy(frame.newSideData(AV_FRAME_DATA_ICC_PROFILE, icc.length))
  return frame
}

/**
 * Decodes a file to upright pixels. libjxl applies the file's orientation.
 * @throws FailureError if the file is damaged or too large
 */
export async function decodeJpegXl(file: Buffer): Promise<RawImage> {
  silenceFfmpeg()
  const coded = unlessTooShort(() => codestreamOf(file))
  if (coded === undefined) throw damagedFile('imageMissing')
  const header = headerOf(coded)
  refuseTooManyPixels(header.width, header.height, 1, MAX_PIXELS_IN_MEMORY)
  using frame = await decodeFrame(coded)
  const icc = frame.getSideData(AV_FRAME_DATA_ICC_PROFILE) ?? undefined
  const named = numbersOf({ primaries: frame.colorPrimaries, transfer: frame.colorTrc }, 'camera')
  const profile = named === undefined || isSrgb(named) ? undefined : profileOf(named)
  const metadata = { icc: icc === undefined ? profile : Buffer.from(icc) }
  const pixels = await pixelsOf(frame)
  const image = header.isPremultiplied ? withStraightAlpha(pixels) : pixels
  return { ...image, metadata, hdr: hdrColors(frame.colorPrimaries, frame.colorTrc) }
}

/**
 * Returns the codestream without any data after it in its file or box. Decoders skip such data.
 * @returns undefined if its end can't be found
 */
export function withoutTail(coded: Buffer): Buffer | undefined {
  silenceFfmpeg()
  using parser = new CodecParser()
  using context = new CodecContext()
  using packet = newPacket()
  parser.init(AV_CODEC_ID_JPEGXL)
  context.allocContext3(Codec.findDecoder(AV_CODEC_ID_JPEGXL))
  const end = parser.parse2(context, packet, coded, 0n, 0n, 0)
  return packet.size > 0 && end > 0 ? coded.subarray(0, end) : undefined
}

async function decodeFrame(coded: Buffer): Promise<Frame> {
  const codec = Codec.findDecoder(AV_CODEC_ID_JPEGXL)
  if (codec === null) throw new Error('FFmpeg was built without JPEG XL.')
  using decoder = new CodecContext()
  using packet = newPacket()
  decoder.allocContext3(codec)
  decoder.threadCount = 1
  must(await decoder.open2(codec, null))
  packet.data = coded
  const frame = newFrame()
  for (const step of [
    () => decoder.sendPacket(packet),
    () => decoder.sendPacket(null),
    () => decoder.receiveFrame(frame),
  ]) {
    if ((await step()) >= 0) continue
    frame.free()
    throw damagedFile('imageNotDecodable')
  }
  return frame
}

async function pixelsOf(frame: Frame): Promise<Omit<RawImage, 'metadata'>> {
  const shape = SHAPES.get(pixelFormatOf(frame))
  const { width, height } = frame
  if (shape !== undefined) return { pixels: frame.toBuffer(), width, height, ...shape }
  // Converts floating-point images to 16-bit integers, because sharp can't keep floating-point samples.
  using whole = await filterFrame(frame, 'format=rgba64le')
  if (whole === undefined) throw damagedFile('imageNotDecodable')
  return { pixels: whole.toBuffer(), width, height, channels: 4, depth: 16 }
}

function must(code: number): void {
  if (code < 0) throw new Error(`JPEG XL: ${FFmpegError.strerror(code)}`)
}
