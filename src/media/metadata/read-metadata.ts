/** Reads a photo's metadata from any format. Reads only the parts with metadata if the format allows that. */
import { fstatSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { readJpegHead } from '../image/jpeg-segments.ts'
import type { SourceFormat } from '../image/sharp-source.ts'
import { withOpenFile } from '../with-open-file.ts'
import { withoutExifName } from '../image/tiff-block.ts'
import { bytesOf, type ByteSource } from './exif-directories.ts'
import { isWholeJpeg, METADATA } from './metadata-formats.ts'
import type { PhotoMetadata } from './photo-metadata.ts'

/** Returns all metadata that can be read. A damaged part doesn't affect the other parts. */
export async function readMetadata(path: string, format: SourceFormat): Promise<PhotoMetadata> {
  if (format === 'jpeg') {
    const head = readJpegHead(path)
    if (isWholeJpeg(head)) return metadataIn(head, format)
  }
  const reader = METADATA[format]
  return 'readParts' in reader
    ? plain(reading(path, reader.readParts))
    : metadataIn(await readFile(path), format)
}

/** Like `readMetadata`, for a file that has already been read. */
export function metadataIn(file: Buffer, format: SourceFormat): PhotoMetadata {
  const reader = METADATA[format]
  return plain('readParts' in reader ? reader.readParts(bytesOf(file)) : reader.read(file))
}

function plain(metadata: PhotoMetadata): PhotoMetadata {
  const { exif } = metadata
  return exif === undefined ? metadata : { ...metadata, exif: withoutExifName(exif) }
}

const reading = (path: string, from: (source: ByteSource) => PhotoMetadata): PhotoMetadata =>
  withOpenFile(path, (file) => {
    const { size } = fstatSync(file)
    return from({
      length: size,
      read(at, wanted) {
        const length = Math.max(0, Math.min(wanted, size - at, MOST_BYTES))
        const bytes = Buffer.alloc(length)
        return bytes.subarray(0, length === 0 ? 0 : readSync(file, bytes, 0, length, at))
      },
    })
  })

/** Maximum number of bytes per read. A hostile file could ask for all memory. */
const MOST_BYTES = 64 * 1024 * 1024
