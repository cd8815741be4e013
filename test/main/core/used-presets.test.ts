import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createUsedPresets } from '../../../src/main/core/used-presets.ts'
import { readPresetKey } from '../../../src/node/preset-key.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const document = (quality: number) => JSON.stringify({ name: 'Mine', image: { quality } })
const keyOf = (quality: number) => readPresetKey(document(quality)).key

it.each([
  ['edited', (file: string) => writeFile(file, document(20))],
  ['deleted', (file: string) => rm(file)],
])(
  'a submission keeps the document that its preset had when it was planned, even if the preset is %s',
  async (_, change) => {
    const folder = temporaryFolder()
    const file = join(folder, 'mine.json')
    await writeFile(file, document(80))
    const used = createUsedPresets(folder)
    const output = { kind: 'folder', path: '/out' } as const
    const plan = { preset: 'Mine', output, presetHash: keyOf(80) }
    await used.keepAll([plan])
    await change(file)
    expect(await used.keep(plan)).toBe(keyOf(80))
    expect((await used.find(keyOf(80)))?.image?.quality).toBe(80)
  },
)

it('without a kept document, a submission uses the one that its preset has when it is sent', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'mine.json'), document(20))
  const plan = { preset: 'Mine', output: { kind: 'folder', path: '/out' }, presetHash: keyOf(80) } as const
  expect(await createUsedPresets(folder).keep(plan)).toBe(keyOf(20))
})
