/** Decodes an image with FFmpeg, as a second opinion on what libvips and our own decoders made of it. */
import { readFile } from 'node:fs/promises'
import {
  AV_CODEC_ID_BMP,
  AV_CODEC_ID_GIF,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_PNG,
  AV_CODEC_ID_TIFF,
  AV_CODEC_ID_WEBP,
  AV_LOG_QUIET,
  type AVCodecID,
} from 'node-av/constants'
import { Codec, CodecContext, Log } from 'node-av/lib'
import sharp from 'sharp'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import { newFrame, newPacket } from '../ffmpeg/ffmpeg.ts'
import type { SourceFormat } from '../image/source-image.ts'

const CODECS: Readonly<Partial<Record<SourceFormat, AVCodecID>>> = {
  bmp: AV_CODEC_ID_BMP,
  gif: AV_CODEC_ID_GIF,
  jpeg: AV_CODEC_ID_MJPEG,
  png: AV_CODEC_ID_PNG,
  tiff: AV_CODEC_ID_TIFF,
  webp: AV_CODEC_ID_WEBP,
}

/** Larger images are scaled to this side, because only 32 pixels are compared. */
const LONGEST_SIDE = 512

type RawPixels = {
  readonly pixels: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
}
/** Upright pixels. */
export type OtherImage = RawPixels

/** @returns the upright image as RGBA, reduced; undefined if FFmpeg can't decode it */
export async function otherDecode(path: string, format: SourceFormat): Promise<OtherImage | undefined> {
  const id = CODECS[format]
  const codec = id === undefined ? null : Codec.findDecoder(id)
  if (codec === null) return undefined
  Log.setLevel(AV_LOG_QUIET)
  using decoder = new CodecContext()
  using packet = newPacket()
  using frame = newFrame()
  decoder.allocContext3(codec)
  decoder.threadCount = 1
  packet.data = await readFile(path)
  if ((await decoder.open2(codec, null)) < 0) return undefined
  if ((await decoder.sendPacket(packet)) < 0) return undefined
  await decoder.sendPacket(null)
  if ((await decoder.receiveFrame(frame)) < 0) return undefined
  const share = Math.min(1, LONGEST_SIDE / Math.max(frame.width, frame.height))
  const [width, height] = [frame.width, frame.height].map((side) => Math.max(1, Math.round(side * share)))
  frame.pts = 0n
  using shown = await filterFrame(frame, `scale=${width}:${height}:flags=fast_bilinear,format=rgba`).catch(
    () => undefined,
  )
  if (shown === undefined) return undefined
  return upright(path, format, {
    pixels: shown.toBuffer(),
    width: shown.width,
    height: shown.height,
    channels: 4,
  })
}

/** Adds the orientation of the file, which FFmpeg ignores, and applies it. */
async function upright(
  path: string,
  format: SourceFormat,
  { pixels, ...raw }: RawPixels,
): Promise<OtherImage> {
  const orientation =
    format === 'bmp' ? 1 : (await sharp(path, { limitInputPixels: false }).metadata()).orientation
  const turned = sharp(pixels, { raw }).withMetadata({ orientation: orientation ?? 1 })
  const stored = await turned.tiff({ compression: 'none' }).toBuffer()
  const { data, info } = await sharp(stored, { autoOrient: true }).raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height, channels: info.channels }
}
