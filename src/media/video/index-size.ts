/**
 * Counts the entries that FFmpeg's index of an MP4 or QuickTime file would have. If all samples of a track have the same size and duration,
 * the file describes any number of them in a few bytes, but FFmpeg creates an entry for each. The same applies to a run of samples in a
 * fragment.
 */
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate as inflateInto } from 'node:zlib'
import { hasCode } from '../../node/errors.ts'
import type { Box } from '../../node/media-header/heif-boxes.ts'
import { boxAt, findBox } from '../../node/media-header/iso-boxes.ts'
import { createWindow, HeaderTooLarge, type ReadPart, type ReadUpTo } from '../../node/media-header/window.ts'
import { damagedFile } from '../damaged-file.ts'
import { readUpTo } from '../read-part.ts'
import { setOf } from '../words.ts'
import type { Listing } from './fragments.ts'

/** Maximum number of samples. A day of video at 240 frames per second with audio has fewer. */
const MOST_SAMPLES = 30_000_000

/**
 * Refuses a file whose index would be too long in memory.
 * @param path of a readable file of any kind
 * @returns the boxes that list what a fragmented file consists of
 * @throws FailureError if the index is too long
 */
export async function requireShortIndex(path: string): Promise<Listing> {
  const listing = { fragments: [], indexes: [] }
  const samples = await samplesIn(path, listing).catch((error: unknown) => {
    // FFmpeg reports what is wrong with a file that ends early.
    return error instanceof HeaderTooLarge ? Infinity : 0
  })
  if (samples > MOST_SAMPLES) throw damagedFile('indexTooLong')
  return listing
}

/** Number of fragments to keep. A fragment's data follows its `moof` box, but boxes of further fragments may come in between. */
const LAST_FRAGMENTS = 8
/**
 * Number of indexes to keep: more than enough for files with one index per track. Files with one index per segment have more, but only the
 * last ones are needed.
 */
const LAST_INDEXES = 64

function keepLast(boxes: Box[], box: Box, most: number): void {
  boxes.push(box)
  if (boxes.length > most) boxes.shift()
}

async function samplesIn(path: string, listing: { fragments: Box[]; indexes: Box[] }): Promise<number> {
  await using file = await open(path)
  const readFile: ReadUpTo = (at, length) => readUpTo(file, at, length)
  const counts = { samples: 0 }
  const fragments = createWindow(readFile, MOST_OF_FRAGMENTS).part
  await findBox(fragments, 0, Number.POSITIVE_INFINITY, async (box) => {
    if (box.type === 'moof') keepLast(listing.fragments, box, LAST_FRAGMENTS)
    if (box.type === 'sidx') keepLast(listing.indexes, box, LAST_INDEXES)
    // A movie has a few tracks, but any number of fragments.
    const read = box.type === 'moov' ? createWindow(readFile).part : fragments
    return countSamples(read, box, { counts, depth: 0, isSound: false })
  })
  return counts.samples
}

/** Limits for fragments. Even a day of video in fragments of a few frames doesn't reach them. */
const MOST_OF_FRAGMENTS = { parts: 16 * 1024 * 1024, bytes: 2 * 1024 * 1024 * 1024 }

/** Boxes whose content FFmpeg may read as boxes, in any order and in each other. */
const CONTAINERS = setOf('moov trak edts mdia minf dinf stbl mvex moof traf udta tref wave cmov free hoov')
const inflate = promisify(inflateInto)
const MOST_INFLATED_BYTES = 32 * 1024 * 1024

/** Nesting depth below which FFmpeg gives up. */
const MOST_NESTED = 10

/** Adds the samples in a box. @returns the sum once it is too large */
async function countSamples(
  read: ReadPart,
  box: Box,
  place: {
    readonly counts: { samples: number }
    readonly depth: number
    /** Whether the track is uncompressed audio. */
    readonly isSound: boolean
  },
): Promise<number | undefined> {
  const { counts, depth } = place
  if (box.type === 'trun') counts.samples += await countAt(read, box.body + 4)
  else if (box.type === 'stsz' || box.type === 'stz2') {
    if (!place.isSound) counts.samples += await countAt(read, box.body + 8)
  } else if (box.type === 'cmvd' && depth < MOST_NESTED) {
    const plain = await inflated(read, box)
    const inside = { ...place, depth: depth + 1 }
    await findBox(plain, 0, Number.POSITIVE_INFINITY, (child) => countSamples(plain, child, inside))
  } else if (CONTAINERS.has(box.type) && depth < MOST_NESTED) {
    const isSound = place.isSound || (box.type === 'trak' && (await isUncompressedSound(read, box)))
    const inside = { counts, depth: depth + 1, isSound }
    await findBox(read, box.body, box.end, (child) => countSamples(read, child, inside))
  }
  return counts.samples > MOST_SAMPLES ? counts.samples : undefined
}

/** Reads the compressed movie header of an old QuickTime file. */
async function inflated(read: ReadPart, { body, end }: Box): Promise<ReadPart> {
  const packed = await read(body + 4, end - body - 4)
  const plain = await inflate(packed, { maxOutputLength: MOST_INFLATED_BYTES }).catch((error: unknown) => {
    throw hasCode(error, 'ERR_BUFFER_TOO_LARGE') ? new HeaderTooLarge('The header is too large') : error
  })
  return createWindow((at, length) => Promise.resolve(plain.subarray(at, at + length))).part
}

const countAt = async (read: ReadPart, at: number): Promise<number> => (await read(at, 4)).readUInt32BE(0)

/** Returns whether a track is uncompressed audio, whose index has one entry for many samples. */
async function isUncompressedSound(read: ReadPart, track: Box): Promise<boolean> {
  const inside = (box: Box | undefined, type: string) => box && boxAt(read, box.body, [type], box.end)
  const media = await inside(track, 'mdia')
  const tables = await inside(await inside(media, 'minf'), 'stbl')
  const [handler, times] = [await inside(media, 'hdlr'), await inside(tables, 'stts')]
  if (handler === undefined || times === undefined) return false
  if ((await read(handler.body + 8, 4)).toString('latin1') !== 'soun') return false
  const [count, duration] = [await read(times.body + 4, 4), await read(times.body + 12, 4)]
  return count.readUInt32BE(0) === 1 && duration.readUInt32BE(0) === 1
}
