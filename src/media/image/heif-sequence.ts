/** Reads the timing of AVIF and HEIC image sequences (ISO/IEC 23008-12, 7), which are stored like the track of a video. */
import { type Box, boxesIn } from '../../node/media-header/heif-boxes.ts'
import type { Animation } from './animation.ts'
import { MOST_PAGES, unlessTooShort } from './image-failure.ts'

const BRAND_AT = 8

export const looksLikeAvifSequence = (head: Buffer): boolean =>
  head.toString('latin1', 4, BRAND_AT + 4) === 'ftypavis'

/** Checks the brands among the first bytes. */
export const mayBeSequence = (head: Buffer): boolean =>
  /msf1|hev[cxms]/.test(head.toString('latin1', BRAND_AT))

/** Returns a copy that libvips accepts, because it refuses the brand of sequences. The copy has the same first image. */
export function asAvifImage(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  changed.write('avif', BRAND_AT, 'latin1')
  return changed
}

/** @returns undefined if the file has no sequence of several images */
export function timingOfSequence(file: Buffer): Animation | undefined {
  const animation = unlessTooShort(() => {
    const movie = boxesIn(file, 0, file.length).find(({ type }) => type === 'moov')
    const tracks = movie === undefined ? [] : inside(file, movie).filter(({ type }) => type === 'trak')
    return tracks.flatMap((track) => timingOfTrack(file, track) ?? []).at(0)
  })
  return animation !== undefined && animation.delays.length > 1 ? animation : undefined
}

const inside = (file: Buffer, { body, end }: Box): readonly Box[] => boxesIn(file, body, end)

function boxAt(file: Buffer, parent: Box, [type, ...rest]: readonly string[]): Box | undefined {
  const found = inside(file, parent).find((one) => one.type === type)
  return found === undefined || rest.length === 0 ? found : boxAt(file, found, rest)
}

function timingOfTrack(file: Buffer, track: Box): Animation | undefined {
  const media = boxAt(file, track, ['mdia'])
  const [handler, head] = ['hdlr', 'mdhd'].map((type) => media && boxAt(file, media, [type]))
  const times = media && boxAt(file, media, ['minf', 'stbl', 'stts'])
  if (handler === undefined || head === undefined || times === undefined) return undefined
  if (file.toString('latin1', handler.body + 8, handler.body + 12) !== 'pict') return undefined
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

/** An edit that is repeated fills the track, whose length may be infinite. */
function loopOf(file: Buffer, track: Box): number {
  const [header, edits] = [boxAt(file, track, ['tkhd']), boxAt(file, track, ['edts', 'elst'])]
  if (header === undefined || edits === undefined) return 0
  if ((file.readUInt8(edits.body + 3) & REPEATED) === 0) return 1
  const [isLong, editIsLong] = [header, edits].map(({ body }) => file.readUInt8(body) === LONG_FIELDS)
  const total = isLong ? file.readBigUInt64BE(header.body + 28) : BigInt(file.readUInt32BE(header.body + 20))
  const once = editIsLong ? file.readBigUInt64BE(edits.body + 8) : BigInt(file.readUInt32BE(edits.body + 8))
  const isEndless = total === (isLong ? 2n ** 64n - 1n : 2n ** 32n - 1n)
  return isEndless || once === 0n ? 0 : Math.max(1, Number(total / once))
}
