/** Reads what a photo says about itself, from any format. Reads the parts with metadata only, where the format lets it. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describedBy, itemsOf } from '../image/heif-file.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { readMetadata as readJpegXl } from '../image/jpeg-xl-file.ts'
import { withoutStrayBytes } from '../image/embedded-metadata.ts'
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
  const metadata = await read(path, format)
  const { exif } = metadata
  return exif === undefined ? metadata : { ...metadata, exif: withoutExifName(exif) }
}

async function read(path: string, format: SourceFormat): Promise<PhotoMetadata> {
  switch (format) {
    case 'jpeg':
      return jpegMetadata(await jpegHead(path))
    case 'png':
      return reading(path, pngMetadata)
    case 'webp':
      return reading(path, webpMetadata)
    case 'tiff':
      return reading(path, tiffMetadata)
    case 'gif':
      return gifMetadata(await readFile(path))
    case 'jxl': {
      const file = await readFile(path)
      return { ...unlessTooShort(() => readJpegXl(file)), comments: [] }
    }
    case 'avif':
    case 'heic': {
      const file = await readFile(path)
      const described = unlessTooShort(() => {
        const items = itemsOf(file)
        return items?.primary === undefined ? undefined : describedBy(items, items.primary)
      })
      return { ...described, comments: [] }
    }
    case 'bmp':
      return NO_METADATA
  }
}

/** Decoders pass over stray bytes between segments. So does this, but then it needs the whole file. */
async function jpegHead(path: string): Promise<Buffer> {
  const head = await readJpegHead(path)
  const end = segmentsOf(head).at(-1)?.end ?? 2
  const isWhole = head[end] === 0xff && head[end + 1] === MARKERS.SOS
  return isWhole ? head : withoutStrayBytes(await readFile(path))
}

function reading(path: string, from: (source: ByteSource) => PhotoMetadata): PhotoMetadata {
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
