/** Removes the location from a finished photo, whose metadata is a copy of the original's. */
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { OutputFormat } from './encode-image.ts'
import { exifWithoutLocation } from './exif-location.ts'
import type { ImageMetadata } from './heif-file.ts'
import { readMetadata } from './jpeg-xl-file.ts'
import { pngChunk } from './stored-png.ts'
import { withoutExifName } from './tiff-block.ts'
import { xmpWithoutLocation } from './xmp-location.ts'

/**
 * Overwrites Exif and XMP in place with blocks of the same length, which works the same in every format. A maximum file size still
 * holds.
 * @param file as Mediatray has encoded it
 */
export async function withoutLocation(file: Buffer, format: OutputFormat): Promise<Buffer> {
  const { exif, xmp } = await metadataOf(file, format)
  const changed = Buffer.from(file)
  if (exif !== undefined) overwrite(changed, withoutExifName(exif), exifWithoutLocation(exif))
  if (xmp !== undefined && format !== 'png') overwrite(changed, xmp, xmpWithoutLocation(xmp))
  return format === 'png' ? withPngXmp(changed, xmp && xmpWithoutLocation(xmp)) : changed
}

const metadataOf = async (file: Buffer, format: OutputFormat): Promise<Pick<ImageMetadata, 'exif' | 'xmp'>> =>
  // sharp can't read JPEG XL.
  format === 'jxl' ? readMetadata(file) : await sharp(file, { limitInputPixels: false }).metadata()

function overwrite(file: Buffer, from: Buffer, to: Buffer): void {
  const first = file.indexOf(from)
  if (first < 0) throw new Error("The result's metadata isn't where it is read from.")
  for (let at = first; at >= 0; at = file.indexOf(from, at + to.length)) to.copy(file, at)
}

const PNG_HEAD_BYTES = 8
/** The chunk's name and its compression method. */
const XMP_CHUNK_NAME = Buffer.from('XML:com.adobe.xmp\0\0', 'latin1')

/** Replaces the XMP, which libvips compresses in PNG, and recalculates the checksums of the metadata. */
function withPngXmp(png: Buffer, xmp: Buffer | undefined): Buffer {
  const parts = [png.subarray(0, PNG_HEAD_BYTES)]
  for (let at = PNG_HEAD_BYTES; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, end - 4)
    if (type === 'zTXt' && xmp !== undefined)
      parts.push(pngChunk('zTXt', Buffer.concat([XMP_CHUNK_NAME, deflateSync(xmp)])))
    else if (type === 'eXIf') parts.push(pngChunk(type, body))
    else parts.push(png.subarray(at, end))
    at = end
  }
  return Buffer.concat(parts)
}
