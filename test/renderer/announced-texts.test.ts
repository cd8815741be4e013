import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { catalogOf, languages } from '../../src/node/translation.ts'
import { buildPage } from './harness/serve-page.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-page-'))
  await buildPage(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each(languages())(
  'has all texts for the first paint in the announced file %s.js, which loads no other',
  async (language) => {
    const file = join(folder, `${language}.js`)
    const { common, window } = catalogOf(language)
    const loaded: unknown = (await import(pathToFileURL(file).href)).default
    expect(loaded).toEqual({ common, window })
    expect(await readFile(file, 'utf8')).not.toMatch(/\bimport\b/)
  },
)
