/** The form in which small pictures travel. */
import sharp, { type Sharp } from 'sharp'
import type { ThumbnailRequest } from '../protocol.ts'

export type Wanted = Pick<ThumbnailRequest, 'pixels' | 'fit'>

const QUALITY = 75

// One picture at a time, beside whatever the person is doing; none is read twice.
sharp.concurrency(1)
sharp.cache(false)

/** In sRGB, without metadata, upright. A square is always filled; a whole picture is never enlarged. */
export async function toWebp(image: Sharp, { pixels, fit }: Wanted): Promise<Uint8Array> {
  const webp = await image
    .resize({ width: pixels, height: pixels, fit, withoutEnlargement: fit === 'inside' })
    .webp({ quality: QUALITY, effort: 2 })
    .toBuffer()
  // A buffer of Node's may be a part of a larger one, which would travel along.
  return new Uint8Array(webp)
}
