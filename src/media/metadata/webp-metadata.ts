/** Reads and writes metadata in the chunks of a WebP file (RFC 9649). */
import { WEBP_HEAD_BYTES as HEAD_BYTES, webpChunks } from '../image/webp-chunks.ts'
import type { ByteSource } from './exif-directories.ts'
import type { PhotoMetadata } from './photo-metadata.ts'
import { joinPackets } from './xmp-packets.ts'

const MOST_CHUNKS = 200_000
const FLAGS = { alpha: 0x10, exif: 0x08, xmp: 0x04 } as const

export function webpMetadata(source: ByteSource): PhotoMetadata {
  let exif: Buffer | undefined
  const packets: Buffer[] = []
  for (const { type, body, size } of webpChunks(source).take(MOST_CHUNKS)) {
    if (type === 'EXIF') exif ??= source.read(body, size)
    if (type === 'XMP ') packets.push(source.read(body, size))
  }
  return { exif, ...joinPackets(packets), comments: [] }
}

/** @param webp without metadata */
export function withWebpMetadata(webp: Buffer, { exif, xmp }: PhotoMetadata): Buffer {
  const extended = withExtendedHead(webp)
  extended.writeUInt8(
    (extended[HEAD_BYTES + 8] ?? 0) |
      (exif === undefined ? 0 : FLAGS.exif) |
      (xmp === undefined ? 0 : FLAGS.xmp),
    HEAD_BYTES + 8,
  )
  const whole = Buffer.concat([
    extended,
    ...(exif === undefined ? [] : [chunk('EXIF', exif)]),
    ...(xmp === undefined ? [] : [chunk('XMP ', xmp)]),
  ])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

/** Adds the chunk that announces metadata, if the file has only pixels. */
function withExtendedHead(webp: Buffer): Buffer {
  const type = webp.toString('latin1', HEAD_BYTES, HEAD_BYTES + 4)
  if (type === 'VP8X') return Buffer.from(webp)
  const { width, height, hasAlpha } = sizeOf(webp, type)
  const content = Buffer.alloc(10)
  content.writeUInt8(hasAlpha ? FLAGS.alpha : 0, 0)
  content.writeUIntLE(width - 1, 4, 3)
  content.writeUIntLE(height - 1, 7, 3)
  return Buffer.concat([webp.subarray(0, HEAD_BYTES), chunk('VP8X', content), webp.subarray(HEAD_BYTES)])
}

/** Reads the dimensions from the header of the pixels (RFC 6386, 9.1; RFC 9649, 3.4). */
function sizeOf(webp: Buffer, type: string) {
  const at = HEAD_BYTES + 8
  if (type === 'VP8L') {
    const bits = webp.readUInt32LE(at + 1)
    return {
      width: (bits & 0x3fff) + 1,
      height: ((bits >>> 14) & 0x3fff) + 1,
      hasAlpha: ((bits >>> 28) & 1) === 1,
    }
  }
  return {
    width: webp.readUInt16LE(at + 6) & 0x3fff,
    height: webp.readUInt16LE(at + 8) & 0x3fff,
    hasAlpha: false,
  }
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 0, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}
