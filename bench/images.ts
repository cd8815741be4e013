/**
 * A batch of photos through the service's processing, against sharp called directly with the same settings and against
 * ImageMagick. The rounds are interleaved, so that a busy moment of the computer hits all three.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { createProcessing } from '../src/service/processing/processing.ts'
import { inParallel, LONGER_SIDE, median, QUALITY, race, throughService } from './photo-race.ts'
import type { BenchRow } from './row.ts'

const PHOTOS = 60
const DIFFERENT_PHOTOS = 6
const ROUNDS = 5

export async function benchImages(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const processing = createProcessing({
    workerPath: fileURLToPath(new URL('../src/media/job-worker.ts', import.meta.url)),
    log: () => {},
  })
  try {
    const photos = await makePhotos(path.join(folder, 'in'))
    const contenders = new Map<string, (output: string) => Promise<unknown>>([
      ['service', (output) => throughService(processing, photos, output)],
      ['sharp', (output) => directly(photos, output)],
    ])
    if (await hasMogrify()) contenders.set('mogrify', (output) => throughMogrify(photos, output))
    return rowsFrom(await race({ contenders, folder, rounds: ROUNDS, results: PHOTOS, slow: ['mogrify'] }))
  } finally {
    await processing.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsFrom(seconds: ReadonlyMap<string, number[]>): BenchRow[] {
  const [service = [], sharp = [], mogrify = []] = ['service', 'sharp', 'mogrify'].map((name) =>
    seconds.get(name),
  )
  const note = `${PHOTOS} photos of 12 megapixels to ${LONGER_SIDE} px JPEG, medians of ${ROUNDS} rounds: service ${median(service).toFixed(2)} s, sharp ${median(sharp).toFixed(2)} s`
  const againstSharp = median(sharp) / median(service)
  const rows: BenchRow[] = [
    {
      name: 'images: service against sharp called directly',
      measured: againstSharp,
      unit: '× throughput',
      budget: '≥ 0.95',
      met: againstSharp >= 0.95,
      note,
    },
  ]
  if (mogrify.length > 0) {
    const againstMogrify = median(mogrify) / median(service)
    rows.push({
      name: 'images: service against mogrify',
      measured: againstMogrify,
      unit: '× throughput',
      budget: '> 1',
      met: againstMogrify > 1,
      note: `mogrify ${median(mogrify).toFixed(2)} s`,
    })
  }
  return rows
}

function directly(photos: readonly string[], output: string) {
  return inParallel(photos, availableParallelism() + 1, (photo) =>
    sharp(photo, { autoOrient: true })
      .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toFile(path.join(output, path.basename(photo))),
  )
}

function throughMogrify(photos: readonly string[], output: string) {
  const size = `${LONGER_SIDE}x${LONGER_SIDE}>`
  return promisify(execFile)('mogrify', [
    '-path',
    output,
    '-auto-orient',
    '-resize',
    size,
    '-quality',
    String(QUALITY),
    '-strip',
    ...photos,
  ])
}

/** Soft shapes with some grain, so that they compress about as well as real photos. */
async function makePhotos(folder: string): Promise<string[]> {
  await mkdir(folder)
  const photos: string[] = []
  for (let index = 0; index < PHOTOS; index++) {
    const photo = path.join(folder, `photo-${index}.jpg`)
    const original = photos[index % DIFFERENT_PHOTOS]
    if (original === undefined || index < DIFFERENT_PHOTOS) await makePhoto(photo)
    else await copyFile(original, photo)
    photos.push(photo)
  }
  return photos
}

const noise = (sigma: number) => ({ type: 'gaussian' as const, mean: 128, sigma })

async function makePhoto(file: string): Promise<void> {
  const [width, height] = [4000, 3000]
  const shapes = await sharp({
    create: { width: 40, height: 30, channels: 3, background: '#888', noise: noise(60) },
  })
    .png()
    .toBuffer()
  const grain = await sharp({ create: { width, height, channels: 3, background: '#888', noise: noise(10) } })
    .png({ compressionLevel: 0 })
    .toBuffer()
  await sharp(shapes)
    .resize(width, height, { kernel: 'cubic' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toFile(file)
}

async function hasMogrify(): Promise<boolean> {
  return promisify(execFile)('mogrify', ['-version']).then(
    () => true,
    () => false,
  )
}
