/** JPEG XL by FFmpeg's libjxl: pixels to a file and back. */
import { readFile } from 'node:fs/promises'
import {
  AV_CODEC_ID_JPEGXL,
  AV_FRAME_DATA_ICC_PROFILE,
  AV_LOG_QUIET,
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
} from 'node-av/constants'
import { Codec, CodecContext, FFmpegError, Frame, Log, Packet, Rational } from 'node-av/lib'
import { pixelFormatName, pixelFormatOf, withOptions } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain } from '../ffmpeg/filter-chain.ts'
import { frameOfPixels } from '../ffmpeg/frame-of-pixels.ts'
import { hdrColours } from './hdr-colours.ts'
import { readMetadata, sizeOf, withMetadata } from './jpeg-xl-file.ts'
import { profileFor } from './matrix-profile.ts'
import { damagedPicture, MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './picture-failure.ts'
import type { RawPicture } from './raw-picture.ts'

type Shape = Required<Pick<RawPicture, 'channels' | 'depth'>>

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
  /** Butteraugli's: 0 is without any loss, 1 can hardly be told from the original. */
  readonly distance: number
  /** 1 to 9. */
  readonly effort: number
}

/** Profile, Exif data, XMP, alpha and 16 bits go along. */
export async function encodeJpegXl(
  picture: RawPicture,
  { distance, effort }: JpegXlSettings,
): Promise<Buffer> {
  Log.setLevel(AV_LOG_QUIET)
  const codec = Codec.findEncoderByName(FF_ENCODER_LIBJXL)
  if (codec === null) throw new Error('FFmpeg was built without JPEG XL.')
  const encoder = new CodecContext()
  const frame = frameOf(picture)
  const packet = new Packet()
  packet.alloc()
  try {
    encoder.allocContext3(codec)
    encoder.width = picture.width
    encoder.height = picture.height
    encoder.pixelFormat = pixelFormatOf(frame)
    encoder.timeBase = new Rational(1, 1)
    encoder.threadCount = 1
    must(await withOptions({ distance, effort }, (options) => encoder.open2(codec, options)))
    must(await encoder.sendFrame(frame))
    must(await encoder.sendFrame(null))
    must(await encoder.receivePacket(packet))
    return withMetadata(packet.data ?? Buffer.alloc(0), picture.metadata)
  } finally {
    packet.free()
    frame.free()
    encoder.freeContext()
  }
}

function frameOf({ pixels, width, height, channels, depth = 8, metadata, hdr }: RawPicture): Frame {
  const [format] = [...SHAPES].find(([, shape]) => shape.channels === channels && shape.depth === depth) ?? []
  if (format === undefined) throw new Error(`No picture has ${channels} channels of ${depth} bits.`)
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

/** Upright: libjxl turns the pixels as the file asks. @throws ProcessingError where the file is damaged or too large */
export async function decodeJpegXl(filePath: string): Promise<RawPicture> {
  return decodeJpegXlBytes(await readFile(filePath))
}

/** The same of what is in memory already. */
export async function decodeJpegXlBytes(file: Buffer): Promise<RawPicture> {
  Log.setLevel(AV_LOG_QUIET)
  const size = sizeOf(file)
  if (size === undefined) throw damagedPicture('no picture was found in it')
  refuseTooManyPixels(size.width, size.height, 1, MAX_PIXELS_IN_MEMORY)
  const frame = await decodeFrame(file)
  try {
    const icc = frame.getSideData(AV_FRAME_DATA_ICC_PROFILE) ?? undefined
    const named = { primaries: frame.colorPrimaries, transfer: frame.colorTrc }
    const metadata = { ...metadataOf(file), icc: icc === undefined ? profileFor(named) : Buffer.from(icc) }
    return { ...(await pixelsOf(frame)), metadata, hdr: hdrColours(frame.colorPrimaries, frame.colorTrc) }
  } finally {
    frame.free()
  }
}

function metadataOf(file: Buffer) {
  try {
    return readMetadata(file)
  } catch (error) {
    if (error instanceof RangeError) return {}
    throw error
  }
}

async function decodeFrame(file: Buffer): Promise<Frame> {
  const codec = Codec.findDecoder(AV_CODEC_ID_JPEGXL)
  if (codec === null) throw new Error('FFmpeg was built without JPEG XL.')
  const decoder = new CodecContext()
  const packet = new Packet()
  packet.alloc()
  const frame = new Frame()
  frame.alloc()
  try {
    decoder.allocContext3(codec)
    decoder.threadCount = 1
    must(await decoder.open2(codec, null))
    packet.data = file
    for (const step of [
      () => decoder.sendPacket(packet),
      () => decoder.sendPacket(null),
      () => decoder.receiveFrame(frame),
    ]) {
      const code = await step()
      if (code < 0) throw damagedPicture('the picture could not be decoded')
    }
    return frame
  } catch (error) {
    frame.free()
    throw error
  } finally {
    packet.free()
    decoder.freeContext()
  }
}

async function pixelsOf(frame: Frame): Promise<Omit<RawPicture, 'metadata'>> {
  const shape = SHAPES.get(pixelFormatOf(frame))
  const { width, height } = frame
  if (shape !== undefined) return { pixels: frame.toBuffer(), width, height, ...shape }
  return withWholeNumbers(frame)
}

/** Pictures of floating-point numbers, which sharp would not keep either. */
async function withWholeNumbers(frame: Frame): Promise<Omit<RawPicture, 'metadata'>> {
  const { width, height } = frame
  const parameters = `video_size=${width}x${height}:pix_fmt=${pixelFormatName(frame)}:time_base=1/1:pixel_aspect=1/1`
  const chain = await createFilterChain({ kind: 'picture', parameters }, 'format=rgba64le')
  try {
    await chain.put(frame)
    await chain.put(null)
    const [whole] = chain.ready()
    if (whole === undefined) throw damagedPicture('the picture could not be decoded')
    const pixels = whole.toBuffer()
    whole.free()
    return { pixels, width, height, channels: 4, depth: 16 }
  } finally {
    chain.free()
  }
}

function must(code: number): void {
  if (code < 0) throw new Error(`JPEG XL: ${FFmpegError.strerror(code)}`)
}
