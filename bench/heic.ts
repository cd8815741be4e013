/** HEIC of a phone's size through the service's processing, against vipsthumbnail in as many processes as there are cores. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createProcessing } from '../src/service/processing/processing.ts'
import { makeHeic, turned } from '../test/media/image/made-heic.ts'
import { inParallel, LONGER_SIDE, median, QUALITY, race, throughService } from './photo-race.ts'
import type { BenchRow } from './row.ts'

const PHOTOS = 24
const ROUNDS = 3
const run = promisify(execFile)

export async function benchHeic(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const processing = createProcessing({
    workerPath: fileURLToPath(new URL('../src/media/job-worker.ts', import.meta.url)),
    log: () => {},
  })
  try {
    const photos = await makePhotos(path.join(folder, 'in'))
    const contenders = new Map([
      ['service', (output: string): Promise<unknown> => throughService(processing, photos, output)],
    ])
    if (await canThumbnail()) contenders.set('vipsthumbnail', (output) => throughVips(photos, output))
    return rowsFrom(await race({ contenders, folder, rounds: ROUNDS, results: PHOTOS }))
  } finally {
    await processing.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsFrom(seconds: ReadonlyMap<string, number[]>): BenchRow[] {
  const service = median(seconds.get('service') ?? [])
  const theirs = seconds.get('vipsthumbnail')
  const what = `${PHOTOS} HEIC of 12 megapixels to ${LONGER_SIDE} px JPEG: service ${service.toFixed(2)} s`
  if (theirs === undefined) {
    const note = `${what}; vipsthumbnail is not installed, so that there is nothing to compare it with`
    return [
      {
        name: 'heic: each',
        measured: (service / PHOTOS) * 1000,
        unit: 'ms',
        budget: 'none',
        met: true,
        note,
      },
    ]
  }
  const measured = median(theirs) / service
  return [
    {
      name: 'heic: service against vipsthumbnail',
      measured,
      unit: '× throughput',
      budget: '≥ 1.5',
      met: measured >= 1.5,
      note: `${what}, vipsthumbnail ${median(theirs).toFixed(2)} s`,
    },
  ]
}

function throughVips(photos: readonly string[], output: string): Promise<void> {
  return inParallel(photos, availableParallelism(), (photo) =>
    run('vipsthumbnail', [
      photo,
      '--size',
      `${LONGER_SIDE}x${LONGER_SIDE}>`,
      '-o',
      path.join(output, `${path.parse(photo).name}.jpg[Q=${QUALITY},strip]`),
    ]),
  )
}

/** As a phone makes them: tiles of 512 pixels, turned by a quarter. */
async function makePhotos(folder: string): Promise<string[]> {
  await mkdir(folder)
  const tile = { width: 512, height: 512 }
  const made = makeHeic({
    tile,
    columns: 8,
    rows: 6,
    width: 4032,
    height: 3024,
    range: 'pc',
    properties: [turned(3)],
  })
  const photos = Array.from({ length: PHOTOS }, (_, index) => path.join(folder, `photo-${index}.heic`))
  const [first = '', ...others] = photos
  await writeFile(first, made)
  for (const photo of others) await copyFile(first, photo)
  return photos
}

const canThumbnail = (): Promise<boolean> =>
  run('vipsthumbnail', ['--version']).then(
    () => true,
    () => false,
  )
