/** What is really in a media file: it is decoded to its end, so a broken one is an error here. */
import { extname } from 'node:path'
import { Decoder, Demuxer } from 'node-av/api'
import sharp from 'sharp'
import { mediaKindOf } from '../src/shared/media-types.ts'

export type Look = {
  readonly format: string
  /** In pixels, upright as shown. */
  readonly width: number
  readonly height: number
  readonly frames: number
  /** null for pictures. */
  readonly seconds: number | null
  readonly alpha: boolean
}

/** Formats that can be seen from outside only; sharp reads their heads or nothing of them. */
const UNDECODED = new Set(['.heic', '.bmp'])

/** @throws where the file can't be decoded */
export const look = (path: string): Promise<Look> =>
  mediaKindOf(path) === 'video' ? lookAtVideo(path) : lookAtImage(path)

async function lookAtImage(path: string): Promise<Look> {
  const extension = extname(path).toLowerCase()
  if (extension === '.bmp') return lookAtVideo(path)
  const image = sharp(path, { failOn: 'warning' })
  const { format, autoOrient, hasAlpha } = await image.metadata()
  // Goes over every pixel.
  if (!UNDECODED.has(extension)) await image.stats()
  return {
    format,
    width: autoOrient.width,
    height: autoOrient.height,
    frames: 1,
    seconds: null,
    alpha: hasAlpha,
  }
}

async function lookAtVideo(path: string): Promise<Look> {
  await using input = await Demuxer.open(path)
  const stream = input.video()
  if (!stream) throw new Error('there is no picture in it')
  using decoder = await Decoder.create(stream)
  let frames = 0
  let size = { width: 0, height: 0 }
  for await (const frame of decoder.frames(input.packets(stream.index))) {
    if (frame === null) continue
    frames++
    size = { width: frame.width, height: frame.height }
    frame.free()
  }
  const isPicture = mediaKindOf(path) === 'image'
  return {
    format: isPicture ? extname(path).slice(1).toLowerCase() : containerOf(input.formatName),
    ...size,
    frames,
    seconds: isPicture ? null : input.duration,
    alpha: false,
  }
}

/** FFmpeg names a family, such as "mov,mp4,m4a,3gp,3g2,mj2". */
const containerOf = (family: string): string => (family.split(',').includes('mp4') ? 'mp4' : family)
