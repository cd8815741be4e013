import { existsSync, readdirSync } from 'node:fs'
import { copyFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { failure } from '../../../src/shared/failure/failure.ts'
import { createTrials, type Trials } from '../../../src/main/estimate/trials.ts'
import { startWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { examineFile } from '../../../src/node/recognize-media.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { WORKER } from '../../entries.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let root: string
let folder: string
let trials: Trials
let starts = 0
beforeEach(() => {
  root = temporaryFolder()
  folder = join(root, 'trials')
  starts = 0
  trials = createTrials({
    start() {
      starts += 1
      return startWorker('trials', { path: WORKER, folders: [folder], confinement: PERMISSIONS })
    },
    folder,
    timing: systemTiming,
  })
})
afterEach(() => trials.close())

async function photo(name: string): Promise<string> {
  const path = join(root, name)
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red', noise } })
    .jpeg()
    .toFile(path)
  return path
}

const recipe = { kind: 'image', image: ImageRecipe.parse({ quality: 30 }) } as const
const never = new AbortController().signal
const estimate = (path: string, signal = never) =>
  trials.estimate({ path, recipe, neverLarger: true }, signal)

it('returns the size of a processed photo without keeping a file', async () => {
  const path = await photo('a.jpg')
  const found = await estimate(path)
  const expected = await sharp(path).jpeg({ quality: 30 }).toBuffer()
  if (found.kind !== 'estimate') throw new Error('The trial failed.')
  const { bytes, milliseconds, spread } = found.estimate
  expect(bytes).toBeGreaterThan(expected.length * 0.8)
  expect(bytes).toBeLessThan((await stat(path)).size)
  expect(milliseconds).toBeGreaterThan(0)
  expect(found.startMs).toBeGreaterThan(0)
  expect(spread).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

it('reads from a header what the result will lose', async () => {
  const path = join(root, 'clear.png')
  const background = { r: 200, g: 30, b: 60, alpha: 0.5 }
  await sharp({ create: { width: 30, height: 20, channels: 4, background } }).toFile(path)
  const toJpeg = { kind: 'image', image: ImageRecipe.parse({ format: 'jpeg' }) } as const
  const foresee = (file: string) => trials.foresee({ path: file, recipe: toJpeg, neverLarger: true }, never)
  const why = lossReason('formatLacksIt', { format: 'JPEG' })
  expect(await foresee(path)).toMatchObject({ kind: 'foreseen', losses: [loss('alpha', {}, why)] })
  expect(await foresee(join(root, 'missing.png'))).toMatchObject({ kind: 'failed' })
  expect(readdirSync(folder)).toEqual([])
})

itInLongSuite(
  'reads no other file than the one that was accepted, neither for an estimate nor for its losses',
  async () => {
    const video = { kind: 'video', video: VideoRecipe.parse({ codec: 'h264', crf: 30 }) } as const
    const clip = join(root, 'clip.mp4')
    await copyFile(fileURLToPath(new URL('../../../assets/samples/sunrise.mp4', import.meta.url)), clip)
    for (const [path, chosen] of [
      [clip, video],
      [await photo('own.jpg'), recipe],
    ] as const) {
      const { identity } = await examineFile(path)
      const trial = { path, identity, recipe: chosen, neverLarger: true }
      expect(await trials.estimate(trial, never)).toMatchObject({ kind: 'estimate' })
      const secret = `${path}.secret`
      await rename(path, secret)
      await symlink(secret, path)
      const replaced = { kind: 'failed', failure: { code: 'fileReplaced' } }
      await rename(secret, `${secret}.old`)
      await copyFile(`${secret}.old`, secret)
      expect(await trials.estimate(trial, never)).toMatchObject(replaced)
      expect(await trials.foresee(trial, never)).toMatchObject(replaced)
    }
  },
)

itInLongSuite('continues with the same worker, even after a file that can’t be processed', async () => {
  const broken = join(root, 'broken.jpg')
  await writeFile(broken, 'not a picture')
  expect(await estimate(broken)).toMatchObject({
    kind: 'failed',
  })
  expect(await estimate(await photo('a.jpg'))).toMatchObject({ kind: 'estimate' })
  expect(starts).toBe(1)
})

itInLongSuite('an abandoned trial ends its worker, and the next trial starts another', async () => {
  const path = await photo('a.jpg')
  const stopping = new AbortController()
  const given = estimate(path, stopping.signal)
  stopping.abort(new Error('another preset'))
  await expect(given).rejects.toThrow('another preset')
  await expect(estimate(path, stopping.signal)).rejects.toThrow('another')
  expect(await estimate(path)).toMatchObject({
    kind: 'estimate',
  })
  expect(starts).toBe(2)
})

itInLongSuite('leaves no folder behind', async () => {
  await estimate(await photo('a.jpg'))
  trials.close()
  expect(existsSync(folder)).toBe(false)
})

itInLongSuite('kills a worker that makes no progress for too long, and reports why', async () => {
  const path = fileURLToPath(new URL('../../service/processing/odd-worker.ts', import.meta.url))
  const hanging = createTrials({
    start: () => startWorker('trials', { path, folders: [folder], confinement: PERMISSIONS }),
    folder,
    timing: systemTiming,
    tickMs: 10,
  })
  onTestFinished(() => hanging.close())
  const trial = { path: join(root, 'hang.jpg'), recipe, neverLarger: true }
  expect(await hanging.process(trial, never)).toEqual({ kind: 'failed', failure: failure('tookTooLong') })
  await expect.poll(() => readdirSync(folder)).toEqual([])
})
