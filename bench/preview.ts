/**
 * Measures the time from a changed quality until the main process receives the pixels of the visible part. Shows a 12-megapixel
 * photo at full size in a preview pane of the default size. The decoding runs in the same processes as in the app. AVIF takes as long as its
 * encoder, so its floor is sharp alone.
 */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { createTrials } from '../src/main/estimate/estimate.ts'
import { createPreviews } from '../src/main/preview/preview.ts'
import { startWorker } from '../src/media/start-worker.ts'
import { findConfinement } from '../src/node/confinement.ts'
import { systemTiming } from '../src/node/timing.ts'
import { encoderValue } from '../src/media/image/quality-scale.ts'
import { samplePhoto } from '../test/media/image/process-photo.ts'
import { ROOT } from './build.ts'
import { p95, timed } from './measure.ts'
import { atMost, atMostTimes, type BenchRow, withoutBudget } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

const CHANGES = 20
const VIEW = { width: 552, height: 540, middle: null }
/** The view and 16 pixels on each side, up to the next multiple of 16. */
const PART = { left: 1_664, top: 1_216, width: 592, height: 576 }
const BUDGETS_MS = { jpeg: 400, webp: 400, jxl: 400 }

const nameOf = (format: string): string => `preview: ${format} quality changed, p95`

export async function benchPreview(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const photo = path.join(folder.path, 'photo.jpg')
  await samplePhoto(4_000, 3_000).jpeg({ quality: 92 }).toFile(photo)
  const made = path.join(folder.path, 'made')
  const worker = {
    path: path.join(ROOT, 'src/media/worker.ts'),
    node: process.execPath,
    confinement: await findConfinement({ platform: process.platform, log: () => {} }),
  }
  const previews = createPreviews({
    startViewer: () => startWorker('previews', worker),
    trials: createTrials({
      start: () => startWorker('trials', { ...worker, folders: [made] }),
      folder: made,
      timing: systemTiming,
    }),
    isWorking: () => false,
  })
  const change = (format: string, quality: number): Promise<number> =>
    timed(async () => {
      const shown = await previews.part({
        path: photo,
        preset: { name: 'Mine', image: { format, quality } },
        part: 'image',
        view: VIEW,
        start: null,
      })
      if (shown.kind !== 'part') throw new Error(`The preview returned no pixels: ${JSON.stringify(shown)}`)
    })
  try {
    const first = await change('jpeg', 50)
    const rows: BenchRow[] = []
    const note = `${CHANGES} changes, ${VIEW.width} × ${VIEW.height} of 12 megapixels in view`
    for (const [format, budget] of Object.entries(BUDGETS_MS)) {
      const [slow] = await slowest((quality) => change(format, quality))
      rows.push(atMost(nameOf(format), slow, 'ms', budget, note))
    }
    const [slow, floor] = await slowest((quality) => change('avif', quality), await bareAvif(photo))
    return [
      ...rows,
      atMostTimes(nameOf('avif'), slow, 'ms', { floor, most: 1.2 }, `${note}; the floor is sharp alone`),
      withoutBudget('preview: first pixels', first, 'ms', 'one measurement'),
    ]
  } finally {
    previews.close()
  }
}

type Change = (quality: number) => Promise<number>

/** Returns the 95th percentile of the times for one quality after another. The candidates take turns. */
async function slowest<Candidates extends readonly Change[]>(
  ...candidates: Candidates
): Promise<{ [Index in keyof Candidates]: number }> {
  const times = candidates.map((): number[] => [])
  for (let step = 0; step < CHANGES; step += 1)
    for (const [index, change] of candidates.entries()) times[index]?.push(await change(45 + 2 * step))
  return times.map(p95) as { [Index in keyof Candidates]: number }
}

/** Creates a function that encodes the part in view with sharp alone, on all cores and with the same setting, and returns how long that takes in ms. */
async function bareAvif(photo: string): Promise<Change> {
  sharp.concurrency(availableParallelism())
  const part = await sharp(photo).extract(PART).png({ compressionLevel: 0 }).toBuffer()
  return (quality) =>
    timed(() =>
      sharp(part)
        .avif({ quality: encoderValue('avif', quality) })
        .toBuffer(),
    )
}
