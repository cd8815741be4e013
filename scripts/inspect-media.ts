/** Decodes a media file completely and returns its properties, so that a broken file is an error. */
import { extname } from 'node:path'
import { Decoder, Demuxer } from 'node-av/api'
import sharp from 'sharp'
import { mediaKindOf } from '../src/shared/media-types.ts'

export type MediaFacts = {
  readonly format: string
  /** In pixels, upright as displayed. */
  readonly width: number
  readonly height: number
  readonly frames: number
  /** null for photos. */
  readonly seconds: number | null
  readonly alpha: boolean
}

/** Formats whose pixels sharp can't decode. It can read the header of some of them. */
const UNDECODED = new Set(['.heic', '.bmp'])

/** @throws if the file can't be decoded */
export const inspectMedia = (path: string): Promise<MediaFacts> =>
  mediaKindOf(path) === 'video' ? inspectVideo(path) : inspectImage(path)

async function inspectImage(path: string): Promise<MediaFacts> {
  const extension = extname(path).toLowerCase()
  if (extension === '.bmp') return inspectVideo(path)
  const image = sharp(path, { failOn: 'warning' })
  const { format, autoOrient, hasAlpha } = await image.metadata()
  // Decodes every pixel.
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

async function inspectVideo(path: string): Promise<MediaFacts> {
  await using input = await Demuxer.open(path)
  const stream = input.video()
  if (!stream) throw new Error('it has no video track')
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

/** FFmpeg returns a family of names, such as "mov,mp4,m4a,3gp,3g2,mj2". */
const containerOf = (family: string): string => (family.split(',').includes('mp4') ? 'mp4' : family)
