/** The same photos by several ways, in turns, so that a busy moment of the computer hits all of them. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { ImageRecipe, ResultRules, VariationRanges } from '../src/shared/preset/preset.ts'
import { createProcessing, type Processing } from '../src/service/processing/processing.ts'
import { buildAll, built } from './build.ts'

export const LONGER_SIDE = 2048
export const QUALITY = 82
export const recipe = ImageRecipe.parse({
  format: 'jpeg',
  quality: QUALITY,
  size: { width: LONGER_SIDE, height: LONGER_SIDE },
})

export type Contenders = ReadonlyMap<string, (output: string) => Promise<unknown>>

export type Race = {
  readonly contenders: Contenders
  /** Where each makes a folder for its results. */
  readonly folder: string
  readonly rounds: number
  /** How many results each has to make. */
  readonly results: number
  /** Many times slower than the others: once is enough to tell. */
  readonly slow?: readonly string[]
  /** Those that get another folder each round; the others keep theirs, and find it empty. */
  readonly anew?: readonly string[]
}

/** As the service has it. */
export async function openProcessing(): Promise<Processing> {
  await buildAll()
  return openBuiltProcessing()
}

/** Idle workers stay: they are to be as warm as between two files, however long the other contenders take. */
export const openBuiltProcessing = (): Processing =>
  createProcessing({ workerPath: built('service/worker.js'), idleMs: 600_000, log: () => {} })

/** @returns the seconds that each took in each round; a first round without the clock loads code and fills caches */
export async function race({
  contenders,
  folder,
  rounds,
  results,
  slow = [],
  anew = [],
}: Race): Promise<Map<string, number[]>> {
  const seconds = new Map([...contenders.keys()].map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of contenders) {
      if (slow.includes(name) && round < rounds) continue
      const output = path.join(folder, anew.includes(name) ? `${name}-${round}` : name)
      await mkdir(output)
      const start = performance.now()
      await run(output)
      if (round > 0) seconds.get(name)?.push((performance.now() - start) / 1000)
      const made = (await readdir(output)).length
      if (made !== results) throw new Error(`${name} made ${made} of ${results} photos`)
      await rm(output, { recursive: true })
    }
  }
  return seconds
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
      },
      control,
    ),
  )
}

export async function inParallel(
  photos: readonly string[],
  most: number,
  work: (photo: string) => Promise<unknown>,
): Promise<void> {
  const waiting = photos.values()
  const worker = async () => {
    for (const photo of waiting) await work(photo)
  }
  await Promise.all(Array.from({ length: most }, worker))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}
