/** Finds and builds elements of Matroska and WebM files (RFC 8794). */
import type { FileHandle } from 'node:fs/promises'
import { unsigned } from '../big-endian.ts'
import { readPart } from '../read-part.ts'

const SEGMENT = 0x18538067
const CLUSTER = 0x1f43b675

export const MOST_BYTES = 64 * 1024 * 1024
/** The ID of an element's checksum, which precedes its other parts. */
export const CHECKSUM = 0xbf
const MOST_PARTS = 100_000

export type Element = { readonly id: number; readonly body: Buffer }

/** The position of an element in a file, the length of its header (`start`), and that of its content: `Infinity` if unknown. */
export type Place = { readonly at: number; readonly start: number; readonly size: number }

/**
 * Finds an element among the parts of the file's segment.
 * @param until where to stop: the first cluster, before which a file describes its tracks; default: the end
 */
export async function findElement(
  file: FileHandle,
  wanted: number,
  until: 'cluster' | 'end' = 'end',
): Promise<Place | undefined> {
  const { size: end } = await file.stat()
  let at = 0
  for (let parts = 0; at + 12 <= end && parts < MOST_PARTS; parts++) {
    const { id, start, size } = elementAt(await readPart(file, at, 12), 0)
    if (id === wanted) return { at, start, size }
    if (id === CLUSTER && until === 'cluster') return undefined
    // A segment or cluster of unknown length ends where its parent does.
    at += start + (id === SEGMENT || size === Infinity ? 0 : size)
  }
  return undefined
}

/** Finds an element like `findElement`, and reads its content. */
export async function readElement(file: FileHandle, wanted: number, until: 'cluster' | 'end') {
  const place = await findElement(file, wanted, until)
  if (place === undefined) return undefined
  const from = place.at + place.start
  return { from, body: await readPart(file, from, Math.min(place.size, MOST_BYTES)) }
}

/**
 * Splits content into its elements.
 * @throws RangeError if the header of an element is invalid or incomplete
 */
export function elementsIn(body: Buffer): readonly Element[] {
  const elements: Element[] = []
  for (let at = 0; at < body.length && elements.length < MOST_PARTS;) {
    const { id, start, size } = elementAt(body, at)
    elements.push({ id, body: body.subarray(at + start, at + start + size) })
    at += start + size
  }
  return elements
}

export const bodyOf = (body: Buffer, wanted: number): Buffer | undefined =>
  elementsIn(body).find(({ id }) => id === wanted)?.body

export const numberIn = (body: Buffer, wanted: number): number | undefined =>
  bodyOf(body, wanted)
    ?.subarray(0, 8)
    .reduce((value, byte) => value * 256 + byte, 0)

/** Returns the text of an element without zeros at its end. */
export const textIn = (body: Buffer, wanted: number): string | undefined =>
  bodyOf(body, wanted)?.toString('utf8').replace(/\0+$/, '')

/** Reads an element's ID and length. @returns `start`: bytes until its content */
export function elementAt(bytes: Buffer, at: number) {
  const idLength = Math.clz32(bytes.readUInt8(at)) - 23
  if (idLength > 4) throw new RangeError('The element has no valid ID')
  const id = bytes.readUIntBE(at, idLength)
  const first = bytes.readUInt8(at + idLength)
  const sizeLength = Math.clz32(first) - 23
  if (sizeLength > 8) throw new RangeError('The element has no valid length')
  let size = first & (0xff >> sizeLength)
  let isUnknown = size === 0xff >> sizeLength
  for (let index = 1; index < sizeLength; index++) {
    const byte = bytes.readUInt8(at + idLength + index)
    isUnknown &&= byte === 0xff
    size = size * 256 + byte
  }
  return { id, start: idLength + sizeLength, size: isUnknown ? Infinity : size }
}

export const idBytes = (id: number): Buffer => unsigned(id, Math.ceil((32 - Math.clz32(id)) / 8))

export function element(id: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([idBytes(id), lengthBytes(body.length), body])
}

const EIGHT_BYTE_LENGTH = 1n << 56n

const lengthBytes = (length: number): Buffer =>
  length < 0x7f ? Buffer.from([0x80 + length]) : eightByteLength(length)

export function eightByteLength(length: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(EIGHT_BYTE_LENGTH + BigInt(length))
  return bytes
}
