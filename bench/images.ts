/**
 * A batch of photos through the service's processing, against sharp called directly with the same settings. The rounds are
 * interleaved, so that a busy moment of the computer hits both.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import {
  inParallel,
  LONGER_SIDE,
  median,
  openBuiltProcessing,
  openProcessing,
  QUALITY,
  race,
  throughService,
} from './photo-race.ts'
import type { BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'

const PHOTOS = 60
const ROUNDS = 5

export async function benchImages(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const warm = await openProcessing()
  // A worker writes to one folder only: with those of the first, no folder would be found warm.
  const other = openBuiltProcessing()
  try {
    const photos = await makePhotos(path.join(folder, 'in'), PHOTOS)
    const contenders = new Map<string, (output: string) => Promise<unknown>>([
      ['service', (output) => throughService(warm, photos, output)],
      ['service, new folder', (output) => throughService(other, photos, output)],
      ['sharp', (output) => directly(photos, output)],
    ])
    const anew = ['service, new folder']
    return rowsFrom(await race({ contenders, folder, rounds: ROUNDS, results: PHOTOS, anew }))
  } finally {
    await Promise.all([warm.close(), other.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsFrom(seconds: ReadonlyMap<string, number[]>): BenchRow[] {
  const of = (name: string) => median(seconds.get(name) ?? [])
  const sharpTakes = of('sharp')
  const row = (name: string, serviceTakes: number, least: number): BenchRow => ({
    name,
    measured: sharpTakes / serviceTakes,
    unit: '× throughput',
    budget: `≥ ${least}`,
    met: sharpTakes / serviceTakes >= least,
    note: `${PHOTOS} photos of 12 megapixels to ${LONGER_SIDE} px JPEG, medians of ${ROUNDS} rounds: service ${serviceTakes.toFixed(2)} s, sharp ${sharpTakes.toFixed(2)} s; a worker has one photo at a time, and the cores idle 4 to 5 ms for each`,
  })
  return [
    row('images: service against sharp called directly', of('service'), 0.97),
    // A worker may write to one folder only, so that each new one costs the start of as many as there are cores.
    row('images: the same into a new folder', of('service, new folder'), 0.9),
  ]
}

function directly(photos: readonly string[], output: string) {
  return inParallel(photos, availableParallelism() + 1, (photo) =>
    sharp(photo, { autoOrient: true })
      .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toFile(path.join(output, path.basename(photo))),
  )
}
