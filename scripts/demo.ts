/**
 * `npm run demo`: the main job, for real. Starts the built-in service, gives it real photos and a video, follows the jobs,
 * and looks at every result by decoding it. Exits 0 only if each is a whole file of the kind that its preset promises.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../src/shared/api/resources.ts'
import { createHumanReport, createWaiting, startBuiltInService, type Sink } from '../src/main/cli/index.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../src/main/service-api/index.ts'
import { look, type Look } from './look-at-media.ts'

type Promised = {
  readonly format: 'jpeg' | 'png' | 'webp' | 'mp4'
  /** In pixels, as shown. */
  readonly within: readonly [width: number, height: number]
}

type Sample = { readonly path: string; readonly preset: string; readonly promise: Promised }

const root = resolve(import.meta.dirname, '..')
const own = (name: string) => join(root, 'assets', 'samples', name)
const other = (name: string) => join(root, '..', 'shared', 'media', name)

const SAMPLES: readonly Sample[] = [
  { path: own('dawn-upright.jpg'), preset: 'Web 720p', promise: { format: 'jpeg', within: [1280, 720] } },
  { path: own('mountain-lake.webp'), preset: 'Thumbnail', promise: { format: 'jpeg', within: [320, 320] } },
  {
    path: own('flower-on-nothing.png'),
    preset: 'WebP 1600',
    promise: { format: 'webp', within: [1600, 1600] },
  },
  { path: own('sunrise.mp4'), preset: 'Social square', promise: { format: 'mp4', within: [1080, 1080] } },
  // Real cameras' files, where somebody has them lying beside the project.
  {
    path: other('Landscape_6.jpg'),
    preset: 'Social square',
    promise: { format: 'jpeg', within: [1080, 1080] },
  },
  {
    path: other('rainbow-451x461.heic'),
    preset: 'Web 1080p',
    promise: { format: 'jpeg', within: [1920, 1920] },
  },
  { path: other('rgb24.bmp'), preset: 'Archive lossless', promise: { format: 'png', within: [4096, 4096] } },
  { path: other('tbbn3p08.png'), preset: 'WebP 1600', promise: { format: 'webp', within: [1600, 1600] } },
  {
    path: other('rotate-buck-bunny.mp4'),
    preset: 'Web 720p',
    promise: { format: 'mp4', within: [1280, 1280] },
  },
]

type Row = {
  readonly sample: Sample
  readonly before: Look
  readonly beforeBytes: number
  readonly after: { readonly path: string; readonly bytes: number; readonly look: Look } | undefined
  readonly ms: number | null
  /** Why it is not what was promised; '' if it is. */
  readonly wrong: string
}

async function main(): Promise<number> {
  const samples = SAMPLES.filter(({ path }) => existsSync(path))
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-demo-'))
  const started = await startBuiltInService(
    join(root, 'src', 'service', 'main.ts'),
    join(folder, 'service'),
    process.env,
  )
  if (!started.ok) {
    console.error(`The built-in service could not be started: ${started.why}`)
    return 1
  }
  const { service } = started
  const baseUrl = parseBaseUrl(service.baseUrl)
  if (!baseUrl.ok) throw new Error(baseUrl.why)
  const api = createServiceApi({ baseUrl: baseUrl.value, key: () => service.key })
  try {
    console.log(`The built-in service runs at ${service.baseUrl}.`)
    console.log(`${samples.length} files go in, one job each; the results go to ${join(folder, 'results')}\n`)
    const finished = await submitAll(api, samples, join(folder, 'results'))
    const rows: Row[] = []
    for (const sample of samples) rows.push(await check(sample, finished.get(sample)))
    printTable(rows)
    const wrong = rows.filter((row) => row.wrong !== '')
    console.log(
      wrong.length === 0
        ? `\nAll ${rows.length} results were decoded and are what their presets promise. They are in ${join(folder, 'results')}`
        : `\n${wrong.length} of ${rows.length} results are not what their presets promise.`,
    )
    return wrong.length === 0 ? 0 : 1
  } finally {
    await api.close()
    await service.stop()
  }
}

