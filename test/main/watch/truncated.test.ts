import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isTruncated } from '../../../src/main/watch/truncated.ts'
import { mediaCorpus, oddMedia } from '../../media-corpus.ts'
import { newRoot } from './watched.ts'

const samples = resolve(import.meta.dirname, '../../../assets/samples')
const SAMPLES = readdirSync(samples).map((name) => join(samples, name))

it.each(SAMPLES)('%s counts as complete, and as incomplete without its last part', async (path) => {
  const root = await newRoot()
  const content = await readFile(path)
  const part = join(root, `part${extname(path)}`)
  expect(await isTruncated(path)).toBe(false)
  for (const share of [0.01, 0.3, 0.6, 0.99]) {
    await writeFile(part, content.subarray(0, Math.max(64, Math.floor(content.length * share))))
    expect(await isTruncated(part), `${share}`).toBe(true)
  }
})

it('a photo with an appended video counts as complete', async () => {
  const root = await newRoot()
  const moving = join(root, 'moving.jpg')
  const photo = await readFile(join(samples, 'dawn-upright.jpg'))
  await writeFile(moving, Buffer.concat([photo, Buffer.alloc(3_000_000, 'video')]))
  expect(await isTruncated(moving)).toBe(false)
})

it('a file that isn’t a photo or video, or no longer exists, doesn’t count as truncated', async () => {
  const root = await newRoot()
  const path = join(root, 'text.jpg')
  expect(await isTruncated(path)).toBe(false)
  await writeFile(path, 'text')
  expect(await isTruncated(path)).toBe(false)
})

it.runIf(mediaCorpus().length > 0)('real files count as complete, unless they were truncated', async () => {
  for (const { file, path } of [...mediaCorpus(), ...oddMedia()])
    expect(await isTruncated(path), file).toBe(file.startsWith('truncated'))
})
