/**
 * The forecast of a new job against what the built-in service makes of it, and how soon its first figure is there. The batches
 * are made: photos of one camera, of many sizes and formats, and films, each with four presets. With
 * `MEDIATRAY_BENCH_MEDIA=FOLDER` the photos and videos of a folder of one's own take the place of one of them.
 */
import { execFile } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createForecasts, createTrials } from '../src/main/forecast/forecast.ts'
import { createStateStore } from '../src/main/state/state.ts'
import { startTrialWorker } from '../src/media/start-worker.ts'
import { findConfinement } from '../src/node/confinement.ts'
import { systemTiming } from '../src/node/timing.ts'
import type { Job } from '../src/shared/api/resources.ts'
import type { PresetDocument } from '../src/shared/model/built-in-service.ts'
import type { Expected, Forecast } from '../src/shared/model/forecast.ts'
import type { MediaItem } from '../src/shared/model/media-item.ts'
import { readPreset } from '../src/shared/preset/read-preset.ts'
import type { Result } from '../src/shared/service-error.ts'
import { emptyState } from '../test/main/state/empty-state.ts'
import { built } from './build.ts'
import { type Bench, startForBench } from './built-in.ts'
import { itemOf, makeBatches } from './forecast-batches.ts'
import type { BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'

const run = promisify(execFile)
type Known = Extract<Forecast, { readonly kind: 'known' }>
type Outcome = { readonly bytes: number; readonly milliseconds: number }

const PRESETS = [
  {
    name: 'Web',
    image: { quality: 82, size: { width: 2048, height: 2048 } },
    video: { height: 360, crf: 23 },
  },
  {
    name: 'Look',
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
const FIRST_OF_PHOTOS_MS = 3_000
const FIRST_OF_VIDEO_MS = 10_000
const LONG_VIDEO_S = 600

export async function benchForecast(): Promise<BenchRow[]> {
  const bench = await startForBench()
  try {
    for (const preset of PRESETS)
      await writeFile(join(bench.folder, 'service/presets', `${preset.name}.json`), JSON.stringify(preset))
    const first = [await firstOfPhotos(bench.folder), await firstOfVideo(bench.folder)]
    const found: Found[] = []
    for (const { name, items } of await makeBatches(bench.folder))
      for (const preset of PRESETS)
        found.push(await compare(bench, `${name}, ${preset.name}`, items, preset.name))
    return [...accuracyRows(found), ...first]
  } finally {
    await bench.close()
  }
}

type Found = { readonly name: string; readonly said: Forecast | null; readonly came: Outcome }

async function compare(
  bench: Bench,
  name: string,
  items: readonly MediaItem[],
  preset: string,
): Promise<Found> {
  await using forecasts = await openForecasts(bench.folder)
  const said = await forecasts.settled(items, preset)
  const came = await makeAll(bench, items, preset)
  console.error(`  ${name}: ${describe(said, came)}`)
  return { name, said, came }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const inParts = ({ low, likely, high }: Expected, value: number): string =>
  `${percent(value / likely)} (${percent(low / likely)} to ${percent(high / likely)})`

/** What came out and the range that was said, in parts of what was likely. */
function describe(said: Forecast | null, came: Outcome): string {
  if (said?.kind !== 'known') return said?.why ?? 'nothing said'
  const time = said.milliseconds === null ? '' : `, time ${inParts(said.milliseconds, came.milliseconds)}`
  return `size ${inParts(said.bytes, came.bytes)}${time}`
}

function accuracyRows(found: readonly Found[]): BenchRow[] {
  const known = found.flatMap(({ said, came }) => (said?.kind === 'known' ? [{ said, came }] : []))
  const sizes = known.map(({ said, came }) => ({ range: said.bytes, value: came.bytes }))
  const times = known.map(({ said, came }) => ({ range: said.milliseconds, value: came.milliseconds }))
  const widths = sizes
    .map(({ range }) => (range.high - range.low) / 2 / range.likely)
    .toSorted((a, b) => a - b)
  const widest = widths.at(-1) ?? Infinity
  const middle = widths[Math.floor(widths.length / 2)] ?? Infinity
  const count = `${found.length} batches, ${known.length} with a range`
  return [
    insideRow('forecast: size that came out inside the range', sizes, found.length, count),
    insideRow('forecast: time that it took inside the range', times, found.length, count),
    {
      name: 'forecast: widest range of sizes',
      measured: widest,
      unit: '± share',
      budget: `≤ ${WIDEST}`,
      met: widest <= WIDEST,
      note: `the middle one ± ${percent(middle)}; ${widths.filter((one) => one <= WIDEST).length} of them within`,
    },
  ]
}

type Held = { readonly range: Expected | null; readonly value: number }

function insideRow(name: string, held: readonly Held[], of: number, note: string): BenchRow {
  const inside = held.filter(
    ({ range, value }) => range !== null && range.low <= value && value <= range.high,
  )
  const measured = inside.length / of
  return {
    name,
    measured,
    unit: 'of batches',
    budget: `≥ ${LEAST_INSIDE}`,
    met: measured >= LEAST_INSIDE,
    note,
  }
}

/** The job as it is started afterwards, by the service itself. */
async function makeAll(bench: Bench, items: readonly MediaItem[], preset: string): Promise<Outcome> {
  const created = await bench.api.createJob({
    files: items.map(({ path }) => path),
    preset,
    outputFolder: join(bench.folder, 'out'),
  })
  const job = await ended(bench, valueOf(created).jobId)
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

async function ended({ api }: Bench, jobId: string): Promise<Job> {
  for (;;) {
    const job = valueOf(await api.job(jobId))
    if (job.completedAt !== null) return job
    await sleep(50)
  }
}

// ── The forecast as the app makes it ────────────────────────────────────────────────────────────────────────────────

async function openForecasts(folder: string) {
  const worker = {
    path: built('service/worker.js'),
    node: process.execPath,
    folders: [join(folder, 'trials')],
    confinement: await findConfinement({ platform: process.platform, log: () => {} }),
  }
  await mkdir(join(folder, 'trials'), { recursive: true })
  const state = createStateStore({ ...emptyState, connection: { ...emptyState.connection, kind: 'builtIn' } })
  const forecasts = createForecasts({
    state,
    presets: { list: () => Promise.resolve({ documents: PRESETS.map(documentOf) }) },
    trials: createTrials({
      start: () => startTrialWorker(worker),
      folder: join(folder, 'trials'),
      after: systemTiming.after,
    }),
    pastJobs: () => [],
    cores: availableParallelism(),
    log: (event, facts) => console.error(event, facts),
  })

  function look(items: readonly MediaItem[], preset: string): void {
    const { draft } = state.get()
    state.set({ draft: { ...draft, preset, source: { kind: 'files', items } } })
    forecasts.look(true)
  }

  const when = (fits: (forecast: Forecast) => boolean): Promise<Forecast> =>
    new Promise((resolve) => {
      state.onChange(({ forecast }) => {
        if (forecast !== null && fits(forecast)) resolve(forecast)
      })
    })

  return {
    async settled(items: readonly MediaItem[], preset: string): Promise<Forecast> {
      const last = when((now) => (now.kind === 'known' ? !now.isGrowing : now.why !== 'counting'))
      look(items, preset)
      return last
    },
    /** @returns ms until there is something to read */
    async first(items: readonly MediaItem[], preset: string): Promise<number> {
      const begun = performance.now()
      const known = when((now): now is Known => now.kind === 'known')
      look(items, preset)
      await known
      return performance.now() - begun
    },
    async [Symbol.asyncDispose]() {
      forecasts.close()
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
    forPhotos: true,
    forVideos: true,
    preset: read.preset,
    problems: [],
    fault: null,
    origin: 'own',
    unsaved: null,
  }
}

// ── How soon ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function firstOfPhotos(folder: string): Promise<BenchRow> {
  const photos = await makePhotos(join(folder, 'hundred'), 100)
  const items = await Promise.all(photos.map(itemOf))
  return firstRow(folder, 'forecast: first figure of 100 photos of 12 megapixels', items, FIRST_OF_PHOTOS_MS)
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
  return firstRow(
    folder,
    'forecast: first figure of 10 minutes of 1080p',
    [await itemOf(long)],
    FIRST_OF_VIDEO_MS,
  )
}

const ffmpeg = (input: readonly string[], output: readonly string[]): Promise<unknown> =>
  run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...input, ...output])

async function firstRow(
  folder: string,
  name: string,
  items: readonly MediaItem[],
  budget: number,
): Promise<BenchRow> {
  await using forecasts = await openForecasts(folder)
  const measured = await forecasts.first(items, 'Web')
  return { name, measured, unit: 'ms', budget: `≤ ${budget}`, met: measured <= budget }
}
