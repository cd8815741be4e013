/** Compares batches of photos in the service's worker pool with direct sharp calls and with vipsthumbnail. */
import { lstat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { isInstalled, throughVips } from './other-tools.ts'
import {
  type Candidate,
  inParallel,
  LONGER_SIDE,
  openProcessing,
  QUALITY,
  race,
  throughService,
} from './race.ts'
import { atLeast, type BenchRow, withoutBudget } from './row.ts'
import { makeHeics, makePhotos } from './sample-photos.ts'
import { temporaryFolder } from './temporary-folder.ts'

const PHOTOS = 60
const ROUNDS = 5
const FLOOR = 'sharp with our file operations'
const HEICS = 24
const HEIC_ROUNDS = 3

export async function benchImages(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const warm = openProcessing()
  // A worker can write to one folder only. If both candidates shared a pool, the first one's folder would have no warm workers
  // left.
  const other = openProcessing()
  try {
    const photos = await makePhotos(path.join(folder.path, 'in'), PHOTOS)
    const seconds = await race({
      candidates: new Map<string, Candidate>([
        ['service', (output) => throughService(warm, photos, output)],
        ['service, new folder', (output) => throughService(other, photos, output)],
        ['sharp', (output) => throughSharp(photos, output, availableParallelism() + 1)],
        [FLOOR, (output) => throughSharp(photos, output, availableParallelism() + 1, FILE_OPERATIONS)],
      ]),
      folder: folder.path,
      rounds: ROUNDS,
      results: PHOTOS,
      newFolder: ['service, new folder'],
    })
    const secondsOf = (name: string) => seconds.get(name) ?? Number.NaN
    const sharpSeconds = secondsOf('sharp')
    const floor = sharpSeconds / secondsOf(FLOOR)
    const row = (name: string, own: number, least: number): BenchRow =>
      atLeast(
        name,
        sharpSeconds / own,
        '× throughput',
        Number((least * Math.min(1, floor)).toFixed(2)),
        `${PHOTOS} photos of 12 megapixels to ${LONGER_SIDE} px JPEG, fastest of ${ROUNDS} rounds: service ${own.toFixed(2)} s, sharp ${sharpSeconds.toFixed(2)} s; the floor is ${floor.toFixed(2)} ×: ${FLOOR}`,
      )
    return [
      // A fortieth of the time is for measuring the quality of results.
      row('photos: service against sharp called directly', secondsOf('service'), 0.93),
      // Each new folder needs new workers, one per core.
      row('photos: the same into a new folder', secondsOf('service, new folder'), 0.87),
    ]
  } finally {
    await Promise.all([warm.close(), other.close()])
  }
}

/**
 * How many file operations the service performs for each photo, in addition to reading and writing: they check its folder, keep an unfinished
 * result apart, and give a finished one its dates, permissions and name. Each wakes another thread.
 */
export const FILE_OPERATIONS = 24

export function throughSharp(
  photos: readonly string[],
  output: string,
  atOnce: number,
  fileOperations = 0,
): Promise<void> {
  return inParallel(photos, atOnce, async (photo) => {
    for (let operation = 0; operation < fileOperations; operation++) await lstat(photo)
    await sharp(photo, { autoOrient: true })
      .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toFile(path.join(output, path.basename(photo)))
  })
}

export async function benchHeic(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const processing = openProcessing()
  try {
    const photos = await makeHeics(path.join(folder.path, 'in'), HEICS)
    const candidates = new Map<string, Candidate>([
      ['service', (output) => throughService(processing, photos, output)],
    ])
    if (isInstalled('vipsthumbnail')) candidates.set('vipsthumbnail', (output) => throughVips(photos, output))
    const seconds = await race({ candidates, folder: folder.path, rounds: HEIC_ROUNDS, results: HEICS })
    const own = seconds.get('service') ?? Number.NaN
    const theirs = seconds.get('vipsthumbnail')
    const what = `${HEICS} HEIC of 12 megapixels to ${LONGER_SIDE} px JPEG: service ${own.toFixed(2)} s`
    if (theirs === undefined) {
      const note = `${what}; vipsthumbnail isn’t installed`
      return [withoutBudget('HEIC: service, per photo', (own / HEICS) * 1000, 'ms', note)]
    }
    const note = `${what}, vipsthumbnail ${theirs.toFixed(2)} s`
    return [atLeast('HEIC: service against vipsthumbnail', theirs / own, '× throughput', 1.5, note)]
  } finally {
    await processing.close()
  }
}
