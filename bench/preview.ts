/**
 * Measures the time from a changed quality until the main process receives the pixels of the visible part. Shows a 12-megapixel
 * photo at full size in a preview pane of the default size. The decoding runs in the same processes as in the app.
 */
import path from 'node:path'
import { createTrials } from '../src/main/estimate/estimate.ts'
import { createPreviews } from '../src/main/preview/preview.ts'
import { startWorker } from '../src/media/start-worker.ts'
import { findConfinement } from '../src/node/confinement.ts'
import { systemTiming } from '../src/node/timing.ts'
import { samplePhoto } from '../test/media/image/process-photo.ts'
import { ROOT } from './build.ts'
import { p95, timed } from './measure.ts'
import { atMost, type BenchRow, withoutBudget } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

const CHANGES = 20
const VIEW = { width: 552, height: 540, middle: null }
const BUDGETS_MS = { jpeg: 400, webp: 400, jxl: 400, avif: 1_000 }

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
    for (const [format, budget] of Object.entries(BUDGETS_MS)) {
      const times: number[] = []
      for (let step = 0; step < CHANGES; step += 1) times.push(await change(format, 45 + 2 * step))
      const note = `${CHANGES} changes, ${VIEW.width} × ${VIEW.height} of 12 megapixels in view`
      rows.push(atMost(`preview: ${format} quality changed, p95`, p95(times), 'ms', budget, note))
    }
    return [...rows, withoutBudget('preview: first pixels', first, 'ms')]
  } finally {
    previews.close()
  }
}
