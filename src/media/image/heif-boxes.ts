/** The boxes that a HEIF file is made of (ISO/IEC 14496-12, 4.2). */

export type Box = {
  readonly type: string
  /** Where its content begins in the file, and where it ends; a file that was cut short ends before. */
  readonly body: number
  readonly end: number
}

/** Far more than any real file has: a hostile one of nothing but heads would fill the memory. */
const MOST_BOXES = 100_000

/** @throws RangeError where there are too many to be a picture's */
export function boxesIn(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  let at = from
  while (at + 8 <= to) {
    const shortSize = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const long = shortSize === 1
    const size = long ? Number(file.readBigUInt64BE(at + 8)) : shortSize === 0 ? to - at : shortSize
    const head = long ? 16 : 8
    if (size < head) break
    if (boxes.length === MOST_BOXES) throw new RangeError('More boxes than a picture has')
    boxes.push({ type, body: at + head, end: at + size })
    at += size
  }
  return boxes
}

export type Reader = {
  /** An unsigned number of so many bytes. @throws RangeError behind the end of the file */
  number(bytes: number): number
  text(bytes: number): string
  at(): number
}

export function readFrom(file: Buffer, from: number): Reader {
  let at = from
  return {
    number(bytes) {
      const value =
        bytes === 0 ? 0 : bytes === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, bytes)
      at += bytes
      return value
    },
    text(bytes) {
      at += bytes
      return file.toString('latin1', at - bytes, at)
    },
    at: () => at,
  }
}
