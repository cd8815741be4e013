/**
 * Counts the entries that FFmpeg's index of an MP4 or QuickTime file would have. A track whose samples all have the same size and duration
 * needs a few bytes in the file for any number of them, but FFmpeg creates an entry for each.
 */
import { open } from 'node:fs/promises'
import type { Box } from '../../node/media-header/heif-boxes.ts'
import { boxAt, findBox } from '../../node/media-header/iso-boxes.ts'
import { createWindow, HeaderTooLarge, type ReadPart } from '../../node/media-header/window.ts'
import { damagedFile } from '../damaged-file.ts'

/** More than a day of video with 240 frames per second and its sound have. */
const MOST_SAMPLES = 30_000_000

/**
 * @param path of a readable file of any kind
 * @throws FailureError if the index is too long
 */
export async function requireShortIndex(path: string): Promise<void> {
  const samples = await samplesIn(path).catch((error: unknown) => {
    // FFmpeg reports what is wrong with a file that ends early.
    return error instanceof HeaderTooLarge ? Infinity : 0
  })
  if (samples > MOST_SAMPLES) throw damagedFile('indexTooLong')
}

async function samplesIn(path: string): Promise<number> {
  await using file = await open(path)
  const { part: read } = createWindow(async (at, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  })
  const movie = await boxAt(read, 0, ['moov'])
  if (movie === undefined) return 0
  let samples = 0
  await findBox(read, movie.body, movie.end, async (box) => {
    if (box.type === 'trak') samples += await samplesOf(read, box)
    return samples > MOST_SAMPLES ? samples : undefined
  })
  return samples
}

async function samplesOf(read: ReadPart, track: Box): Promise<number> {
  const media = await boxAt(read, track.body, ['mdia'], track.end)
  const info = media && (await boxAt(read, media.body, ['minf'], media.end))
  const tables = info && (await boxAt(read, info.body, ['stbl'], info.end))
  if (tables === undefined) return 0
  const sizes = await boxAt(read, tables.body, ['stsz', 'stz2'], tables.end)
  if (sizes === undefined || (await isUncompressedSound(read, media, tables))) return 0
  return (await read(sizes.body + 8, 4)).readUInt32BE(0)
}

/** Uncompressed sound has a sample for each moment. Its index has an entry for many of them. */
async function isUncompressedSound(read: ReadPart, media: Box | undefined, tables: Box): Promise<boolean> {
  const handler = media && (await boxAt(read, media.body, ['hdlr'], media.end))
  const times = await boxAt(read, tables.body, ['stts'], tables.end)
  if (handler === undefined || times === undefined) return false
  if ((await read(handler.body + 8, 4)).toString('latin1') !== 'soun') return false
  const [count, duration] = [await read(times.body + 4, 4), await read(times.body + 12, 4)]
  return count.readUInt32BE(0) === 1 && duration.readUInt32BE(0) === 1
}
