/** Reads the comments and the XMP of a GIF (GIF89a, sections 24 and 26; XMP Specification Part 3, 1.1.2). */
import { gifBlocks } from '../image/gif-blocks.ts'
import type { Comment, PhotoMetadata } from './photo-metadata.ts'
import { joinPackets } from './xmp-packets.ts'

const [COMMENT, APPLICATION] = [0xfe, 0xff]
const XMP_NAME = 'XMP DataXMP'
/** XMP isn't split into blocks. The descending bytes after it lead block readers to its end. */
const TRAILER_BYTES = 257

export function gifMetadata(file: Buffer): PhotoMetadata {
  const packets: Buffer[] = []
  const comments: Comment[] = []
  for (const { label, at, end, parts } of gifBlocks(file)) {
    const isXmp = label === APPLICATION && file.toString('latin1', at + 3, at + 14) === XMP_NAME
    if (isXmp && end - TRAILER_BYTES - 1 > at + 14)
      packets.push(file.subarray(at + 14, end - TRAILER_BYTES - 1))
    if (label === COMMENT) {
      const text = Buffer.concat(parts).toString('utf8').trim()
      if (text !== '') comments.push({ text })
    }
  }
  return { ...joinPackets(packets), comments }
}
