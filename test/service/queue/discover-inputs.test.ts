import { expect, it } from 'vitest'
import { discoverInputs } from '../../../src/service/queue/run-job.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

const plan = {
  presetName: 'Web 2048',
  recipes: new Map([['image', { kind: 'image', image: ImageRecipe.parse({}) }]] as const),
}

const entry = (name: string, size = 1, isFolder = false) => ({ name, size, isFolder })

it('divides a folder into inputs and errors, both in name order', () => {
  const found = discoverInputs(
    [
      entry('b.JPG', 20),
      entry('sub', -1, true),
      entry('a.png', 10),
      entry('twin.png'),
      entry('twin.png'),
      entry('video.mp4'),
      entry('document.docx', -1),
      entry('no extension'),
      entry('.png'),
      entry('unknown size.webp', -1),
      entry('empty.png', 0),
    ],
    plan,
  )
  expect(found.inputs.map(({ path }) => path)).toEqual(['a.png', 'b.JPG', 'twin.png', 'unknown size.webp'])
  expect(found.sizes).toEqual([10, 20, 1, -1])
  const [small, larger, , unknown] = found.inputs.map(({ work }) => work)
  expect(larger).toBeGreaterThan(small ?? Infinity)
  expect(unknown).toBeGreaterThan(larger ?? Infinity)
  expect(found.errors).toMatchObject([
    { file: '.png', error: expect.stringContaining('no extension') },
    { file: 'document.docx', error: expect.stringContaining('.docx') },
    { file: 'empty.png', error: 'The file is empty.' },
    { file: 'no extension', error: expect.stringContaining('no extension') },
    { file: 'twin.png', error: expect.stringContaining('several files with this name') },
    { file: 'video.mp4', error: expect.stringContaining('isn’t for videos') },
  ])
})
