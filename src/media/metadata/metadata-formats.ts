/** Reads and writes a photo's metadata in each format. */
import { describedBy, itemsOf } from '../image/heif-file.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { withoutStrayBytes } from '../image/jpeg-parts.ts'
import { MARKERS, segmentsOf } from '../image/jpeg-segments.ts'
import { readMetadata as readJpegXl, withMetadata as withJpegXlMetadata } from '../image/jpeg-xl-file.ts'
import type { SourceFormat } from '../image/sharp-source.ts'
import type { ByteSource } from './exif-directories.ts'
import { gifMetadata, withGifMetadata } from './gif-metadata.ts'
import { withHeifMetadata } from './heif-metadata.ts'
import { jpegMetadata, withJpegMetadata } from './jpeg-metadata.ts'
import { NO_METADATA, type PhotoMetadata } from './photo-metadata.ts'
import { pngMetadata, withPngMetadata } from './png-metadata.ts'
import { tiffMetadata, withTiffMetadata } from './tiff-metadata.ts'
import { webpMetadata, withWebpMetadata } from './webp-metadata.ts'

type Reader =
  | { readonly read: (file: Buffer) => PhotoMetadata }
  /** Reads the metadata without the rest of the file. */
  | { readonly readParts: (source: ByteSource) => PhotoMetadata }
type Writer = { readonly write: (file: Buffer, metadata: PhotoMetadata) => Buffer }

/** A format whose metadata can be written. GIF and HEIC can't be encoded, but their pixels can be copied. */
export type DescribedFormat = Exclude<SourceFormat, 'bmp'>

export const METADATA: Readonly<Record<SourceFormat, Reader> & Record<DescribedFormat, Writer>> = {
  jpeg: {
    // Decoders skip stray bytes between segments, so skip them here too.
    read: (file) => jpegMetadata(isWholeJpeg(file) ? file : withoutStrayBytes(file)),
    write: withJpegMetadata,
  },
  png: { readParts: pngMetadata, write: withPngMetadata },
  webp: { readParts: webpMetadata, write: withWebpMetadata },
  avif: { read: heifMetadata, write: withHeifMetadata },
  jxl: {
    read: (file) => ({ ...unlessTooShort(() => readJpegXl(file)), comments: [] }),
    write: withJpegXlMetadata,
  },
  tiff: { readParts: tiffMetadata, write: withTiffMetadata },
  heic: { read: heifMetadata, write: withHeifMetadata },
  gif: { read: gifMetadata, write: withGifMetadata },
  bmp: { readParts: () => NO_METADATA },
}

/** Returns whether the start of a JPEG has all of its segments, without stray bytes between them. */
export function isWholeJpeg(head: Buffer): boolean {
  const end = segmentsOf(head).at(-1)?.end ?? 2
  return head[end] === 0xff && head[end + 1] === MARKERS.SOS
}

function heifMetadata(file: Buffer): PhotoMetadata {
  const described = unlessTooShort(() => {
    const items = itemsOf(file)
    return items && describedBy(items, items.primary)
  })
  return { ...described, comments: [] }
}
