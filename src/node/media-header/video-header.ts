/** Reads the dimensions and the duration of videos from their headers. No frame is read. */
import type { Extent } from '../../shared/extent.ts'
import type { FileHeader } from '../../shared/model/file-facts.ts'
import type { Box } from './heif-boxes.ts'
import { boxAt, findBox } from './iso-boxes.ts'
import type { ReadPart } from './window.ts'

type Reader = (read: ReadPart) => Promise<FileHeader>

const READERS: Readonly<Record<string, Reader>> = {
  mp4: readMovie,
  mov: readMovie,
  m4v: readMovie,
  mkv: readMatroska,
  webm: readMatroska,
  avi: readAvi,
}

export const UNKNOWN: FileHeader = { width: null, height: null, duration: null }

/**
 * Returns the dimensions and the duration of a video. Values that aren't known are null.
 * @param format the usual extension of the content
 * @throws RangeError if the file ends before its header does
 */
export async function videoHeader(format: string, read: ReadPart): Promise<FileHeader> {
  const header = (await READERS[format]?.(read)) ?? UNKNOWN
  // A damaged Matroska header may contain any floating-point number.
  const isTimed = header.duration !== null && header.duration > 0 && Number.isFinite(header.duration)
  return isTimed ? header : { ...header, duration: null }
}

async function readMovie(read: ReadPart): Promise<FileHeader> {
  const movie = await boxAt(read, 0, ['moov'])
  if (movie === undefined) return UNKNOWN
  let duration: number | null = null
  let largest: Extent | undefined
  await findBox(read, movie.body, movie.end, async (box) => {
    if (box.type === 'mvhd') duration = await movieDuration(read, box, movie)
    const size = box.type === 'trak' ? await pictureSize(read, box) : undefined
    if (size !== undefined && areaOf(size) > areaOf(largest)) largest = size
  })
  return { width: null, height: null, ...largest, duration }
}

const areaOf = (size: Extent | undefined): number => (size === undefined ? 0 : size.width * size.height)

/** Returns the duration in ms; null if unknown. A video that was written in fragments has its duration in another box. */
async function movieDuration(read: ReadPart, header: Box, movie: Box): Promise<number | null> {
  const isLong = (await read(header.body, 1)).readUInt8(0) === 1
  const times = await read(header.body + (isLong ? 20 : 12), isLong ? 12 : 8)
  const scale = times.readUInt32BE(0)
  const units = isLong ? Number(times.readBigUInt64BE(4)) : times.readUInt32BE(4)
  if (scale === 0) return null
  // All bits are set if the duration isn't known.
  if (units > 0 && units < (isLong ? 2 ** 64 : 2 ** 32 - 1)) return (units / scale) * 1_000
  const fragmented = await boxAt(read, movie.body, ['mvex'], movie.end)
  const whole = fragmented && (await boxAt(read, fragmented.body, ['mehd'], fragmented.end))
  if (whole === undefined) return null
  const isWide = (await read(whole.body, 1)).readUInt8(0) === 1
  const total = await read(whole.body + 4, isWide ? 8 : 4)
  return ((isWide ? Number(total.readBigUInt64BE(0)) : total.readUInt32BE(0)) / scale) * 1_000
}

/** Returns the upright dimensions of a track; undefined if a side is zero, as in audio tracks. */
async function pictureSize(read: ReadPart, track: Box) {
  const header = await boxAt(read, track.body, ['tkhd'], track.end)
  if (header === undefined) return undefined
  const isLong = (await read(header.body, 1)).readUInt8(0) === 1
  const matrix = await read(header.body + (isLong ? 52 : 40), 44)
  // Fixed-point numbers with 16 bits after the point.
  const [width, height] = [matrix.readUInt16BE(36), matrix.readUInt16BE(40)]
  if (width === 0 || height === 0) return undefined
  const isTurned = matrix.readInt32BE(0) === 0 && matrix.readInt32BE(4) !== 0
  return isTurned ? { width: height, height: width } : { width, height }
}

const MATROSKA = {
  segment: 0x18_53_80_67,
  info: 0x15_49_a9_66,
  scale: 0x2a_d7_b1,
  duration: 0x44_89,
  tracks: 0x16_54_ae_6b,
  track: 0xae,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  cluster: 0x1f_43_b6_75,
} as const

type Element = { readonly id: number; readonly body: number; readonly end: number }

async function readMatroska(read: ReadPart): Promise<FileHeader> {
  let scale = 1_000_000
  let units: number | null = null
  let width: number | null = null
  let height: number | null = null

  /** Visits the elements of the header. The frames follow in clusters. */
  async function visit(from: number, to: number): Promise<void> {
    for (let at = from; at < to;) {
      const element = await elementAt(read, at)
      if (element === undefined || element.id === MATROSKA.cluster) return
      await take(element)
      if (units !== null && width !== null && height !== null) return
      at = element.end
    }
  }
  async function take(element: Element): Promise<void> {
    const { id, body, end } = element
    switch (id) {
      case MATROSKA.segment:
      case MATROSKA.info:
      case MATROSKA.tracks:
      case MATROSKA.track:
      case MATROSKA.video:
        return visit(body, end)
      case MATROSKA.scale:
        scale = await unsigned(read, element)
        return
      case MATROSKA.duration:
        units = await float(read, element)
        return
      case MATROSKA.width:
        width ??= await unsigned(read, element)
        return
      case MATROSKA.height:
        height ??= await unsigned(read, element)
    }
  }
  await visit(0, Number.POSITIVE_INFINITY)
  return { width, height, duration: units === null ? null : (units * scale) / 1e6 }
}

/** @returns undefined if the first byte can't be read, for example at the end of the file, or if the element is invalid */
async function elementAt(read: ReadPart, at: number): Promise<Element | undefined> {
  const first = await read(at, 1).catch(() => undefined)
  if (first === undefined) return undefined
  const idBytes = Math.clz32(first.readUInt8(0)) - 23
  if (idBytes > 4) return undefined
  const id = (await read(at, idBytes)).readUIntBE(0, idBytes)
  const sizeAt = at + idBytes
  const sizeBytes = Math.clz32((await read(sizeAt, 1)).readUInt8(0)) - 23
  if (sizeBytes > 8) return undefined
  const coded = await read(sizeAt, sizeBytes)
  let size = coded.readUInt8(0) & (0xff >> sizeBytes)
  let isOpen = size === 0xff >> sizeBytes
  for (const byte of coded.subarray(1)) {
    size = size * 256 + byte
    isOpen &&= byte === 0xff
  }
  const body = sizeAt + sizeBytes
  return { id, body, end: isOpen ? Number.POSITIVE_INFINITY : body + size }
}

async function unsigned(read: ReadPart, { body, end }: Element): Promise<number> {
  const bytes = await read(body, Math.min(end - body, 8))
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

async function float(read: ReadPart, { body, end }: Element): Promise<number | null> {
  if (end - body === 4) return (await read(body, 4)).readFloatBE(0)
  return end - body === 8 ? (await read(body, 8)).readDoubleBE(0) : null
}

/** Reads the main header, which has a fixed position at the beginning. */
async function readAvi(read: ReadPart): Promise<FileHeader> {
  const head = await read(24, 48)
  if (head.toString('latin1', 0, 4) !== 'avih') return UNKNOWN
  const [frameMicroseconds, frames] = [head.readUInt32LE(8), head.readUInt32LE(24)]
  return {
    width: head.readUInt32LE(40),
    height: head.readUInt32LE(44),
    duration: frames === 0 ? null : (frameMicroseconds * frames) / 1_000,
  }
}
