/** Reads AVIF and HEIC image sequences (ISO/IEC 23008-12, 7), which are stored like the track of a video. */
import { type Box, boxesIn, boxIn } from '../../node/media-header/heif-boxes.ts'
import type { Animation } from './animation.ts'
import { apertureIn, itemsOf, type Transform, transformOf, transformsOf } from './heif-file.ts'
import type { View } from './heif-view.ts'
import { MOST_PAGES, unlessTooShort } from './image-failure.ts'

const BRAND_AT = 8

/** Returns whether any of the brands is that of AVIF sequences. */
export const looksLikeAvifSequence = (head: Buffer): boolean =>
  head.toString('latin1', 4, BRAND_AT) === 'ftyp' &&
  /^(?:.{4})*?avis/s.test(head.toString('latin1', BRAND_AT, head.readUInt32BE(0)))

/** Returns whether the brands in the first bytes allow a sequence. */
export const mayBeSequence = (head: Buffer): boolean =>
  /msf1|hev[cxms]/.test(head.toString('latin1', BRAND_AT))

/** Returns whether a file has still images in addition to tracks. Decoders need a still image. */
export const hasItems = (file: Buffer): boolean =>
  unlessTooShort(() => boxIn(file, 0, file.length, 'meta')) !== undefined

/**
 * Returns a copy with the brands of a still AVIF and without tracks. libvips refuses the brand of sequences, and also tracks with offsets of
 * 64 bits. The copy has the same first image.
 */
export function asAvifImage(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  for (const { type, start, body, end } of unlessTooShort(() => boxesIn(file, 0, file.length)) ?? []) {
    if (type === 'moov') changed.write('free', start + 4, 'latin1')
    if (type !== 'ftyp') continue
    for (let at = body; at + 4 <= end; at += 4)
      if (/^(?:avis|msf1)$/.test(file.toString('latin1', at, at + 4))) changed.write('avif', at, 'latin1')
  }
  return changed
}

/** Returns how long each image of a sequence is shown; undefined if the file has no sequence of several images. */
export function timingOfSequence(file: Buffer): Animation | undefined {
  const animation = unlessTooShort(() =>
    tracksOf(file)
      .flatMap((track) => timingOfTrack(file, track) ?? [])
      .at(0),
  )
  return animation !== undefined && animation.delays.length > 1 ? animation : undefined
}

/** Creates a function that loads FFmpeg and decodes the frames. */
export const framesOfTrack =
  (path: string, file: Buffer, isPremultiplied: boolean) => async (frames: number) => {
    const { decodeFrames } = await import('./decode-frames.ts')
    return decodeFrames(path, frames, isPremultiplied, viewOfSequence(file))
  }

/**
 * Returns the view of the first image track. All tracks of a sequence have the same view, even if the file states it for only one of them.
 */
export const viewOfSequence = (file: Buffer): View =>
  unlessTooShort(() => {
    const [{ body, end } = NO_TRACK] = tracksOf(file)
    const table = boxIn(file, body, end, 'mdia', 'minf', 'stbl', 'stsd')
    const entry = table && boxesIn(file, table.body + 8, table.end).at(0)
    if (entry === undefined) return undefined
    const size = { width: file.readUInt16BE(entry.body + 24), height: file.readUInt16BE(entry.body + 26) }
    const properties = boxesIn(file, entry.body + ENTRY_BYTES, entry.end)
    const aperture = properties.find(({ type }) => type === 'clap')
    const transforms = properties.flatMap((box) => transformOf(file, box))
    return {
      cut: aperture && apertureIn(file, aperture, size),
      // If a program writes both properties and a matrix, both describe the same transforms.
      transforms: transforms.length > 0 ? transforms : transformsOfTrack(file),
    }
  }) ?? { cut: undefined, transforms: [] }

const NO_TRACK = { body: 0, end: 0 }