/** Every file as a job of its own, followed to its end. */
async function submitAll(
  api: ServiceApi,
  samples: readonly Sample[],
  outputFolder: string,
): Promise<ReadonlyMap<Sample, Job>> {
  const report = createHumanReport(sink(process.stdout), sink(process.stderr))
  const waiting = createWaiting({
    service: { api, kind: 'builtIn', close: () => Promise.resolve() },
    report,
    surroundings: {
      argv: [],
      env: {},
      cwd: root,
      home: homedir(),
      platform: process.platform,
      stdout: sink(process.stdout),
      stderr: sink(process.stderr),
      readKey: () => Promise.resolve(undefined),
      clock: { now: Date.now, sleep: (ms) => sleep(ms) },
      interrupted: new AbortController().signal,
      builtInEntry: '',
    },
  })
  const jobs = new Map<string, Sample>()
  for (const sample of samples) {
    const created = await api.createJob({ filePath: sample.path, preset: sample.preset, outputFolder })
    if (!created.ok) {
      console.error(`${basename(sample.path)} was not accepted: ${created.error.message}`)
      continue
    }
    jobs.set(created.value.jobId, sample)
    waiting.add({ jobId: created.value.jobId, name: basename(sample.path), skipped: created.value.skipped })
  }
  while (waiting.pending > 0) {
    if ((await waiting.look()) !== undefined) break
    await sleep(100)
  }
  const finished = new Map<Sample, Job>()
  for (const [jobId, job] of waiting.finished) {
    const sample = jobs.get(jobId)
    if (sample) finished.set(sample, job)
  }
  return finished
}

const sink = (stream: NodeJS.WriteStream): Sink => ({
  write: (text) => void stream.write(text),
  columns: stream.isTTY ? stream.columns || 80 : undefined,
})

async function check(sample: Sample, job: Job | undefined): Promise<Row> {
  const before = await look(sample.path)
  const beforeBytes = (await stat(sample.path)).size
  const path = job?.result?.outputPath
  const common = { sample, before, beforeBytes, ms: job === undefined ? null : lasted(job) }
  if (path === undefined) return { ...common, after: undefined, wrong: job?.error ?? 'there is no result' }
  try {
    const after = await look(path)
    const bytes = (await stat(path)).size
    return { ...common, after: { path, bytes, look: after }, wrong: broken(sample.promise, before, after) }
  } catch (error) {
    return { ...common, after: undefined, wrong: `it can't be decoded: ${String(error)}` }
  }
}

/** In ms, by the service's own clock. */
function lasted({ startedAt, completedAt }: Job): number | null {
  const ms = Date.parse(completedAt ?? '') - Date.parse(startedAt ?? '')
  return Number.isFinite(ms) ? ms : null
}

function broken({ format, within: [width, height] }: Promised, before: Look, after: Look): string {
  if (after.format !== format) return `it is ${after.format}, not ${format}`
  if (after.width > width || after.height > height) return `it is larger than ${width} × ${height}`
  if (after.frames < 1) return 'it has no picture'
  if (before.seconds !== null && Math.abs((after.seconds ?? 0) - before.seconds) > 0.5)
    return 'it has another length'
  if (before.alpha && format !== 'jpeg' && !after.alpha) return 'its transparency is lost'
  return ''
}

function printTable(rows: readonly Row[]): void {
  const cells = rows.map(({ sample, before, beforeBytes, after, ms, wrong }) => [
    basename(sample.path),
    sample.preset,
    `${before.width} × ${before.height}`,
    inKib(beforeBytes),
    after === undefined ? '–' : `${after.look.width} × ${after.look.height}`,
    after === undefined ? '–' : inKib(after.bytes),
    ms === null ? '–' : `${ms} ms`,
    wrong === '' ? 'ok' : wrong,
    after?.path ?? '',
  ])
  const table = [['input', 'preset', 'before', '', 'after', '', 'time', 'check', 'output'], ...cells]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  console.log('')
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

const inKib = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`

process.exitCode = await main()
