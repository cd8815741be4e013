/** Finds boxes of ISO base media and QuickTime files without reading what is in between (ISO/IEC 14496-12, 4.2). */
import type { Box } from './heif-boxes.ts'
import type { ReadPart } from './window.ts'

/**
 * Visits the boxes between two positions until a visit returns a value, and returns that value; undefined if none does.
 * @param to end of the enclosing box; infinite for a whole file
 */
export async function findBox<T>(
  read: ReadPart,
  from: number,
  to: number,
  visit: (box: Box) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (let at = from; at + 8 <= to;) {
    const head = await headerAt(read, at)
    if (head === undefined) return undefined
    const { type, size, length } = head
    // A size of zero means that the box extends to the end.
    const end = size === 0 ? to : at + size
    const found = await visit({ type, start: at, body: at + length, end })
    if (found !== undefined) return found
    if (size === 0 || size < length) return undefined
    at = end
  }
  return undefined
}

/** Returns the first box of one of these types; undefined if there is none. */
export const boxAt = (
  read: ReadPart,
  from: number,
  types: readonly string[],
  to = Number.POSITIVE_INFINITY,
): Promise<Box | undefined> => findBox(read, from, to, (box) => (types.includes(box.type) ? box : undefined))

/** @returns undefined if the first eight bytes can't be read, for example at the end of the file */
async function headerAt(read: ReadPart, at: number) {
  const head = await read(at, 8).catch(() => undefined)
  if (head === undefined) return undefined
  const [short, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
  if (short !== 1) return { type, size: short, length: 8 }
  return { type, size: Number((await read(at + 8, 8)).readBigUInt64BE(0)), length: 16 }
}
