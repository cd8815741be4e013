/** Reads what a photo says about itself, from any format. Reads the parts with metadata only, where the format lets it. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describedBy, itemsOf } from '../image/heif-file.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { readMetadata as readJpegXl } from '../image/jpeg-xl-file.ts'
import { withoutStrayBytes } from '../image/jpeg-parts.ts'
import { MARKERS, readJpegHead, segmentsOf } from '../image/jpeg-segments.ts'
import type { SourceFormat } from '../image/source-image.ts'
import { withoutExifName } from '../image/tiff-block.ts'
import type { ByteSource } from './exif-directories.ts'
import { gifMetadata } from './gif-metadata.ts'
import { jpegMetadata } from './jpeg-metadata.ts'
import { NO_METADATA, type PhotoMetadata } from './photo-metadata.ts'
import { pngMetadata } from './png-metadata.ts'
import { tiffMetadata } from './tiff-metadata.ts'
import { webpMetadata } from './webp-metadata.ts'

/** @returns what can be read: a damaged part doesn't affect the others */
export async function readMetadata(path: string, format: SourceFormat): Promise<PhotoMetadata> {
  if (format === 'jpeg') {
    const head = readJpegHead(path)
    if (isWhole(head)) return metadataIn(head, format)
  }
  const isPartial = format === 'png' || format === 'webp' || format === 'tiff'
  return isPartial ? plain(reading(path, BY_PARTS[format])) : metadataIn(await readFile(path), format)
}

/** Does the same for a file that has already been read. */
export const metadataIn = (file: Buffer, format: SourceFormat): PhotoMetadata =>
  plain(metadataOf(file, format))

function plain(metadata: PhotoMetadata): PhotoMetadata {
  const { exif } = metadata
  return exif === undefined ? metadata : { ...metadata, exif: withoutExifName(exif) }
}

type FromSource = (source: ByteSource) => PhotoMetadata

/** Formats whose metadata can be read without the rest. */
const BY_PARTS = {
  png: pngMetadata,
  webp: webpMetadata,
  tiff: tiffMetadata,
  bmp: () => NO_METADATA,
} satisfies Partial<Record<SourceFormat, FromSource>>

function metadataOf(file: Buffer, format: SourceFormat): PhotoMetadata {
  switch (format) {
    case 'jpeg':
      // Decoders pass over stray bytes between segments. So does this.
      return jpegMetadata(isWhole(file) ? file : withoutStrayBytes(file))
    case 'gif':
      return gifMetadata(file)
    case 'jxl':
      return { ...unlessTooShort(() => readJpegXl(file)), comments: [] }
    case 'avif':
    case 'heic': {
      const described = unlessTooShort(() => {
        const items = itemsOf(file)
        return items?.primary === undefined ? undefined : describedBy(items, items.primary)
      })
      return { ...described, comments: [] }
    }
    default:
      return BY_PARTS[format]({ length: file.length, read: (at, length) => file.subarray(at, at + length) })
  }
}

/** Returns whether the start of a JPEG has all of its segments, without stray bytes between them. */
function isWhole(head: Buffer): boolean {
  const end = segmentsOf(head).at(-1)?.end ?? 2
  return head[end] === 0xff && head[end + 1] === MARKERS.SOS
}

function reading(path: string, from: FromSource): PhotoMetadata {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    return from({
      length: size,
      read(at, wanted) {
        const length = Math.max(0, Math.min(wanted, size - at, MOST_BYTES))
        const bytes = Buffer.alloc(length)
        return bytes.subarray(0, length === 0 ? 0 : readSync(file, bytes, 0, length, at))
      },
    })
  } finally {
    closeSync(file)
  }
}

/** More than any metadata. A hostile file could ask for all memory. */
const MOST_BYTES = 64 * 1024 * 1024
