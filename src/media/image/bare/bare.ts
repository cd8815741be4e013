/** Removes everything from a photo that isn't needed for its pixels, frames and colors, without decoding it. */
import { readFile } from 'node:fs/promises'
import { endsEarly } from '../../../node/memory-limit.ts'
import type { SourceFormat } from '../sharp-source.ts'
import { bareGif } from './gif.ts'
import { bareHeif } from './heif.ts'
import { bareJpeg } from './jpeg.ts'
import { barePng } from './png.ts'
import { bareWebp } from './webp.ts'

/**
 * Each function returns undefined if the file is incomplete or damaged, or has data that can't be separated from its pixels. TIFF has a separate
 * function (`bareTiff`).
 */
const BARE: Readonly<
  Partial<Record<SourceFormat, (file: Buffer) => Buffer | undefined | Promise<Buffer | undefined>>>
> = {
  jpeg: bareJpeg,
  png: barePng,
  webp: bareWebp,
  gif: bareGif,
  avif: bareHeif,
  heic: bareHeif,
}

export async function bare(file: Buffer, format: SourceFormat): Promise<Buffer | undefined> {
  try {
    return await BARE[format]?.(file)
  } catch (error) {
    if (endsEarly(error)) return undefined
    throw error
  }
}

/**
 * Returns whether a file has anything other than its images: captions, thumbnails, or data that phones append. Also returns true if that
 * can't be determined.
 */
export async function carriesMetadata(path: string, format: SourceFormat): Promise<boolean> {
  if (BARE[format] === undefined) return true
  const file = await readFile(path)
  const picture = await bare(file, format)
  if (picture === undefined || !file.subarray(0, picture.length).equals(picture)) return true
  return !file.subarray(picture.length).every((byte) => byte === 0)
}
