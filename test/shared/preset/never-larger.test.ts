import { expect, it } from 'vitest'
import { neverMakesLarger } from '../../../src/shared/preset/never-larger.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import { tasks } from '../../../src/shared/preset/tasks.ts'

it('knows the tasks that never make a file larger', () => {
  const found = tasks().map(({ name, preset }) => [
    name,
    neverMakesLarger(preset, 'image'),
    neverMakesLarger(preset, 'video'),
  ])
  expect(found).toEqual([
    ['Make smaller', true, true],
    ['For the web', false, false],
    ['Under a size', true, true],
    ['Remove location', false, false],
  ])
})

const PHOTO = { colour: 'keep', metadata: 'keep' }

it.each([
  [{}, true],
  [{ image: { ...PHOTO, format: 'webp', lossless: true } }, true],
  [{ image: { ...PHOTO, metadata: 'strip' } }, false],
  [{ image: { ...PHOTO, colour: 'srgb' } }, false],
  [{ image: { ...PHOTO, size: { width: 2_048 } } }, false],
  [{ image: { ...PHOTO, crop: { aspect: 1 } } }, false],
  [{ image: { ...PHOTO, rotate: 90 } }, false],
  [{ image: { ...PHOTO, grayscale: true } }, false],
  [{ image: { ...PHOTO, hdr: 'tone-map' } }, false],
  [{ image: { ...PHOTO, animation: 'first-frame' } }, false],
  [{ results: { neverLarger: true } }, false],
  [{ image: undefined, video: {} }, false],
])('photos with %j: %s', (changes, expected) => {
  const preset = { name: 'Own', image: PHOTO, results: { neverLarger: 'always' }, ...changes }
  expect(neverMakesLarger(Preset.parse(preset), 'image')).toBe(expected)
})

it.each([
  [{}, true],
  [{ audio: 'opus' }, true],
  [{ codec: 'copy' }, true],
  [{ audio: 'none' }, false],
  [{ audioLanguages: ['de'] }, false],
  [{ subtitles: 'none' }, false],
  [{ subtitleLanguages: ['de'] }, false],
  [{ metadata: 'strip-location' }, false],
  [{ height: 1_080 }, false],
  [{ fps: 30 }, false],
  [{ crop: { aspect: 1 } }, false],
  [{ rotate: 90 }, false],
  [{ grayscale: true }, false],
  [{ codec: 'hevc', hdr: 'tone-map' }, false],
  [{ codec: 'none' }, false],
  [{ codec: 'gif', container: 'gif' }, false],
])('videos with %j: %s', (video, expected) => {
  const preset = Preset.parse({ name: 'Own', video, results: { neverLarger: 'always' } })
  expect(neverMakesLarger(preset, 'video')).toBe(expected)
})
