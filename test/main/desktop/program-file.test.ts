import { expect, it } from 'vitest'
import { programFile } from '../../../src/main/desktop/integration/program-file.ts'
import { opensLinks } from '../../../src/main/desktop/launch/launch-arguments.ts'

it.each([
  [{}, { path: '/opt/mediatray', isPortable: false }],
  [{ APPIMAGE: '/home/ada/Mediatray.AppImage' }, { path: '/home/ada/Mediatray.AppImage', isPortable: false }],
  [{ PORTABLE_EXECUTABLE_FILE: 'D:/portable.exe' }, { path: 'D:/portable.exe', isPortable: true }],
])('With %j in its environment others start the app by %j', (environment, program) => {
  expect(programFile(environment, '/opt/mediatray')).toEqual(program)
})

it('Links are opened by what is installed, and on Linux by what the package says', () => {
  expect(opensLinks('win32', { isPortable: false })).toBe(true)
  expect(opensLinks('darwin', { isPortable: false })).toBe(true)
  expect(opensLinks('win32', { isPortable: true })).toBe(false)
  expect(opensLinks('linux', { isPortable: false })).toBe(false)
})