/** Returns how the matrix in the header of the first image track rotates and mirrors its images (ISO/IEC 14496-12, 8.3.2). */
function transformsOfTrack(file: Buffer): readonly Transform[] {
  const [{ body, end } = NO_TRACK] = tracksOf(file)
  const header = boxIn(file, body, end, 'tkhd')
  if (header === undefined) return []
  const at = header.body + (file.readUInt8(header.body) === LONG_FIELDS ? MATRIX_AT + 12 : MATRIX_AT)
  const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 12, 16].map((place) => Math.sign(file.readInt32BE(at + place)))
  const isMirrored = a * d - b * c < 0
  // Find the edge to which the matrix moves the right edge: right, top, left or bottom.
  const quarters = RIGHT_EDGE.indexOf((isMirrored ? [-a, -b] : [a, b]).map((place) => place + 0).join())
  return [
    ...(isMirrored ? ([{ kind: 'mirror', over: 'leftRight' }] as const) : []),
    ...(quarters > 0 ? ([{ kind: 'rotate', quarters }] as const) : []),
  ]
}

const MATRIX_AT = 40
const RIGHT_EDGE = ['1,0', '0,-1', '-1,0', '0,1']

/** Returns the transforms of a sequence's still image if only the track states them, otherwise an empty list. */
export const turnOfStill = (file: Buffer): readonly Transform[] =>
  unlessTooShort(() => {
    const items = itemsOf(file)
    const isTurned = items !== undefined && transformsOf(file, items, items.primary).length > 0
    return isTurned ? undefined : viewOfSequence(file).transforms
  }) ?? []

/** Length of a visual sample entry, without its boxes. */
const ENTRY_BYTES = 78

function tracksOf(file: Buffer): readonly Box[] {
  const movie = boxIn(file, 0, file.length, 'moov')
  const boxes = movie === undefined ? [] : boxesIn(file, movie.body, movie.end)
  return boxes.filter(({ type, body, end }) => {
    const handler = type === 'trak' ? boxIn(file, body, end, 'mdia', 'hdlr') : undefined
    return handler !== undefined && file.toString('latin1', handler.body + 8, handler.body + 12) === 'pict'
  })
}

function timingOfTrack(file: Buffer, track: Box): Animation | undefined {
  const { body, end } = track
  const head = boxIn(file, body, end, 'mdia', 'mdhd')
  const times = boxIn(file, body, end, 'mdia', 'minf', 'stbl', 'stts')
  if (head === undefined || times === undefined) return undefined
  const perSecond = file.readUInt32BE(head.body + (file.readUInt8(head.body) === 1 ? 20 : 12))
  const delays: number[] = []
  for (let left = file.readUInt32BE(times.body + 4), at = times.body + 8; left > 0; left--, at += 8) {
    const [count, ticks] = [file.readUInt32BE(at), file.readUInt32BE(at + 4)]
    for (let more = Math.min(count, MOST_PAGES + 1 - delays.length); more > 0; more--)
      delays.push((ticks * 1000) / perSecond)
  }
  return { delays, loop: loopOf(file, track) }
}

const [REPEATED, LONG_FIELDS] = [1, 1]

/** Returns how often the track is played, 0 for endlessly. A repeated edit fills the track, whose length may be infinite. */
function loopOf(file: Buffer, { body: from, end }: Box): number {
  const [header, edits] = [boxIn(file, from, end, 'tkhd'), boxIn(file, from, end, 'edts', 'elst')]
  if (header === undefined || edits === undefined) return 0
  if ((file.readUInt8(edits.body + 3) & REPEATED) === 0) return 1
  const [isLong, editIsLong] = [header, edits].map(({ body }) => file.readUInt8(body) === LONG_FIELDS)
  const total = isLong ? file.readBigUInt64BE(header.body + 28) : BigInt(file.readUInt32BE(header.body + 20))
  const once = editIsLong ? file.readBigUInt64BE(edits.body + 8) : BigInt(file.readUInt32BE(edits.body + 8))
  const isEndless = total === (isLong ? 2n ** 64n - 1n : 2n ** 32n - 1n)
  return isEndless || once === 0n ? 0 : Math.max(1, Number(total / once))
}
