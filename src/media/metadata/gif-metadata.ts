/** Reads the comments and the XMP of a GIF (GIF89a, sections 24 and 26; XMP Specification Part 3, 1.1.2). */
import type { Comment, PhotoMetadata } from './photo-metadata.ts'

const [EXTENSION, IMAGE] = [0x21, 0x2c]
const [COMMENT, APPLICATION] = [0xfe, 0xff]
const XMP_NAME = 'XMP DataXMP'
/** XMP isn't split into blocks. The descending bytes after it lead block readers to its end. */
const TRAILER_BYTES = 257
const MOST_BLOCKS = 1_000_000

export function gifMetadata(file: Buffer): PhotoMetadata {
  let xmp: Buffer | undefined
  const comments: Comment[] = []
  let at = 13 + tableBytes(file[10] ?? 0)
  for (let left = MOST_BLOCKS; at < file.length && left > 0; left--) {
    if (file[at] === IMAGE) {
      at = blocksFrom(file, at + 11 + tableBytes(file[at + 9] ?? 0)).end
      continue
    }
    if (file[at] !== EXTENSION) break
    const { parts, end } = blocksFrom(file, at + 2)
    const isXmp = file[at + 1] === APPLICATION && file.toString('latin1', at + 3, at + 14) === XMP_NAME
    if (isXmp && end - TRAILER_BYTES - 1 > at + 14) xmp ??= file.subarray(at + 14, end - TRAILER_BYTES - 1)
    if (file[at + 1] === COMMENT) {
      const text = Buffer.concat(parts).toString('utf8').trim()
      if (text !== '') comments.push({ text })
    }
    at = end
  }
  return { xmp, comments }
}

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** Returns the content of blocks, each after its length. */
function blocksFrom(
  file: Buffer,
  start: number,
): { readonly parts: readonly Buffer[]; readonly end: number } {
  const parts: Buffer[] = []
  let at = start
  while (at < file.length) {
    const length = file[at] ?? 0
    if (length === 0) return { parts, end: at + 1 }
    parts.push(file.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return { parts, end: at }
}
