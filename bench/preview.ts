/**
 * From a changed quality to the true pixels of the part in view, as main hears of them, in the process that the app starts:
 * a photo of 12 megapixels at full size, in the pane that the window has when it is first opened.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPreviews, previewProcesses } from '../src/main/preview/preview.ts'
import { findConfinement } from '../src/node/confinement.ts'
import { madePhoto } from '../test/media/image/process-photo.ts'
import type { BenchRow } from './row.ts'

const CHANGES = 20
const VIEW = { width: 552, height: 540, middle: null }
const BUDGETS_MS = { jpeg: 400, webp: 400, jxl: 400, avif: 1_000 }
const entry = (name: string) => fileURLToPath(new URL(`../src/media/${name}.ts`, import.meta.url))

export async function benchPreview(): Promise<BenchRow[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediatray-bench-'))
  const photo = path.join(folder, 'photo.jpg')
  await madePhoto(4_000, 3_000).jpeg({ quality: 92 }).toFile(photo)
  const previews = createPreviews({
    ...previewProcesses({
      viewerPath: entry('preview-worker'),
      makerPath: entry('job-worker'),
      node: process.execPath,
      folder: path.join(folder, 'made'),
      confinement: await findConfinement({ platform: process.platform, log: () => {} }),
    }),
    monotonic: () => performance.now(),
    isWorking: () => false,
  })
  const change = async (format: string, quality: number): Promise<number> => {
    const begun = performance.now()
    const shown = await previews.part({
      path: photo,
      preset: { name: 'Mine', image: { format, quality } },
      part: 'image',
      view: VIEW,
      start: null,
    })
    if (shown.kind !== 'part') throw new Error(`No pixels came: ${JSON.stringify(shown)}`)
    return performance.now() - begun
  }
  try {
    const opened = await change('jpeg', 50)
    const rows: BenchRow[] = []
    for (const [format, budget] of Object.entries(BUDGETS_MS)) {
      const took: number[] = []
      for (let step = 0; step < CHANGES; step += 1) took.push(await change(format, 45 + 2 * step))
      rows.push(rowOf(format, took, budget))
    }
    return [
      ...rows,
      { name: 'preview: first pixels', measured: opened, unit: 'ms', budget: 'none', met: true },
    ]
  } finally {
    previews.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function rowOf(format: string, took: readonly number[], budget: number): BenchRow {
  const measured = took.toSorted((one, other) => one - other)[Math.ceil(0.95 * took.length) - 1] ?? Infinity
  return {
    name: `preview: quality of ${format} changed, p95`,
    measured,
    unit: 'ms',
    budget: `≤ ${budget}`,
    met: measured <= budget,
    note: `${CHANGES} changes, ${VIEW.width} × ${VIEW.height} of 12 megapixels in view`,
  }
}
