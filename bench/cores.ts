/**
 * Processes photos and videos of one job in worker pools for 4 to 16 cores, regardless of how many this computer has. A pool for more cores
 * than the computer has can't be faster, but it must not lose much to its additional processes and threads. `many-cores.sh` measures real
 * cores.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { createProcessing, type Processing } from '../src/service/processing/processing.ts'
import { type JobInput, operationsOf } from '../src/service/queue/job-plan.ts'
import { runOperations } from '../src/service/queue/run-operations.ts'
import { ResultRules, VariationRanges, VideoRecipe } from '../src/shared/preset/preset.ts'
import { built } from './build.ts'
import { median } from './measure.ts'
import { makeVideo } from './other-tools.ts'
import { type Candidate, CRF, race, recipe } from './race.ts'
import { atLeast, type BenchRow } from './row.ts'
import { makePhotos } from './sample-photos.ts'
import { temporaryFolder } from './temporary-folder.ts'

const POOLS = [4, 8, 16]
const PHOTOS = 24
const VIDEOS = 8
const SECONDS = 3
const ROUNDS = 3

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
  const inputs: readonly JobInput[] = [
    ...videos.map((file) => ({ path: file, kind: 'video' as const, work: 1 })),
    ...photos.map((file) => ({ path: file, kind: 'image' as const, work: 1 })),
  ]
  const own = availableParallelism()
  const pools = new Map([own, ...POOLS].map((cores) => [cores, openPool(cores)]))
  try {
    const candidates = new Map<string, Candidate>(
      [...pools].map(([cores, pool]) => [String(cores), (output) => throughPool(pool, inputs, output)]),
    )
    const seconds = await race({ candidates, folder: folder.path, rounds: ROUNDS, results: inputs.length })
    const secondsOf = (cores: number) => median(seconds.get(String(cores)) ?? [])
    return POOLS.filter((cores) => cores > own).map((cores) =>
      atLeast(
        `one job in a pool for ${cores} cores`,
        secondsOf(own) / secondsOf(cores),
        '× throughput',
        0.8,
        `simulated on ${own} cores: ${PHOTOS} photos of 12 megapixels to 2048 px and ${VIDEOS} videos of ${SECONDS} s, 1080p to 720p, medians of ${ROUNDS} alternating rounds: ${secondsOf(cores).toFixed(2)} s; the pool for ${own} cores ${secondsOf(own).toFixed(2)} s`,
      ),
    )
  } finally {
    await Promise.all([...pools.values()].map((pool) => pool.close()))
  }
}

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
