/**
 * Processes photos, videos and both in worker pools for 1 to 16 cores, regardless of how many this computer has. A pool for more cores than
 * the computer has can be slightly faster, because cores are idle less often. It must not lose much to its additional processes and
 * threads. `many-cores.sh` measures real cores.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { createProcessing, type Processing } from '../src/service/processing/processing.ts'
import { type JobInput, operationsOf } from '../src/service/queue/job-plan.ts'
import { runOperations } from '../src/service/queue/run-operations.ts'
import { ResultRules, VariationRanges, VideoRecipe } from '../src/shared/preset/preset.ts'
import { built } from './build.ts'
import { makeVideo } from './other-tools.ts'
import { type Candidate, CRF, race, recipe } from './race.ts'
import { atLeast, type BenchRow, withoutBudget } from './row.ts'
import { makePhotos } from './sample-photos.ts'
import { temporaryFolder } from './temporary-folder.ts'

const POOLS = [1, 2, 4, 8, 16]
/** Minimum throughput of a pool for more cores than the computer has, as a multiple of that of a pool for its cores. */
const LEAST = 0.8
const PHOTOS = 24
const VIDEOS = 8
const SECONDS = 3
const ROUNDS = 2

const RECIPES = {
  image: { kind: 'image', image: recipe },
  video: {
    kind: 'video',
    video: VideoRecipe.parse({ codec: 'h264', speed: 'veryfast', crf: CRF, height: 720 }),
  },
} as const

export async function benchCores(): Promise<BenchRow[]> {
  await using folder = await temporaryFolder()
  const photos = await makePhotos(path.join(folder.path, 'photos'), PHOTOS)
  const videos = await makeVideos(path.join(folder.path, 'videos'))
  const jobs: ReadonlyMap<string, readonly JobInput[]> = new Map([
    [`${PHOTOS} photos`, inputsOf(photos, 'image')],
    [`${VIDEOS} videos`, inputsOf(videos, 'video')],
    ['both', [...inputsOf(videos, 'video'), ...inputsOf(photos, 'image')]],
  ])
  const own = availableParallelism()
  const pools = new Map([own, ...POOLS].map((cores) => [cores, openPool(cores)]))
  const rows: BenchRow[] = []
  try {
    for (const [name, inputs] of jobs) {
      const candidates = new Map<string, Candidate>(
        [...pools].map(([cores, pool]) => [String(cores), (output) => throughPool(pool, inputs, output)]),
      )
      const seconds = await race({
        candidates,
        folder: folder.path,
        rounds: ROUNDS,
        results: inputs.length,
      })
      const secondsOf = (cores: number) => seconds.get(String(cores)) ?? Number.NaN
      rows.push(
        ...POOLS.filter((cores) => cores !== own).map((cores) => {
          const note = `${secondsOf(cores).toFixed(2)} s; a pool for ${own} cores ${secondsOf(own).toFixed(2)} s`
          const ratio = secondsOf(own) / secondsOf(cores)
          const title = `${name} in a pool for ${cores} ${cores === 1 ? 'core' : 'cores'}`
          return cores < own
            ? withoutBudget(title, ratio, '× throughput', note)
            : atLeast(title, ratio, '× throughput', LEAST, `simulated on ${own} cores: ${note}`)
        }),
      )
    }
    return rows
  } finally {
    await Promise.all([...pools.values()].map((pool) => pool.close()))
  }
}

const inputsOf = (paths: readonly string[], kind: JobInput['kind']): readonly JobInput[] =>
  paths.map((file) => ({ path: file, kind, work: 1 }))

const openPool = (cores: number): Processing =>
  createProcessing({ workerPath: built('service/worker.js'), cores, idleMs: 600_000, log: () => {} })

async function makeVideos(folder: string): Promise<readonly string[]> {
  await mkdir(folder)
  const videos = Array.from({ length: VIDEOS }, (_, index) => path.join(folder, `video-${index}.mp4`))
  const [first = '', ...more] = videos
  await makeVideo(first, SECONDS)
  await Promise.all(more.map((video) => copyFile(first, video)))
  return videos
}

/** Runs the operations as a job does. */
async function throughPool(
  processing: Processing,
  inputs: readonly JobInput[],
  outputFolder: string,
): Promise<void> {
  const { signal } = new AbortController()
  await runOperations(
    operationsOf(inputs, 1),
    (kind) => processing.parallelism(kind),
    signal,
    async ({ input, inputIndex, turn }) => {
      await processing.run(
        {
          inputPath: input.path,
          inputName: path.basename(input.path),
          outputFolder,
          presetName: 'Web',
          recipe: RECIPES[input.kind],
          ranges: VariationRanges.parse({}),
          rules: ResultRules.parse({}),
          subfolder: [],
          number: inputIndex + 1,
          inputs: inputs.length,
          variation: 1,
          variations: 1,
          left: inputs.length - turn,
        },
        { signal, onProgress: () => {} },
      )
    },
  )
}
