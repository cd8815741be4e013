/** Reads small parts of a file. Consecutive parts usually come from one read. */

/** Reads up to this many bytes at a position; fewer at the end of the file. */
export type ReadUpTo = (at: number, length: number) => Promise<Buffer>

/** @throws RangeError beyond the end of the file */
export type ReadPart = (at: number, length: number) => Promise<Buffer>

const WINDOW_BYTES = 4 * 1024

export function createWindow(readFile: ReadUpTo): { readonly upTo: ReadUpTo; readonly part: ReadPart } {
  let start = 0
  let bytes: Buffer = Buffer.alloc(0)
  const upTo: ReadUpTo = async (at, length) => {
    if (at < start || at + length > start + bytes.length) {
      bytes = await readFile(at, Math.max(WINDOW_BYTES, length))
      start = at
    }
    return bytes.subarray(at - start, at - start + length)
  }
  return {
    upTo,
    async part(at, length) {
      const part = await upTo(at, length)
      if (part.length < length) throw new RangeError('The file ends before its header does')
      return part
    },
  }
}

/** A hostile file may consist of any number of empty parts. */
const MOST_PARTS = 4_096

/** Returns a function to be called for each part. It throws a RangeError if there are more than any real file has before its pixels. */
export function limitParts(): () => void {
  let left = MOST_PARTS
  return () => {
    if (left === 0) throw new RangeError('The file has too many parts')
    left -= 1
  }
}
