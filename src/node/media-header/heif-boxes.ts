/** Reads the boxes of a HEIF file (ISO/IEC 14496-12, 4.2). */

export type Box = {
  readonly type: string
  /** File offset of the header. The header has 16 bytes if the length has 64 bits. */
  readonly start: number
  /**
   * Start and end of the box's content, as file offsets. In a truncated file, `end` may lie beyond the end of the file. In `findBox`, it is
   * infinite for a box that extends to the end of the file.
   */
  readonly body: number
  readonly end: number
}

/**
 * Maximum number of entries, far more than any real file has. A hostile file could fill the memory with entries of zero or one byte each.
 */
const MOST_PARTS = 100_000

/** Creates a function that counts entries and throws a RangeError when there are too many. */
export function createPartCount(): () => void {
  let left = MOST_PARTS
  return () => {
    if (left === 0) throw new RangeError('The image has too many parts')
    left--
  }
}

/**
 * Returns the boxes between two positions.
 * @param to end of the enclosing box, or of the file
 * @throws RangeError if there are too many boxes, or one extends beyond its enclosing box
 */
export function boxesIn(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = []
  const count = createPartCount()
  let at = from
  while (at + 8 <= to) {
    const shortSize = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const long = shortSize === 1
    const size = long ? Number(file.readBigUInt64BE(at + 8)) : shortSize === 0 ? to - at : shortSize
    const head = long ? 16 : 8
    if (size < head) break
    // In a truncated file, the last box may extend beyond the end of the file.
    if (to < file.length && at + size > to) throw new RangeError('A box extends beyond its enclosing box')
    count()
    boxes.push({ type, start: at, body: at + head, end: at + size })
    at += size
  }
  return boxes
}

/** Returns the first box of a type, or of a type inside it: `boxIn(file, 0, file.length, 'moov', 'mvhd')`. undefined if there is none. */
export function boxIn(
  file: Buffer,
  from: number,
  to: number,
  wanted: string,
  ...inner: readonly string[]
): Box | undefined {
  const found = boxesIn(file, from, to).find(({ type }) => type === wanted)
  const [next, ...rest] = inner
  return found === undefined || next === undefined ? found : boxIn(file, found.body, found.end, next, ...rest)
}

export type Reader = ReturnType<typeof readFrom>

/** Creates a reader for a box's content. @param end end of the box; reading beyond it throws a RangeError */
export function readFrom(file: Buffer, from: number, end: number) {
  let at = from
  const take = (bytes: number): number => {
    at += bytes
    if (at > end) throw new RangeError('A box ends before its content does')
    return at - bytes
  }
  return {
    /**
     * Reads an unsigned integer of this many bytes.
     * @throws RangeError beyond the end of the box or the file
     */
    number(bytes: number): number {
      const start = take(bytes)
      if (bytes === 0) return 0
      return bytes === 8 ? Number(file.readBigUInt64BE(start)) : file.readUIntBE(start, bytes)
    },
    text(bytes: number): string {
      const start = take(bytes)
      return file.toString('latin1', start, start + bytes)
    },
    at: (): number => at,
  }
}
