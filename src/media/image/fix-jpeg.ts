/** Fixes flaws of JPEG files that leave their image intact (ITU-T T.81, B.2 and G.1.1). */
import { fstatSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { withOpenFile } from '../with-open-file.ts'
import { endOfJpeg, jpegParts, withoutStrayBytes } from './jpeg-parts.ts'
import { isFrame, MARKERS } from './jpeg-segments.ts'
import { unlessTooShort } from './image-failure.ts'

const END_MARKER = Buffer.from([0xff, MARKERS.EOI])

/**
 * Fixes a JPEG and reports what was wrong with it.
 * @param given the file's path or content
 * @param isUnusual whether a decoder warned about the file
 * @returns undefined if there is nothing to fix
 */
export async function fixJpeg(
  given: string | Buffer,
  isUnusual: boolean,
): Promise<{ readonly file: Buffer; readonly warnings: string } | undefined> {
  if (!isUnusual && endsWithMarker(given)) return undefined
  const original = typeof given === 'string' ? await readFile(given) : given
  const file = withoutStrayBytes(original)
  const stray = original.length - file.length
  const isOpen = endOfJpeg(file) === undefined && unlessTooShort(() => hasAllScans(file)) === true
  const warnings = [
    ...(stray === 0 ? [] : [`JPEG with ${stray} stray bytes between its segments`]),
    ...(isOpen ? ['JPEG without a marker at its end'] : []),
  ]
  if (warnings.length === 0) return undefined
  return { file: isOpen ? Buffer.concat([file, END_MARKER]) : file, warnings: warnings.join('; ') }
}

/** Returns whether the file ends with the end marker. */
function endsWithMarker(path: string | Buffer): boolean {
  if (typeof path !== 'string') return path.subarray(-END_MARKER.length).equals(END_MARKER)
  return withOpenFile(path, (file) => {
    const end = Buffer.alloc(END_MARKER.length)
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length))
    return end.equals(END_MARKER)
  })
}

const COEFFICIENTS = 64

/**
 * Returns whether the scans have every coefficient of every component with all its bits. A decoder warns if a scan is too short, but not if
 * one is missing.
 */
function hasAllScans(jpeg: Buffer): boolean {
  /** For each component, how many of the lowest bits of each coefficient are missing. */
  const missing = new Map<number, number[]>()
  for (const { marker, body } of jpegParts(jpeg)) {
    if (isFrame(marker))
      for (let left = jpeg.readUInt8(body + 5), at = body + 6; left > 0; left--, at += 3)
        missing.set(
          jpeg.readUInt8(at),
          Array.from({ length: COEFFICIENTS }, () => Infinity),
        )
    if (marker !== MARKERS.SOS) continue
    const count = jpeg.readUInt8(body)
    const [first, last, bits] = [1, 2, 3].map((offset) => jpeg.readUInt8(body + 2 * count + offset))
    for (let index = 0; index < count; index++)
      missing.get(jpeg.readUInt8(body + 1 + 2 * index))?.fill((bits ?? 0) & 15, first, (last ?? 0) + 1)
  }
  return missing.size > 0 && [...missing.values()].flat().every((bits) => bits === 0)
}
