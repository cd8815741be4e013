/** Reads and writes the comments and the XMP of a GIF (GIF89a, sections 24 and 26; XMP Specification Part 3, 1.1.2). */
import { EXTENSION, gifBlocks, inParts } from '../image/gif-blocks.ts'
import type { Comment, PhotoMetadata } from './photo-metadata.ts'
import { joinPackets } from './xmp-packets.ts'

const [COMMENT, APPLICATION] = [0xfe, 0xff]
const XMP_NAME = 'XMP DataXMP'
/** Length of the trailer after XMP. XMP isn't split into blocks, so the descending bytes of the trailer lead block readers to its end. */
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

/**
 * Adds the metadata after the frames.
 * @param gif without metadata
 */
export function withGifMetadata(gif: Buffer, { xmp, comments }: PhotoMetadata): Buffer {
  return Buffer.concat([
    gif.subarray(0, -1),
    ...(xmp === undefined
      ? []
      : [extension(APPLICATION, Buffer.from(`\x0b${XMP_NAME}`, 'latin1'), xmp, TRAILER)]),
    ...comments.map(({ text }) => extension(COMMENT, ...inParts(Buffer.from(text)))),
    gif.subarray(-1),
  ])
}

const extension = (label: number, ...content: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([EXTENSION, label]), ...content])

/** A block reader that interprets a byte of the XMP as a length ends up in this trailer, where each byte leads it to the last one. */
const TRAILER = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0])
