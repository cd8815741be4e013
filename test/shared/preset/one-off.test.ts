import { expect, test } from 'vitest'
import { oneOffText, type OneOff } from '../../../src/shared/preset/one-off.ts'
import { readPreset } from '../../../src/shared/preset/read-preset.ts'
import { taskNamed } from '../../../src/shared/preset/tasks.ts'

const underASize = taskNamed('Under a size')?.text ?? ''
const changed = (changes: OneOff['changes']) =>
  readPreset(oneOffText({ base: 'Under a size', text: underASize, changes })).preset

test('another maximum size still reduces dimensions if needed', () => {
  const parts = changed([
    { path: 'image.maxBytes', value: 9_000 },
    { path: 'video.maxBytes', value: 90_000 },
  ])
  expect(parts).toMatchObject({
    image: { maxBytes: 9_000, mayShrink: true },
    video: { maxBytes: 90_000, mayShrink: true },
  })
})

test('a quality replaces the maximum size in its part, with all that belongs to it', () => {
  const { image, video } = changed([{ path: 'image.quality', value: 80 }]) ?? {}
  expect(image).toMatchObject({ quality: 80, mayShrink: false })
  expect(image?.maxBytes).toBeUndefined()
  expect(video).toMatchObject({ maxBytes: 2_000_000, mayShrink: true })
})
