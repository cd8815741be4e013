import { expect, test } from 'vitest'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { removesOnlyMetadata } from '../../../src/shared/preset/only-metadata.ts'
import { taskOf, TASK_NAMES, underSize } from '../../../src/shared/preset/task-names.ts'
import { taskNamed, tasks } from '../../../src/shared/preset/tasks.ts'

test('there are four tasks for photos and videos, under names that no default preset has', () => {
  const names = tasks().map(({ name }) => name)
  expect(names).toEqual(TASK_NAMES)
  expect(DEFAULT_PRESETS.filter(({ name }) => names.includes(name))).toEqual([])
  for (const { preset } of tasks())
    expect(preset).toMatchObject({ image: expect.anything(), video: expect.anything() })
})

test('removing the location copies pixels', () => {
  const image = tasks().find(({ name }) => name === 'Remove location')?.preset.image
  expect(image && removesOnlyMetadata(image)).toBe(true)
})

test('the name of a size stands for a document with that size, in both parts', () => {
  const name = underSize(0.5)
  expect(taskOf(name)).toEqual({ name: 'Under a size', megabytes: 0.5 })
  expect(taskNamed(name)?.preset).toMatchObject({
    name,
    image: { maxBytes: 500_000, mayShrink: true },
    video: { maxBytes: 500_000, mayShrink: true },
    results: { name: '{name}-under-a-size', neverLarger: 'always' },
  })
  expect(taskNamed('Under a size')?.preset.image?.maxBytes).toBe(2_000_000)
})

test('no other name stands for a task', () => {
  for (const size of ['0.05', '1001', '2.0', '02', '1e3', '-1', '0.0001', ''])
    expect(taskOf(`Under a size: ${size} MB`)).toBeUndefined()
  for (const name of [null, '', 'make smaller', 'Make smaller: 2 MB', 'Under 8 MB'])
    expect(taskOf(name)).toBeUndefined()
})
