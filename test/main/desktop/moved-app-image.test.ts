import { mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { followMovedAppImage } from '../../../src/main/desktop/integration/moved-app-image.ts'
import { autostartFile, programLine } from '../../../src/main/desktop/integration/login-item.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const [FROM, TO] = ['/opt/Mediatray-1.0.AppImage', '/opt/Media$&tray 1.1.AppImage']

function setUp() {
  const homeFolder = temporaryFolder()
  const links = join(homeFolder, '.local/bin')
  mkdirSync(links, { recursive: true })
  const environment: NodeJS.ProcessEnv = { APPIMAGE: FROM }
  const entry = autostartFile(environment, homeFolder)
  mkdirSync(dirname(entry), { recursive: true })
  const logged: string[] = []
  return {
    links,
    environment,
    entry,
    logged,
    follow: () =>
      followMovedAppImage(TO, { environment, homeFolder, log: (message) => logged.push(message) }),
  }
}

const entryOf = (program: string): string => `[Desktop Entry]\n${programLine(program)}\nName=Mediatray\n`

test('the entry for start at login and the links name the new file, and nothing else changes', () => {
  const { links, environment, entry, logged, follow } = setUp()
  writeFileSync(entry, entryOf(FROM))
  symlinkSync(FROM, join(links, 'mediatray'))
  symlinkSync('/opt/other', join(links, 'other'))
  for (const name of ['a file', 'mediatray.new']) writeFileSync(join(links, name), FROM)
  follow()
  expect(environment['APPIMAGE']).toBe(TO)
  expect(readFileSync(entry, 'utf8')).toBe(entryOf(TO))
  expect(readdirSync(links)).toEqual(['a file', 'mediatray', 'mediatray.new', 'other'])
  expect(readlinkSync(join(links, 'mediatray'))).toBe(TO)
  expect(readlinkSync(join(links, 'other'))).toBe('/opt/other')
  expect(logged).toEqual([])
})

test('links follow even if the entry for start at login can’t be read', () => {
  const { links, entry, logged, follow } = setUp()
  symlinkSync(FROM, join(links, 'mediatray'))
  mkdirSync(entry)
  follow()
  expect(readlinkSync(join(links, 'mediatray'))).toBe(TO)
  expect(logged).toEqual([expect.stringContaining('could not follow the new file name')])
})
