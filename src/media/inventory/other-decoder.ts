/** Decodes an image with another decoder, to check what libvips and our own decoders read. */
import { readFile } from 'node:fs/promises'
import {
  AV_CODEC_ID_BMP,
  AV_CODEC_ID_GIF,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_PNG,
  AV_CODEC_ID_TIFF,
  AV_CODEC_ID_WEBP,
  type AVCodecID,
} from 'node-av/constants'
import { Codec, CodecContext } from 'node-av/lib'
import sharp, { type Sharp } from 'sharp'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import { newFrame, newPacket, silenceFfmpeg } from '../ffmpeg/ffmpeg.ts'
import { mainTiffImage, TIFF_TAG } from '../../node/media-header/image-size.ts'
import type { RawImage } from '../image/raw-image.ts'
import { type SharpSource, sharpSource, type SourceFormat } from '../image/sharp-source.ts'
import type { SourceImage } from '../image/source-image.ts'

const CODECS: Readonly<Partial<Record<SourceFormat, AVCodecID>>> = {
  bmp: AV_CODEC_ID_BMP,
  gif: AV_CODEC_ID_GIF,
  jpeg: AV_CODEC_ID_MJPEG,
  png: AV_CODEC_ID_PNG,
  tiff: AV_CODEC_ID_TIFF,
  webp: AV_CODEC_ID_WEBP,
}

/** Approximate maximum side length of the decoded image. Larger images are scaled down, because only 32 × 32 pixels are compared. */
const LONGEST_SIDE = 512

/** Upright pixels of 8 bits. */
type OtherImage = Omit<RawImage, 'depth' | 'metadata' | 'hdr'>

export type OtherVersion = OtherImage & {
  /** Whether only differences of brightness count, because the brightness itself isn't known. */
  readonly isRelative: boolean
  /** The image's own contrast, as a share of the contrast of these pixels. */
  readonly contrast: number
}

/** Decodes the image with another decoder. Returns it upright and reduced; undefined if no other decoder can read it. */
export async function otherDecode(path: string, photo: SourceImage): Promise<OtherVersion | undefined> {
  // FFmpeg treats floating-point samples as integers, so such numbers are read directly.
  const numbers = await readNumbers(sharpSource(path, photo.format, { failOn: 'none', ignoreIcc: true }))
  if (numbers !== undefined) return numbers
  const decoded = await decodeWithFfmpeg(path, photo)
  return decoded && { ...decoded, isRelative: false, contrast: 1 }
}

async function decodeWithFfmpeg(path: string, photo: SourceImage): Promise<OtherImage | undefined> {
  const id = CODECS[photo.format]
  const codec = id === undefined ? null : Codec.findDecoder(id)
  if (codec === null) return undefined
  silenceFfmpeg()
  using decoder = new CodecContext()
  using packet = newPacket()
  using frame = newFrame()
  decoder.allocContext3(codec)
  decoder.threadCount = 1
  const content = photo.content ?? (await readFile(path))
  if (photo.format === 'tiff' && (await hasTiles(content))) return undefined
  packet.data = content
  if ((await decoder.open2(codec, null)) < 0) return undefined
  if ((await decoder.sendPacket(packet)) < 0) return undefined
  await decoder.sendPacket(null)
  if ((await decoder.receiveFrame(frame)) < 0) return undefined
  // Blocks of whole pixels are averaged. Any other way of reducing would turn fine stripes into moiré.
  const block = Math.max(1, Math.floor(Math.max(frame.width, frame.height) / LONGEST_SIDE))
  const [width, height] = [frame.width, frame.height].map((side) => Math.ceil(side / block))
  frame.pts = 0n
  using shown = await filterFrame(frame, `scale=${width}:${height}:flags=area,format=rgba`).catch(
    () => undefined,
  )
  if (shown === undefined) return undefined
  const raw = { width: shown.width, height: shown.height, channels: 4 } as const
  return upright(sharp(shown.toBuffer(), { raw }), await orientationOf(photo))
}

/** Whether a TIFF stores its pixels in tiles, which FFmpeg decodes as black. */
async function hasTiles(file: Buffer): Promise<boolean> {
  const { tags } = await mainTiffImage(async (at, length) => file.subarray(at, at + length))
  return tags.has(TIFF_TAG.tileHeight)
}

/** Returns the orientation, which FFmpeg ignores. Returns 1 if our own decoder has already applied it. */
async function orientationOf(photo: SourceImage): Promise<number> {
  const { input, options } = await photo.source()
  return (await sharp(input, options).metadata()).orientation ?? 1
}

async function upright(image: Sharp, orientation: number): Promise<OtherImage> {
  const stored = await image.withMetadata({ orientation }).tiff({ compression: 'none' }).toBuffer()
  return pixelsOf(sharp(stored, { autoOrient: true }))
}

async function pixelsOf(image: Sharp): Promise<OtherImage> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height, channels: info.channels }
}

/** Number formats that decoders can interpret in only one way, by libvips' names. */
const PLAIN: readonly (string | undefined)[] = ['uchar', 'ushort']
/** Maximum value by libvips' name of the color space; 255 for all others. */
const MOST: Readonly<Record<string, number>> = { grey16: 0xffff, rgb16: 0xffff, scrgb: 1 }

/** Half of the displayed range around the mean, in standard deviations. Values beyond the range become black or white. */
const SPREAD = 3

/**
 * Reads numbers that aren't plain samples, and maps their displayed range from black to white. Light and dark areas are then in the right
 * places, regardless of what the numbers mean.
 * @returns undefined if libvips can't read them, if they are plain samples, or if the range is empty or not finite
 */
async function readNumbers({ input, options }: SharpSource): Promise<OtherVersion | undefined> {
  try {
    const { depth, space } = await sharp(input, options).metadata()
    if (PLAIN.includes(depth)) return undefined
    const { channels } = await sharp(input, options).stats()
    // sharp rounds the minimum and maximum to integers, so they are useless for numbers from 0 to 1.
    const least = Math.min(...channels.map(({ mean, stdev }) => mean - SPREAD * stdev))
    const most = Math.max(...channels.map(({ mean, stdev }) => mean + SPREAD * stdev))
    const factor = (MOST[space] ?? 255) / (most - least)
    if (!Number.isFinite(factor)) return undefined
    const shades = sharp(input, options).linear(factor, -least * factor)
    const reduced = shades.resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    const brightest = Math.max(1, ...channels.map(({ max }) => max))
    return { ...(await pixelsOf(reduced)), isRelative: true, contrast: (most - least) / brightest }
  } catch {
    return undefined
  }
}
