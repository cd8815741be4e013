/** Detects truncated photos and videos: copies that are still in progress or were interrupted. */
import type { FileHandle } from 'node:fs/promises'
import { readMediaContent } from '../../node/media-content.ts'
import { openRegular } from '../../node/open-regular.ts'

/** Number of bytes searched per read. */
const PIECE_BYTES = 256 * 1024
const HEAD_BYTES = 64
/** Maximum number of parts to read. A damaged file may appear to have any number of them. */
const MOST_PARTS = 10_000

type Opened = { readonly file: FileHandle; readonly size: number; readonly head: Buffer }

/**
 * Whether the file ends before the length that its structure specifies, lacks a required part such as the end marker, or may still grow
 * because its structure doesn't specify a length. Unreadable files and formats without a check count as complete.
 */
export async function isTruncated(path: string): Promise<boolean> {
  try {
    await using file = await openRegular(path, 'refuse')
    if (file === undefined) return false
    const { size } = await file.stat()
    const head = await readAt(file, 0, HEAD_BYTES)
    return await checkOf(head)({ file, size, head })
  } catch {
    return false
  }
}

type Check = (opened: Opened) => boolean | Promise<boolean>

function checkOf(head: Buffer): Check {
  if (isRiff(head)) return endsBeforeRiff
  const content = readMediaContent(head)
  switch (content?.extensions[0]) {
    case 'jpg':
      return lacksEndOfJpeg
    case 'png':
      return async (opened) => !(await holds(opened, 0, 'IEND'))
    case 'heic':
    case 'avif':
    case 'mp4':
    case 'mov':
      return lacksBoxes
    case 'mkv':
      return endsBeforeSegment
    default:
      return () => false
  }
}

const isRiff = (head: Buffer): boolean => head.toString('latin1', 0, 4) === 'RIFF'

/** Compares the size with the length in the `RIFF` header, which excludes the first 8 bytes. */
const endsBeforeRiff: Check = ({ head, size }) => head.length >= 8 && head.readUInt32LE(4) + 8 > size

/** Searches for the end marker, which may be far from the end of the file because phones append a short video. */
const lacksEndOfJpeg: Check = async (opened) => {
  const { file, size } = opened
  // A thumbnail in a segment before the image has its own end marker.
  let at = 2
  for (let parts = 0; at < size && parts < MOST_PARTS; parts += 1) {
    const marker = await readAt(file, at, 4)
    if (marker.length < 4) return true
    // The file is damaged, so waiting is pointless.
    if (marker[0] !== 0xff) return false
    if (marker[1] === 0xda) return !(await holds(opened, at, '\xff\xd9'))
    at += marker[1] === 0xff ? 1 : 2 + marker.readUInt16BE(2)
  }
  return true
}

/** Searches the end of the file first, then everything from the given position. */
async function holds({ file, size }: Opened, from: number, mark: string): Promise<boolean> {
  const tail = Math.max(from, size - PIECE_BYTES)
  if ((await readAt(file, tail, PIECE_BYTES)).includes(mark, 0, 'latin1')) return true
  for (let at = from; at < tail; at += PIECE_BYTES - mark.length) {
    if ((await readAt(file, at, PIECE_BYTES)).includes(mark, 0, 'latin1')) return true
  }
  return false
}

/**
 * Looks for an incomplete or missing box. ISO base media and QuickTime files are a sequence of boxes, one of which is the table of
 * contents. A fragmented video can be played while a program records it, so it is complete only once it ends with the index of its
 * fragments.
 */
const lacksBoxes: Check = async ({ file, size }) => {
  let hasContents = false
  let isOpen = false
  let at = 0
  for (let parts = 0; at < size && parts < MOST_PARTS; parts += 1) {
    const header = await readAt(file, at, 16)
    if (header.length < 8) return true
    const type = header.toString('latin1', 4, 8)
    hasContents ||= type === 'moov' || type === 'meta'
    isOpen = (isOpen || type === 'moof') && type !== 'mfra'
    const length = header.readUInt32BE(0)
    // The box extends to the end of the file.
    if (length === 0) break
    const isLong = length === 1
    if (isLong && header.length < 16) return true
    const whole = isLong ? Number(header.readBigUInt64BE(8)) : length
    // The file is damaged, so waiting is pointless.
    if (whole < 8) return false
    at += whole
  }
  return at > size || !hasContents || isOpen
}

/**
 * Compares the size with the end of the segment. Matroska files have a header and one segment, whose length is unspecified while a program
 * records.
 */
const endsBeforeSegment: Check = async ({ file, size, head }) => {
  const header = lengthAt(head, 4)
  if (header === undefined) return false
  const start = 4 + header.bytes + header.value
  const segment = await readAt(file, start, 12)
  if (segment.length < 12) return true
  const length = segment.readUInt32BE(0) === 0x18_53_80_67 ? lengthAt(segment, 4) : undefined
  return length !== undefined && (length.isOpen || start + 4 + length.bytes + length.value > size)
}

/** Reads a variable-length number. Its first byte encodes its length. */
function lengthAt(
  buffer: Buffer,
  at: number,
): { readonly value: number; readonly bytes: number; readonly isOpen: boolean } | undefined {
  const first = buffer[at] ?? 0
  const bytes = Math.clz32(first) - 23
  if (bytes > 8 || at + bytes > buffer.length) return undefined
  let value = first & (0xff >> bytes)
  let isOpen = value === 0xff >> bytes
  for (const byte of buffer.subarray(at + 1, at + bytes)) {
    value = value * 256 + byte
    isOpen &&= byte === 0xff
  }
  return { value, bytes, isOpen }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
