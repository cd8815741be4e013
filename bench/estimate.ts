/**
 * Compares the estimate of a new job with the built-in service's results, and measures the time until its first figure. The batches
 * are generated: photos from one camera, in many sizes and in many formats, and videos, each with four presets.
 * `MEDIATRAY_BENCH_MEDIA=FOLDER` replaces the batch of videos with the photos and videos of a folder.
 */
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEstimates, createTrials } from '../src/main/estimate/estimate.ts'
import { createStateStore } from '../src/main/state/state.ts'
import { startWorker } from '../src/media/start-worker.ts'
import { findConfinement } from '../src/node/confinement.ts'
import { systemTiming } from '../src/node/timing.ts'
import type { ServiceJob } from '../src/shared/api/resources.ts'
import type { PresetDocument } from '../src/shared/model/built-in-service.ts'
import type { EstimateRange, Estimate } from '../src/shared/model/estimate.ts'
import type { MediaItem } from '../src/shared/model/media-item.ts'
import { readPreset } from '../src/shared/preset/read-preset.ts'
import type { Result } from '../src/shared/service-error.ts'
import { emptyState } from '../test/main/state/empty-state.ts'
import { built } from './build.ts'
import { type Bench, startForBench } from './built-in.ts'
import { itemOf, makeBatches } from './estimate-batches.ts'
import { median, timed } from './measure.ts'
import { ffmpeg } from './other-tools.ts'
import { atLeast, atMost, type BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'

type Outcome = { readonly bytes: number; readonly milliseconds: number }

const PRESETS = [
  {
    name: 'Web',
    image: { quality: 82, size: { width: 2048, height: 2048 } },
    video: { height: 360, crf: 23 },
  },
  {
    name: 'Visual quality',
    image: { format: 'webp', look: 70, size: { width: 1024, height: 1024 } },
    video: { height: 240, crf: 28 },
  },
  {
    name: 'Small',
    image: { format: 'avif', quality: 60, size: { width: 1280, height: 1280 } },
    video: { crf: 32 },
  },
  {
    name: 'Fits',
    image: { format: 'jpeg', maxBytes: 150_000, mayShrink: true },
    video: { maxBytes: 400_000 },
  },
]
const LEAST_INSIDE = 0.8
const WIDEST = 0.2
const LONG_VIDEO_S = 600

export async function benchEstimate(): Promise<BenchRow[]> {
  await using bench = await startForBench()
  for (const preset of PRESETS)
    await writeFile(join(bench.folder, 'service/presets', `${preset.name}.json`), JSON.stringify(preset))
  const first = [await firstOfPhotos(bench.folder), await firstOfVideo(bench.folder)]
  const trials: Trial[] = []
  for (const { name, items } of await makeBatches(bench.folder))
    for (const preset of PRESETS)
      trials.push(await compare(bench, `${name}, ${preset.name}`, items, preset.name))
  return [...accuracyRows(trials), ...first]
}

type Trial = { readonly estimate: Estimate; readonly outcome: Outcome }

async function compare(
  bench: Bench,
  name: string,
  items: readonly MediaItem[],
  preset: string,
): Promise<Trial> {
  await using estimates = await openEstimates(bench.folder)
  const estimate = await estimates.final(items, preset)
  const outcome = await runJob(bench, items, preset)
  console.error(`  ${name}: ${describe(estimate, outcome)}`)
  return { estimate, outcome }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const asShares = ({ low, likely, high }: EstimateRange, value: number): string =>
  `${percent(value / likely)} (${percent(low / likely)} to ${percent(high / likely)})`

/** Describes the outcome and the estimated range as percentages of the likely value. */
function describe(estimate: Estimate, outcome: Outcome): string {
  if (estimate.kind !== 'known') return estimate.why
  const { bytes, milliseconds } = estimate
  const time = milliseconds === null ? '' : `, time ${asShares(milliseconds, outcome.milliseconds)}`
  return `size ${asShares(bytes, outcome.bytes)}${time}`
}

function accuracyRows(trials: readonly Trial[]): BenchRow[] {
  const known = trials.flatMap(({ estimate, outcome }) =>
    estimate.kind === 'known' ? [{ estimate, outcome }] : [],
  )
  const sizes = known.map(({ estimate, outcome }) => ({ range: estimate.bytes, value: outcome.bytes }))
  const times = known.map(({ estimate, outcome }) => ({
    range: estimate.milliseconds,
    value: outcome.milliseconds,
  }))
  const widths = sizes
    .map(({ range }) => (range.high - range.low) / 2 / range.likely)
    .toSorted((a, b) => a - b)
  const note = `${trials.length} batches, ${known.length} with a range`
  return [
    insideRow('estimate: size within its range', sizes, trials.length, note),
    insideRow('estimate: time within its range', times, trials.length, note),
    atMost(
      'estimate: widest range of sizes',
      widths.at(-1) ?? Infinity,
      '± share',
      WIDEST,
      `median ± ${percent(median(widths))}; ${widths.filter((width) => width <= WIDEST).length} within the budget`,
    ),
  ]
}

type Compared = { readonly range: EstimateRange | null; readonly value: number }

function insideRow(name: string, compared: readonly Compared[], of: number, note: string): BenchRow {
  const inside = compared.filter(
    ({ range, value }) => range !== null && range.low <= value && value <= range.high,
  )
  return atLeast(name, inside.length / of, 'of batches', LEAST_INSIDE, note)
}

/** Runs the estimated job in the service. */
async function runJob(bench: Bench, items: readonly MediaItem[], preset: string): Promise<Outcome> {
  const created = await bench.api.createJob({
    files: items.map(({ path }) => path),
    preset,
    outputFolder: join(bench.folder, 'out'),
  })
  const job = await endedJob(bench, valueOf(created).jobId)
  const sizes = await Promise.all(
    (job.results ?? []).map(async ({ outputPath }) => (await stat(outputPath)).size),
  )
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    milliseconds: Date.parse(job.completedAt ?? '') - Date.parse(job.startedAt ?? ''),
  }
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

async function endedJob({ api }: Bench, jobId: string): Promise<ServiceJob> {
  for (;;) {
    const job = valueOf(await api.job(jobId))
    if (job.completedAt !== null) return job
    await sleep(50)
  }
}

// ── The app's estimate ────────────────────────────────────────────────────────────────────────────────

async function openEstimates(folder: string) {
  const worker = {
    path: built('service/worker.js'),
    node: process.execPath,
    folders: [join(folder, 'trials')],
    confinement: await findConfinement({ platform: process.platform, log: () => {} }),
  }
  await mkdir(join(folder, 'trials'), { recursive: true })
  const state = createStateStore({ ...emptyState, connection: { ...emptyState.connection, kind: 'builtIn' } })
  const estimates = createEstimates({
    state,
    presets: {
      find: (names) =>
        Promise.resolve(names.map((name) => PRESETS.map(documentOf).find((one) => one.name === name))),
    },
    trials: createTrials({
      start: () => startWorker('trials', worker),
      folder: join(folder, 'trials'),
      timing: systemTiming,
    }),
    pastJobs: () => [],
    cores: availableParallelism(),
    log: (event, facts) => console.error(event, facts),
  })

  function request(items: readonly MediaItem[], preset: string): void {
    const { draft } = state.get()
    state.set({ draft: { ...draft, presets: [preset], source: { kind: 'files', items } } })
    estimates.setVisible(true)
  }

  const when = (matches: (estimate: Estimate) => boolean): Promise<Estimate> =>
    new Promise((resolve) => {
      state.onChange(({ estimate }) => {
        if (estimate !== null && matches(estimate.total)) resolve(estimate.total)
      })
    })

  return {
    async final(items: readonly MediaItem[], preset: string): Promise<Estimate> {
      const last = when((now) => (now.kind === 'known' ? !now.isGrowing : now.why !== 'counting'))
      request(items, preset)
      return last
    },
    /** Resolves with the ms until the first figure. */
    async first(items: readonly MediaItem[], preset: string): Promise<number> {
      const known = when((now) => now.kind === 'known')
      return timed(() => {
        request(items, preset)
        return known
      })
    },
    async [Symbol.asyncDispose]() {
      estimates.close()
      await sleep(0)
    },
  }
}

function documentOf(preset: (typeof PRESETS)[number]): PresetDocument {
  const text = JSON.stringify(preset)
  const read = readPreset(text)
  if (read.problems !== undefined) throw new Error(JSON.stringify(read.problems))
  return {
    name: preset.name,
    text,
    preset: read.preset,
    problems: [],
    fault: null,
    origin: 'own',
    unsaved: null,
  }
}

// ── The first figure ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function firstOfPhotos(folder: string): Promise<BenchRow> {
  const photos = await makePhotos(join(folder, 'hundred'), 100)
  const items = await Promise.all(photos.map(itemOf))
  return firstRow(folder, 'estimate: first figure for 100 photos of 12 megapixels', items, 3_000)
}

async function firstOfVideo(folder: string): Promise<BenchRow> {
  const part = join(folder, 'part.mp4')
  const long = join(folder, 'long.mp4')
  const source = 'testsrc2=s=1920x1080:r=30:d=20'
  await ffmpeg(
    ['-f', 'lavfi', '-i', source, '-vf', 'noise=alls=3:allf=t', '-c:v', 'libx264'],
    ['-preset', 'ultrafast', '-pix_fmt', 'yuv420p', part],
  )
  await ffmpeg(['-stream_loop', String(LONG_VIDEO_S / 20 - 1), '-i', part], ['-c', 'copy', long])
  return firstRow(folder, 'estimate: first figure for 10 minutes of 1080p', [await itemOf(long)], 10_000)
}

async function firstRow(
  folder: string,
  name: string,
  items: readonly MediaItem[],
  budget: number,
): Promise<BenchRow> {
  await using estimates = await openEstimates(folder)
  return atMost(name, await estimates.first(items, 'Web'), 'ms', budget)
}
