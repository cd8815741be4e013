/** Removes everything from a photo that isn't needed for its pixels, frames and colors, without decoding it. */
import { readFile } from 'node:fs/promises'
import { unlessTooShort } from '../image-failure.ts'
import type { SourceFormat } from '../source-image.ts'
import { bareGif } from './gif.ts'
import { bareHeif } from './heif.ts'
import { bareJpeg } from './jpeg.ts'
import { barePng } from './png.ts'
import { bareWebp } from './webp.ts'

/**
 * Each function returns undefined if the file is incomplete, or has other data among its pixels. TIFF has a separate function (`bareTiff`).
 */
const BARE: Readonly<Partial<Record<SourceFormat, (file: Buffer) => Buffer | undefined>>> = {
  jpeg: bareJpeg,
  png: barePng,
  webp: bareWebp,
  gif: bareGif,
  avif: bareHeif,
  heic: bareHeif,
}

export const bare = (file: Buffer, format: SourceFormat): Buffer | undefined =>
  unlessTooShort(() => BARE[format]?.(file))

/** Returns whether a file has anything other than its image: captions, thumbnails, additional images, data that phones append. */
export async function carriesMetadata(path: string, format: SourceFormat): Promise<boolean> {
  const file = await readFile(path)
  const picture = bare(file, format)
  if (picture === undefined || !file.subarray(0, picture.length).equals(picture)) return true
  return !file.subarray(picture.length).every((byte) => byte === 0)
}
