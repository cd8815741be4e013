/** Small files that ask decoders for far more than their size suggests, processed by real workers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WORKER_MEMORY } from '../../src/node/memory-limit.ts'
import { createProcessing } from '../../src/service/processing/processing.ts'
import { FailureError } from '../../src/shared/failure/failure-error.ts'
import { ImageRecipe, ResultRules, VariationRanges, VideoRecipe } from '../../src/shared/preset/preset.ts'
import { childrenOf } from '../child-processes.ts'
import { WORKER } from '../entries.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { isLongSuite } from './long-suite.ts'
import { type Bomb, PHOTO_BOMBS, VIDEO_BOMBS } from './media-bombs.ts'

/** In `npm test`. It once took minutes. */
const SAMPLE = 'frames-100000.webp'

const RECIPES = {
  image: { kind: 'image', image: ImageRecipe.parse({}) },
  video: { kind: 'video', video: VideoRecipe.parse({}) },
} as const

/** In seconds of CPU time. A busy computer doesn't change it. */
const MOST_SECONDS = 30
const TICKS_PER_SECOND = 100

async function processed({ name, make }: Bomb, kind: keyof typeof RECIPES) {
  const outputFolder = temporaryFolder()
  const inputPath = join(outputFolder, name)
  writeFileSync(inputPath, await make())
  const others = new Set(childrenOf(process.pid))
  const processing = createProcessing({
    workerPath: WORKER,
    cores: 1,
    log: () => undefined,
  })
  onTestFinished(() => processing.close())
  const outcome = await processing
    .run(
      {
        inputPath,
        inputName: name,
        outputFolder,
        presetName: 'Web',
        recipe: RECIPES[kind],
        ranges: VariationRanges.parse({}),
        rules: ResultRules.parse({}),
        subfolder: [],
        number: 1,
        inputs: 1,
        variation: 1,
        variations: 1,
        left: 1,
      },
      { signal: new AbortController().signal, onProgress: () => undefined },
    )
    .then(
      () => 'done',
      (error: unknown) => (error instanceof FailureError ? error.failure.code : String(error)),
    )
  const worker = childrenOf(process.pid).find((pid) => !others.has(pid))
  return { outcome, ...usageOf(worker) }
}

/** Of an idle worker. It has exited if its decoder crashed. */
function usageOf(pid: number | undefined) {
  if (pid === undefined) return { seconds: NaN, bytes: NaN }
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { seconds: (user + system) / TICKS_PER_SECOND, bytes: Number(peak) * 1024 }
}

describe.skipIf(process.platform !== 'linux')('a small file with a large effect', () => {
  const all = [
    ...PHOTO_BOMBS.map((bomb) => ({ ...bomb, bomb, kind: 'image' as const })),
    ...VIDEO_BOMBS.map((bomb) => ({ ...bomb, bomb, kind: 'video' as const })),
  ].filter(({ name }) => isLongSuite || name === SAMPLE)

  it.each(all)('is refused or processed with little time and memory: $name', async ({ bomb, kind }) => {
    const { outcome, seconds, bytes } = await processed(bomb, kind)
    expect([
      'done',
      'fileDamaged',
      'photoTooComplex',
      'photoUnknown',
      'animationTooLarge',
      'photoUnsupported',
    ]).toContain(outcome)
    expect(seconds).toBeLessThan(MOST_SECONDS)
    expect(bytes).toBeLessThan(WORKER_MEMORY.photo)
  })
})
