import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasDesktopEntry } from '../../../src/main/desktop/integration/desktop-entry.ts'
import { DESKTOP_ENTRY } from '../../../src/shared/desktop-entry.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

function put(folder: string): void {
  mkdirSync(join(folder, 'applications'), { recursive: true })
  writeFileSync(join(folder, 'applications', DESKTOP_ENTRY), '[Desktop Entry]\n')
}

test('the desktop file is found in the folders of the user and of the system, as the desktop finds it', () => {
  const home = temporaryFolder()
  const system = temporaryFolder()
  const environment = { XDG_DATA_DIRS: `/nowhere:${system}` }
  expect(hasDesktopEntry(home, environment)).toBe(false)
  put(system)
  expect(hasDesktopEntry(home, environment)).toBe(true)
  expect(hasDesktopEntry(home, { XDG_DATA_DIRS: '/nowhere' })).toBe(false)
  put(join(home, '.local/share'))
  expect(hasDesktopEntry(home, { XDG_DATA_DIRS: '/nowhere', XDG_DATA_HOME: '' })).toBe(true)
  expect(hasDesktopEntry(home, { XDG_DATA_DIRS: '/nowhere', XDG_DATA_HOME: '/elsewhere' })).toBe(false)
})

test('it has the name that package.json gives to Electron', () => {
  const { desktopName } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  expect(DESKTOP_ENTRY).toBe(desktopName)
})
