/**
 * Runs several candidates on the same files. They take turns, so that a busy moment of the computer affects all of them. Other programs can
 * only slow a round down, so each candidate's fastest round counts.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { ImageRecipe, ResultRules, VariationRanges } from '../src/shared/preset/preset.ts'
import { createProcessing, type Processing } from '../src/service/processing/processing.ts'
import { built } from './build.ts'
import { timed } from './measure.ts'

export const LONGER_SIDE = 2048
export const QUALITY = 82
/** The x264 quality of all video comparisons. */
export const CRF = 23
export const recipe = ImageRecipe.parse({
  format: 'jpeg',
  quality: QUALITY,
  size: { width: LONGER_SIDE, height: LONGER_SIDE },
})

/** Writes its results to an empty folder. */
export type Candidate = (outputFolder: string) => Promise<unknown>

export type Race = {
  readonly candidates: ReadonlyMap<string, Candidate>
  /** Contains the candidates' output folders. */
  readonly folder: string
  /** The minimum number of measured rounds. `isEnough` may require more. */
  readonly rounds: number
  /** The number of results that each candidate must write. */
  readonly results: number
  /** Candidates so much slower than the others that they run only in the last usual round. */
  readonly slow?: readonly string[]
  /** Candidates that use a new folder each round. All others reuse one folder, which is emptied. */
  readonly newFolder?: readonly string[]
  /** Maps a candidate to the one whose output folder it uses. A worker of the service may write to only one folder. */
  readonly sharing?: ReadonlyMap<string, string>
  /** Prepares each run of a candidate. Its time isn't measured. */
  readonly before?: (candidate: string) => Promise<void>
  /** Whether the fastest rounds so far meet the budgets. If not, up to `rounds` more follow: other programs may have slowed down every round so far. */
  readonly isEnough?: (seconds: Seconds) => boolean
}

/** The seconds of each candidate's fastest round. */
export type Seconds = ReadonlyMap<string, number>

/** Opens the service's worker pool. Idle workers stay alive until the pool is closed. */
export const openProcessing = (): Processing =>
  createProcessing({ workerPath: built('service/worker.js'), idleMs: 600_000, log: () => {} })

/**
 * Returns the seconds of each candidate's fastest round. A first, unmeasured round loads code and fills caches.
 * @throws Error if a candidate didn't write all results
 */
export async function race({
  candidates,
  folder,
  rounds,
  results,
  slow = [],
  newFolder = [],
  sharing = new Map(),
  before = () => Promise.resolve(),
  isEnough = () => true,
}: Race): Promise<Seconds> {
  const fastest = new Map<string, number>()
  for (let round = 0; round <= rounds || (round <= 2 * rounds && !isEnough(fastest)); round++) {
    for (const [name, run] of candidates) {
      if (slow.includes(name) && round !== rounds) continue
      const output = path.join(
        folder,
        newFolder.includes(name) ? `${name}-${round}` : (sharing.get(name) ?? name),
      )
      await mkdir(output, { recursive: true })
      await before(name)
      const ms = await timed(() => run(output))
      if (round > 0) fastest.set(name, Math.min(ms / 1000, fastest.get(name) ?? Infinity))
      const written = await readdir(output)
      if (written.length !== results) throw new Error(`${name} wrote ${written.length} of ${results} results`)
      // A folder that is deleted and created again is a new one, even if it has the same inode.
      for (const file of written) await rm(path.join(output, file), { recursive: true })
    }
  }
  return fastest
}

export function throughService(
  processing: Processing,
  photos: readonly string[],
  outputFolder: string,
): Promise<void> {
  const control = { signal: new AbortController().signal, onProgress: () => {} }
  return inParallel(photos, processing.parallelism('image'), (inputPath) =>
    processing.run(
      {
        inputPath,
        inputName: path.basename(inputPath),
        outputFolder,
        presetName: 'Web',
        recipe: { kind: 'image', image: recipe },
        ranges: VariationRanges.parse({}),
        rules: ResultRules.parse({}),
        subfolder: [],
        number: 1,
        inputs: 1,
        variation: 1,
        variations: 1,
        left: 1,
      },
      control,
    ),
  )
}

/** Processes the photos, at most `limit` at once. */
export async function inParallel(
  photos: readonly string[],
  limit: number,
  work: (photo: string) => Promise<unknown>,
): Promise<void> {
  const waiting = photos.values()
  const worker = async () => {
    for (const photo of waiting) await work(photo)
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
