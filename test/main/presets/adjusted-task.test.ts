import { expect, test } from 'vitest'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { taskNamed } from '../../../src/shared/preset/tasks.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

test('an adjusted task is found by its name, names results like the task, and isn’t listed', async () => {
  const presets = createPresetFiles(temporaryFolder())
  const text = taskNamed('Make smaller')?.text.replace('"look": 80', '"look": 70') ?? ''
  const name = await presets.keepAdjusted('Make smaller', text, 'adjusted')
  expect(name).toBe('Make smaller: adjusted')
  const [found, other] = await presets.find([name ?? '', 'Make smaller'])
  expect(found?.preset).toMatchObject({ image: { look: 70 }, results: { name: '{name}-make-smaller' } })
  expect(other?.preset?.image?.look).toBe(80)
  expect((await presets.list()).documents).toEqual([])
  expect(await presets.keepAdjusted('Make smaller', '{ "name": 1 }', 'adjusted')).toBeUndefined()
})
