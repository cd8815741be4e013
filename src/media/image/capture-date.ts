/** Reads when a photo was taken from its metadata. */
import { captureDate } from '../../shared/capture-date.ts'
import type { ImageMetadata } from './heif-file.ts'
import { unlessTooShort } from './image-failure.ts'
import { tiffBlock, withoutExifName } from './tiff-block.ts'

const EXIF_DIRECTORY = 0x8769
/** When the photo was taken, and when it was digitized: the same moment for digital cameras. */
const DATE_TAGS: readonly number[] = [0x9003, 0x9004]
const DATE_BYTES = 19

/** Returns the date in the format of `captureDate`; undefined if neither Exif nor XMP has one. */
export const dateOfPhoto = ({ exif, xmp }: Pick<ImageMetadata, 'exif' | 'xmp'>): string | undefined =>
  (exif && exifDate(exif)) ?? (xmp && xmpDate(xmp.toString('utf8')))

function exifDate(exif: Buffer): string | undefined {
  const block = withoutExifName(exif)
  const tiff = tiffBlock(block)
  return (
    tiff &&
    unlessTooShort(() => {
      const directory = tiff.directoryAt(tiff.read32(4)).get(EXIF_DIRECTORY)
      const entries = directory && tiff.directoryAt(tiff.read32(directory.at))
      return DATE_TAGS.flatMap((tag) => {
        const entry = entries?.get(tag)
        if (entry === undefined || entry.count < DATE_BYTES) return []
        const start = tiff.read32(entry.at)
        return captureDate(block.toString('latin1', start, start + DATE_BYTES)) ?? []
      }).at(0)
    })
  )
}

const XMP_DATE = /(?:exif:DateTimeOriginal|photoshop:DateCreated)(?:\s*=\s*["']|>)\s*([\d:T-]{19})/

const xmpDate = (xmp: string): string | undefined => captureDate(XMP_DATE.exec(xmp)?.[1] ?? '')
