import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dropForeignAppImage, programFile } from '../../../src/main/desktop/integration/program-file.ts'
import { opensLinks } from '../../../src/main/desktop/launch/launch-arguments.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it.each([
  [{}, { path: '/opt/mediatray', isPortable: false, isTemporary: false }],
  [
    { APPIMAGE: '/home/ada/M.AppImage' },
    { path: '/home/ada/M.AppImage', isPortable: false, isTemporary: true },
  ],
  [{ PORTABLE_EXECUTABLE_FILE: 'D:/p.exe' }, { path: 'D:/p.exe', isPortable: true, isTemporary: true }],
])('with %j in the environment, the app is started by %j', (environment, program) => {
  expect(programFile(environment, '/opt/mediatray')).toEqual(program)
})

it.each([
  ['/Volumes/Mediatray 1.0.0/Mediatray.app/Contents/MacOS/Mediatray', true],
  ['/private/var/folders/x/T/AppTranslocation/0A/d/Mediatray.app/Contents/MacOS/Mediatray', true],
  ['/Applications/Mediatray.app/Contents/MacOS/Mediatray', false],
])('the path of %s changes: %j', (execPath, isTemporary) => {
  expect(programFile({}, execPath).isTemporary).toBe(isTemporary)
})

it('links are registered by an installed app, and on Linux by the package instead', () => {
  const packed = { isPackaged: true }
  const fixed = { isPortable: false }
  expect(opensLinks('win32', packed, fixed)).toBe(true)
  expect(opensLinks('darwin', packed, fixed)).toBe(true)
  expect(opensLinks('win32', packed, { isPortable: true })).toBe(false)
  expect(opensLinks('linux', packed, fixed)).toBe(false)
  for (const platform of ['win32', 'darwin', 'linux'] as const)
    expect(opensLinks(platform, { isPackaged: false }, fixed), platform).toBe(false)
})

it('an AppImage is ours if this program runs inside it, even through a link; another AppImage’s variables are removed', () => {
  const folder = temporaryFolder()
  const mounted = join(realpathSync(folder), 'mounted')
  mkdirSync(mounted)
  symlinkSync(mounted, join(folder, 'link'))
  const own = join(mounted, 'mediatray')
  expect(left(mounted, own)).toEqual({ APPIMAGE: '/x.AppImage', APPDIR: mounted, PATH: '/bin' })
  expect(left(join(folder, 'link'), own)).toHaveProperty('APPIMAGE')
  for (const [appDir, execPath] of [
    [undefined, own],
    ['', own],
    [mounted, '/opt/Mediatray/mediatray'],
    [mounted, `${mounted}-too/mediatray`],
    ['/tmp/.mount_editor', own],
  ] as const)
    expect(left(appDir, execPath), `${appDir} ${execPath}`).toEqual({ PATH: '/bin' })
})

/** The part of an environment that remains after removing AppImage variables. */
function left(APPDIR: string | undefined, execPath: string): NodeJS.ProcessEnv {
  const environment = { APPIMAGE: '/x.AppImage', ...(APPDIR === undefined ? {} : { APPDIR }), PATH: '/bin' }
  dropForeignAppImage(environment, execPath)
  return environment
}
