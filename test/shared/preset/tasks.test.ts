import { expect, test } from 'vitest'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { removesOnlyMetadata } from '../../../src/shared/preset/only-metadata.ts'
import { tasks } from '../../../src/shared/preset/tasks.ts'

test('there are four tasks for photos and videos, under names that no default preset has', () => {
  const names = tasks().map(({ name }) => name)
  expect(names).toEqual(['Make smaller', 'For the web', 'Under a size', 'Remove location'])
  expect(DEFAULT_PRESETS.filter(({ name }) => names.includes(name))).toEqual([])
  for (const { preset } of tasks())
    expect(preset).toMatchObject({ image: expect.anything(), video: expect.anything() })
})

test('removing the location copies pixels', () => {
  const image = tasks().find(({ name }) => name === 'Remove location')?.preset.image
  expect(image && removesOnlyMetadata(image)).toBe(true)
})
