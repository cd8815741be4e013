/** A small picture of a photo or of a video, in the form in which small pictures travel. */
import sharp, { type Sharp } from 'sharp'
import { mediaKindOf } from '../shared/media-types.ts'
import type { Extent } from './image/geometry.ts'
import { inOrdinaryLight } from './image/ordinary-light.ts'
import { openPicture } from './image/picture.ts'
import type { ThumbnailRequest } from './protocol.ts'

const QUALITY = 75

// One picture at a time, beside whatever the person is doing; none is read twice.
sharp.concurrency(1)
sharp.cache(false)

/**
 * In sRGB, without metadata, upright, and always filled. The decoders for videos are loaded when the first of them is asked for.
 *
 * @throws ProcessingError where the file has nothing to show, and whatever sharp throws for a damaged one
 */
export async function makeThumbnail(request: Omit<ThumbnailRequest, 'id'>): Promise<Uint8Array> {
  const { path, pixels } = request
  const image = mediaKindOf(path) === 'video' ? await videoImage(request) : await photoImage(request)
  const webp = await image
    .resize({ width: pixels, height: pixels, fit: 'cover' })
    .webp({ quality: QUALITY, effort: 2 })
    .toBuffer()
  // A buffer of Node's may be a part of a larger one, which would travel along.
  return new Uint8Array(webp)
}

async function photoImage({ path, pixels }: Omit<ThumbnailRequest, 'id'>): Promise<Sharp> {
  const picture = inOrdinaryLight(await openPicture(path))
  const { input, options } = await picture.source(reduced(picture, pixels))
  return sharp(input, { ...options, failOn: 'error' })
}

/** Twice the size that is wanted, so that the last step of scaling has something to work with. */
function reduced({ width, height }: Extent, pixels: number): Extent {
  const share = Math.min(1, (2 * pixels) / Math.min(width, height))
  return { width: Math.ceil(width * share), height: Math.ceil(height * share) }
}

async function videoImage({ path, pixels }: Omit<ThumbnailRequest, 'id'>): Promise<Sharp> {
  const { typicalPicture } = await import('./video/typical-picture.ts')
  const { pixels: content, ...raw } = await typicalPicture(path, pixels)
  return sharp(content, { raw })
}
