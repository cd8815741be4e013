/** Photos that wouldn't fit in the memory together, processed by real workers on a computer with 16 cores. */
import { readFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it, onTestFinished } from 'vitest'
import { availableMemory } from '../../src/node/available-memory.ts'
import {
  createProcessing,
  type Processing,
  type ProcessingTask,
} from '../../src/service/processing/processing.ts'
import { ImageRecipe, ResultRules, VariationRanges } from '../../src/shared/preset/preset.ts'
import { KINDS } from '../../bench/memory-samples.ts'
import { childrenOf } from '../child-processes.ts'
import { WORKER } from '../entries.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { enterMemoryGroup } from './memory-group.ts'

const MIB = 2 ** 20
const CORES = 16
const { count, width, height, limit } = { count: 20, width: 16_320, height: 12_288, limit: 6_000 * MIB }

/** Creates a photo of noise, which compresses badly. */
async function makePhoto(path: string): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const
  const tile = { width: 480, height: 384, channels: 3, background: '#888' } as const
  const input = await sharp({ create: { ...tile, noise } })
    .png()
    .toBuffer()
  await sharp({ create: { ...tile, width, height } })
    .composite([{ input, tile: true }])
    .jpeg()
    .toFile(path)
}

/** Resident memory in bytes; 0 after the process has exited. */
function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

type Photo = Pick<ProcessingTask, 'inputPath' | 'inputName'>

/** Rotates one photo. */
const run = (processing: Processing, photo: Photo, outputFolder: string, index: number) =>
  processing.run(
    {
      ...photo,
      outputFolder,
      presetName: 'Large',
      recipe: { kind: 'image', image: ImageRecipe.parse({ format: 'jpeg', rotate: 90 }) },
      ranges: VariationRanges.parse({}),
      rules: ResultRules.parse({}),
      subfolder: [],
      number: index + 1,
      inputs: count,
      variation: 1,
      variations: 1,
      left: count - index,
    },
    { signal: new AbortController().signal, onProgress: () => undefined },
  )

/** Rotates all photos at once, on 16 cores. Returns the highest memory and number of the workers. */
async function rotateAll(available?: () => number) {
  const inputPath = join(temporaryFolder(), 'in.jpg')
  await makePhoto(inputPath)
  const outputFolder = temporaryFolder()
  await using processing = closing(
    createProcessing({
      workerPath: WORKER,
      cores: CORES,
      log: () => undefined,
      ...(available && { available }),
    }),
  )
  const most = { bytes: 0, workers: 0 }
  const timer = setInterval(() => {
    const workers = childrenOf(process.pid, WORKER)
    most.workers = Math.max(most.workers, workers.length)
    most.bytes = Math.max(
      most.bytes,
      workers.reduce((sum, pid) => sum + memoryOf(pid), 0),
    )
  }, 20)
  onTestFinished(() => clearInterval(timer))
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      run(processing, { inputPath, inputName: `${index}.jpg` }, outputFolder, index),
    ),
  )
  expect(await readdir(outputFolder)).toHaveLength(count)
  return most
}

const closing = (processing: Processing) => ({
  ...processing,
  [Symbol.asyncDispose]: () => processing.close(),
})

describe.runIf(process.platform === 'linux')('photos that don’t fit in the memory together', () => {
  it('are all processed, and never exceed it', async () => {
    const most = await rotateAll(() => 2 * limit)
    expect(most.workers).toBe(2)
    expect(most.bytes).toBeLessThan(limit)
  })

  it('are all processed where the kernel ends what needs more', async ({ skip }) => {
    const group = enterMemoryGroup(limit)
    if (group === undefined) return skip('This process may not create a control group.')
    try {
      await rotateAll()
      expect(group.kills()).toBe(0)
    } finally {
      group.leave()
    }
  })
})

/** Photos that need much more memory than others of their size. */
const GREEDY = [
  'png 16',
  'png interlaced',
  'png animated',
  'jpeg progressive 4:4:4',
  'tiff deflate one strip',
  'webp animated',
  'gif animated',
  'avif 10',
  'jxl 16',
  'jxl animated',
  'heic 10',
  'bmp',
]

it('a container of 1 GiB is enough for photos of all kinds on 16 cores', async ({ skip }) => {
  const [inputs, outputFolder] = [temporaryFolder(), temporaryFolder()]
  const photos = await Promise.all(
    GREEDY.map(async (kind, index) => {
      const { extension, make } = KINDS[kind] ?? expect.fail(kind)
      const inputName = `${index}.${extension}`
      const inputPath = join(inputs, inputName)
      await make(1_440, 1_080, inputPath)
      return { inputName, inputPath }
    }),
  )
  const group = enterMemoryGroup(1_024 * MIB)
  if (group === undefined) return skip('This process may not create a control group.')
  try {
    await using processing = closing(
      createProcessing({ workerPath: WORKER, cores: CORES, log: () => undefined }),
    )
    await Promise.all(photos.map((photo, index) => run(processing, photo, outputFolder, index)))
    expect(group.kills()).toBe(0)
    expect(await readdir(outputFolder)).toHaveLength(GREEDY.length)
  } finally {
    group.leave()
  }
})

it('memory that a control group uses for the cache of files is available', async ({ skip }) => {
  const group = enterMemoryGroup(512 * MIB)
  if (group === undefined) return skip('This process may not create a control group.')
  try {
    await using file = await open(join(temporaryFolder(), 'large'), 'w')
    const block = Buffer.alloc(MIB, 1)
    for (let written = 0; written < 600; written++) await file.write(block)
    await file.sync()
    expect(process.availableMemory()).toBeLessThan(100 * MIB)
    expect(availableMemory()).toBeGreaterThan(300 * MIB)
  } finally {
    group.leave()
  }
})
