/** A small picture of a photo. */
import sharp from 'sharp'
import { openPicture } from '../image/picture.ts'
import { toWebp, type Wanted } from './webp.ts'

/** @throws what openPicture throws, and whatever sharp throws for a damaged file */
export async function photoPicture(path: string, wanted: Wanted): Promise<Uint8Array> {
  const { input, options } = await openPicture(path)
  return toWebp(sharp(input, { ...options, failOn: 'error' }), wanted)
}
