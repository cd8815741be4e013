/** Reads the capture date from a photo's metadata. */
import { captureDate } from '../../shared/capture-date.ts'
import { EXIF_TAG } from '../metadata/exif-directories.ts'
import type { ImageMetadata } from './heif-file.ts'
import { unlessTooShort } from './image-failure.ts'
import { openExif } from './tiff-block.ts'

/** Tags for when the photo was taken and when it was digitized: the same moment for digital cameras. */
const DATE_TAGS: readonly number[] = [0x9003, 0x9004]
const DATE_BYTES = 19

/** Returns the date in the format of `captureDate`; undefined if neither Exif nor XMP has one. */
export const dateOfPhoto = ({ exif, xmp }: Pick<ImageMetadata, 'exif' | 'xmp'>): string | undefined =>
  (exif && exifDate(exif)) ?? (xmp && xmpDate(xmp.toString('utf8')))

const exifDate = (exif: Buffer): string | undefined =>
  unlessTooShort(() => {
    const tiff = openExif(exif)
    const directory = tiff?.first.get(EXIF_TAG.exif)
    if (tiff === undefined || directory === undefined) return undefined
    const entries = tiff.directoryAt(tiff.read32(directory.at))
    return DATE_TAGS.flatMap((tag) => {
      const entry = entries.get(tag)
      if (entry === undefined || entry.count < DATE_BYTES) return []
      const start = tiff.read32(entry.at)
      return captureDate(tiff.block.toString('latin1', start, start + DATE_BYTES)) ?? []
    }).at(0)
  })

const XMP_DATE = /(?:exif:DateTimeOriginal|photoshop:DateCreated)(?:\s*=\s*["']|>)\s*([\d:T-]{19})/

const xmpDate = (xmp: string): string | undefined => captureDate(XMP_DATE.exec(xmp)?.[1] ?? '')
