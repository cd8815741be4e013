/** What the service's own process keeps: over a thousand jobs, and while it works on one that makes five thousand files. */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningService } from '../test/conformance/running-service.ts'
import { imageBytes } from '../test/conformance/sample-files.ts'
import { buildAll } from './build.ts'
import type { BenchRow } from './row.ts'

const JOBS = 1_000
/** What every job needs is loaded, and its memory grown, by then. */
const WARM_UP = 100
/** What one request can name is limited (section 8), so each file is made several times. */
const FILES = 500
const EACH = 10
const MOST_MIB = 64
const ACCEPTED = 202
const QUEUE_FULL = 429

export async function benchServiceMemory(): Promise<BenchRow[]> {
  await buildAll()
  const { startService } = await import('../test/conformance/running-service.ts')
  const service = await startService()
  try {
    const files = await writePhotos(join(service.folder, 'in'))
    const single = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ filePath: files[n % FILES] }))
    await runJobs(service, single(WARM_UP))
    const before = residentMiB(service, 'VmRSS')
    await runJobs(service, single(JOBS))
    const after = residentMiB(service, 'VmRSS')
    await runJobs(service, [{ files, batchCount: EACH }])
    const most = residentMiB(service, 'VmHWM')
    return [
      row(`service, ${JOBS} jobs after the first ${WARM_UP}: more memory`, after - before),
      row(`service, one job of ${FILES * EACH} files: more memory at most`, most - after),
    ]
  } finally {
    await service.stop()
  }
}

const row = (name: string, measured: number): BenchRow => ({
  name,
  measured,
  unit: 'MiB',
  budget: `≤ ${MOST_MIB}`,
  met: measured <= MOST_MIB,
  note: 'resident, of its own process; workers end with what they had',
})

/** Tiny ones: what is looked at is not the decoding. */
async function writePhotos(folder: string): Promise<readonly string[]> {
  await mkdir(folder)
  const bytes = await imageBytes('jpeg', { width: 64, height: 64 })
  const paths = Array.from({ length: FILES }, (_, n) => join(folder, `photo ${n}.jpg`))
  for (const path of paths) await writeFile(path, bytes)
  return paths
}

async function runJobs(service: RunningService, inputs: readonly object[]): Promise<void> {
  const outputFolder = join(service.folder, 'out')
  await mkdir(outputFolder, { recursive: true })
  for (const input of inputs) await submit(service, { ...input, outputFolder })
  await service.idle()
}

/** Waits for room in the queue. */
async function submit(service: RunningService, body: object): Promise<void> {
  for (;;) {
    const answer = await service.submit(body)
    const said = await answer.text()
    if (answer.status === ACCEPTED) return
    if (answer.status !== QUEUE_FULL) throw new Error(said)
    await sleep(20)
  }
}

function residentMiB({ child }: RunningService, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024
}
