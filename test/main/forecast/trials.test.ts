import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTrials, type Trials } from '../../../src/main/forecast/trials.ts'
import { startTrialWorker } from '../../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../../src/node/confinement.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { JOB_WORKER } from '../../entries.ts'

let root: string
let folder: string
let trials: Trials
let starts = 0
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mediatray-trials-'))
  folder = join(root, 'trials')
  starts = 0
  trials = createTrials({
    start() {
      starts += 1
      return startTrialWorker({ path: JOB_WORKER, folders: [folder], confinement: PERMISSIONS })
    },
    folder,
    after: systemTiming.after,
  })
})
afterEach(async () => {
  trials.close()
  await rm(root, { recursive: true, force: true })
})

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

it('says what a photo comes to, and keeps nothing of it', async () => {
  const path = await photo('a.jpg')
  const found = await trials.run({ path, recipe, neverLarger: true }, never)
  const expected = await sharp(path).jpeg({ quality: 30 }).toBuffer()
  expect(found?.bytes).toBeGreaterThan(expected.length * 0.8)
  expect(found?.bytes).toBeLessThan((await stat(path)).size)
  expect(found?.milliseconds).toBeGreaterThan(0)
  expect(found?.startMs).toBeGreaterThan(0)
  expect(found?.spread).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

it('goes on with the same worker, also after a file that can’t be processed', async () => {
  const broken = join(root, 'broken.jpg')
  await writeFile(broken, 'not a picture')
  expect(await trials.run({ path: broken, recipe, neverLarger: true }, never)).toBeNull()
  expect(await trials.run({ path: await photo('a.jpg'), recipe, neverLarger: true }, never)).not.toBeNull()
  expect(starts).toBe(1)
})

it('a trial that is given up ends its worker, and the next one has another', async () => {
  const path = await photo('a.jpg')
  const stopping = new AbortController()
  const given = trials.run({ path, recipe, neverLarger: true }, stopping.signal)
  stopping.abort(new Error('another preset'))
  await expect(given).rejects.toThrow('another preset')
  await expect(trials.run({ path, recipe, neverLarger: true }, stopping.signal)).rejects.toThrow('another')
  expect(await trials.run({ path, recipe, neverLarger: true }, never)).not.toBeNull()
  expect(starts).toBe(2)
})

it('leaves no folder behind', async () => {
  await trials.run({ path: await photo('a.jpg'), recipe, neverLarger: true }, never)
  trials.close()
  expect(existsSync(folder)).toBe(false)
})
