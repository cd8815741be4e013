/** Reads small parts of a file. Consecutive parts usually come from one read. */

/** Reads up to this many bytes at a position; fewer at the end of the file. */
export type ReadUpTo = (at: number, length: number) => Promise<Buffer>

/** @throws RangeError beyond the end of the file */
export type ReadPart = (at: number, length: number) => Promise<Buffer>

/** Thrown if a header is larger than any real one. */
export class HeaderTooLarge extends RangeError {}

const WINDOW_BYTES = 4 * 1024

/**
 * Maximum numbers of parts and bytes to read, far more than the header of any real file needs. A hostile file may consist of any number of
 * empty parts, or make readers visit the same parts repeatedly. This runs in the main process, so these limits apply to all reads of a file
 * together.
 */
const MOST_PARTS = 16_384
const MOST_BYTES = 8 * 1024 * 1024

/** @param most how many parts and bytes may be read */
export function createWindow(
  readFile: ReadUpTo,
  most = { parts: MOST_PARTS, bytes: MOST_BYTES },
): { readonly upTo: ReadUpTo; readonly part: ReadPart } {
  let start = 0
  let bytes: Buffer = Buffer.alloc(0)
  let partsLeft = most.parts
  let bytesLeft = most.bytes
  const upTo: ReadUpTo = async (at, length) => {
    if (at < start || at + length > start + bytes.length) {
      const wanted = Math.max(WINDOW_BYTES, length)
      bytesLeft -= wanted
      if (bytesLeft < 0) throw new HeaderTooLarge('The header is too large')
      bytes = await readFile(at, wanted)
      start = at
    }
    return bytes.subarray(at - start, at - start + length)
  }
  return {
    upTo,
    async part(at, length) {
      partsLeft -= 1
      if (partsLeft < 0) throw new HeaderTooLarge('The header has too many parts')
      const part = await upTo(at, length)
      if (part.length < length) throw new RangeError('The file ends before its header does')
      return part
    },
  }
}
