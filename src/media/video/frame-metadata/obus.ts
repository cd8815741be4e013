/** Finds metadata in AV1 (AV1 Bitstream & Decoding Process Specification, 5.3 and 5.8). */
import { type Change, changeParts, type KeepsText } from './change-parts.ts'
import { isPictureMessage } from './user-data.ts'

const [DELIMITER, METADATA, PADDING, LAST] = [2, 5, 15, 8]
const REGISTERED = 4
/** Maximum length in bytes of metadata for display, timing and scalability, by type. */
const LONGEST: Readonly<Record<number, number>> = {
  1: 5, // content light level
  2: 25, // mastering display
  3: 2048, // scalability
  5: 16, // time code
}

export const cleanObus = (bytes: Buffer, keeps: KeepsText, from = 0): Buffer =>
  changeParts(bytes, metadataIn(bytes, from, keeps))

function* metadataIn(bytes: Buffer, start: number, keeps: KeepsText): Generator<Change> {
  for (let from = start; from < bytes.length;) {
    const head = bytes[from] ?? 0
    const sizeAt = from + ((head & 4) === 0 ? 1 : 2)
    const size = (head & 2) === 0 ? { value: bytes.length - sizeAt, end: sizeAt } : leb128(bytes, sizeAt)
    const to = Math.min(bytes.length, size.end + size.value)
    if (!isKept((head >> 3) & 15, bytes.subarray(size.end, to), keeps)) yield { from, to }
    from = to
  }
}

function isKept(type: number, content: Buffer, keeps: KeepsText): boolean {
  if (type === DELIMITER) return content.length === 0
  if (type === PADDING) return keeps(content)
  if (type !== METADATA) return type > 0 && type <= LAST
  const { value, end } = leb128(content, 0)
  const body = content.subarray(end)
  const isNeeded = value === REGISTERED ? isPictureMessage(body) : body.length <= (LONGEST[value] ?? -1)
  return isNeeded || keeps(body)
}

function leb128(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0
    value += (byte & 127) * 2 ** (7 * index)
    if (byte < 128) return { value, end: at + index + 1 }
  }
  return { value, end: at + 8 }
}
