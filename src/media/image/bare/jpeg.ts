/** Removes everything from a JPEG that isn't needed for its pixels and colors. */
import { endOfScan, isForPixels, jpegParts } from '../jpeg-parts.ts'
import { isNamed, MARKERS, segment } from '../jpeg-segments.ts'

/** Length of a JFIF segment's content without its thumbnail. */
const JFIF_BYTES = 14
const JFIF_NAME = 'JFIF\0'

/**
 * Returns the file with only what its image needs, without stray bytes and without anything that follows the image; undefined if the image
 * isn't complete.
 */
export function bareJpeg(file: Buffer): Buffer | undefined {
  const kept = [file.subarray(0, 2)]
  for (const { marker, body } of jpegParts(file)) {
    if (marker === MARKERS.EOI) return Buffer.concat([...kept, file.subarray(body - 4, body - 2)])
    const end = body - 2 + file.readUInt16BE(body - 2)
    const whole = file.subarray(body - 4, marker === MARKERS.SOS ? endOfScan(file, end) : end)
    if (isForPixels(file, marker, body)) kept.push(whole)
    else if (marker === MARKERS.APP0 && isNamed(file, { marker, start: body - 4, body, end }, JFIF_NAME))
      kept.push(withoutThumbnail(file.subarray(body, body + JFIF_BYTES)))
  }
  return undefined
}

function withoutThumbnail(header: Buffer): Buffer {
  const content = Buffer.from(header)
  content.fill(0, JFIF_BYTES - 2)
  return segment(MARKERS.APP0, '', content)
}
