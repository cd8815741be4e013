import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { presetTraits } from '../../../src/main/core/preset-traits.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const PRESETS = [
  { name: 'Sound', video: { codec: 'none', audio: 'opus' } },
  { name: 'Clip', video: {}, results: { name: '{name}' } },
  { name: 'Named', image: {}, results: { name: '{name} {preset}' } },
]

it('knows which presets save only audio or name themselves, but not those of another service', async () => {
  const data = temporaryFolder()
  const folder = join(data, 'service', 'presets')
  mkdirSync(folder, { recursive: true })
  for (const preset of PRESETS) writeFileSync(join(folder, `${preset.name}.json`), JSON.stringify(preset))
  const traitsOf = (kind: 'builtIn' | 'external', names: readonly string[] = []) =>
    presetTraits(data, { view: () => ({ kind }) }, names)
  const own = await traitsOf('builtIn')
  expect([...own.audioOnly]).toEqual(['Sound'])
  expect(own.namesItself).toContain('Named')
  expect(own.namesItself).not.toContain('Clip')
  const under = 'Under a size: 0.5 MB'
  expect((await traitsOf('builtIn', [under])).oneOffs).toEqual({ image: [under], video: [under] })
  expect(await traitsOf('external')).toMatchObject({ namesItself: new Set(), audioOnly: new Set() })
})
