/**
 * A batch of photos through the service's processing, against sharp called directly with the same settings. The rounds are
 * interleaved, so that a busy moment of the computer hits both.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { createProcessing } from '../src/service/processing/processing.ts'
import { inParallel, LONGER_SIDE, median, QUALITY, race, throughService } from './photo-race.ts'
import type { BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'

const PHOTOS = 60
const ROUNDS = 5

export async function benchImages(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const processing = createProcessing({
    workerPath: fileURLToPath(new URL('../src/media/job-worker.ts', import.meta.url)),
    log: () => {},
  })
  try {
    const photos = await makePhotos(path.join(folder, 'in'), PHOTOS)
    const contenders = new Map<string, (output: string) => Promise<unknown>>([
      ['service', (output) => throughService(processing, photos, output)],
      ['sharp', (output) => directly(photos, output)],
    ])
    return rowsFrom(await race({ contenders, folder, rounds: ROUNDS, results: PHOTOS }))
  } finally {
    await processing.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsFrom(seconds: ReadonlyMap<string, number[]>): BenchRow[] {
  const [service = [], sharp = []] = ['service', 'sharp'].map((name) => seconds.get(name))
  const note = `${PHOTOS} photos of 12 megapixels to ${LONGER_SIDE} px JPEG, medians of ${ROUNDS} rounds: service ${median(service).toFixed(2)} s, sharp ${median(sharp).toFixed(2)} s`
  const againstSharp = median(sharp) / median(service)
  return [
    {
      name: 'images: service against sharp called directly',
      measured: againstSharp,
      unit: '× throughput',
      budget: '≥ 0.97',
      met: againstSharp >= 0.97,
      note,
    },
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
