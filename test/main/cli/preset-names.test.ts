import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Context } from '../../../src/main/cli/context.ts'
import { presetsMeant } from '../../../src/main/cli/preset-names.ts'
import { windowTranslation } from '../../window-translation.ts'
import { run, temporaryFolder } from './command.ts'

const { makeSmaller, forTheWeb, underASize, removeLocation } = windowTranslation('de').preset
let folder = ''
let env: Record<string, string> = {}
beforeEach(() => {
  folder = temporaryFolder()
  env = { MEDIATRAY_DATA_DIR: folder, LANG: 'de_DE.UTF-8' }
})

const meant = (names: readonly string[], kind: 'builtIn' | 'external' = 'builtIn') =>
  presetsMeant({ service: { kind }, environment: { env, platform: 'linux' } } as unknown as Context, names)

test('tasks have their English names and those of the terminal’s language', async () => {
  const names = [makeSmaller, 'Make smaller', forTheWeb, 'Mail']
  expect(await meant(names)).toEqual(['Make smaller', 'For the web', 'Mail'])
})

test('a name stays that of a saved preset, and of a preset at another service', async () => {
  expect(await meant([makeSmaller], 'external')).toEqual([makeSmaller])
  const presets = join(folder, 'service', 'presets')
  mkdirSync(presets, { recursive: true })
  writeFileSync(join(presets, 'a.json'), JSON.stringify({ name: makeSmaller, image: { quality: 80 } }))
  expect(await meant([makeSmaller, forTheWeb])).toEqual([makeSmaller, 'For the web'])
})

test('help, lists and documents accept and show them', async () => {
  const [help, document, completion] = await Promise.all([
    run(['submit', '--help'], { env }),
    run(['presets', forTheWeb, '--json'], { env }),
    run(['complete', '--shell', 'zsh', '--', 'presets', forTheWeb.slice(0, 2)], { env }),
  ])
  expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `(${[makeSmaller, forTheWeb, underASize, removeLocation].join(', ')})`,
  )
  expect(document.events).toMatchObject([{ event: 'preset', name: 'For the web' }])
  expect(completion.stdout).toContain(forTheWeb)
})
