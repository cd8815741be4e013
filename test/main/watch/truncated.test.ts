import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isTruncated } from '../../../src/main/watch/truncated.ts'
import { mediaCorpus, oddMedia } from '../../media-corpus.ts'
import { newRoot } from './watched.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

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

const box = (type: string, content = Buffer.alloc(64)) => {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, content])
}

it('a fragmented video may still grow at the end of a fragment, unless its index follows', async () => {
  const root = await newRoot()
  const start = [box('ftyp', Buffer.from('isom\0\0\0\0iso5')), box('moov')]
  const fragment = [box('moof'), box('mdat')]
  const recording = join(root, 'recording.mp4')
  for (const [boxes, isExpected] of [
    [[...start, box('mdat')], false],
    [[...start, ...fragment], true],
    [[...start, ...fragment, ...fragment], true],
    [[...start, ...fragment, ...fragment, box('mfra')], false],
  ] as const) {
    await writeFile(recording, Buffer.concat(boxes))
    expect(await isTruncated(recording), `${boxes.length}`).toBe(isExpected)
  }
})

it('a file that isn’t a photo or video, or no longer exists, doesn’t count as truncated', async () => {
  const root = await newRoot()
  const path = join(root, 'text.jpg')
  expect(await isTruncated(path)).toBe(false)
  await writeFile(path, 'text')
  expect(await isTruncated(path)).toBe(false)
})

itInLongSuite.runIf(mediaCorpus().length > 0)(
  'real files count as complete, unless they were truncated',
  async () => {
    for (const { file, path } of [...mediaCorpus(), ...oddMedia()])
      expect(await isTruncated(path), file).toBe(file.startsWith('truncated'))
  },
)
