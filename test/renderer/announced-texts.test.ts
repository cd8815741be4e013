import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadWindowTexts } from '../../src/shared/i18n/i18n.ts'
import { buildPage } from './harness/serve-page.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-page-'))
  await buildPage(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each(['en', 'de'] as const)(
  'has all texts for the first paint in the announced file %s.js, which loads no other',
  async (language) => {
    const file = join(folder, `${language}.js`)
    const { common, failures, losses, window } = await import(pathToFileURL(file).href)
    expect({ ...common, ...failures, ...losses, ...window }).toEqual(await loadWindowTexts(language))
    expect(await readFile(file, 'utf8')).not.toMatch(/\bimport\b/)
  },
)
