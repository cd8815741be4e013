import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findPaths } from '../../../src/main/desktop/paths.ts'
import { createApp, type AppParts } from '../../stand-in/electron/app.ts'
import { createRecord } from '../../stand-in/electron/record.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

it('the app starts on Windows without a folder for photos, which Electron reports by throwing', () => {
  const home = temporaryFolder()
  const { app } = createApp({
    name: 'mediatray',
    home,
    isPackaged: true,
    platform: () => 'win32',
    record: createRecord(),
  } as unknown as AppParts)
  expect(() => app.getPath('pictures')).toThrow("Failed to get 'pictures' path")
  expect(findPaths(app, '/app/dist/main', '/app').output).toBe(join(home, 'Pictures', 'Mediatray'))
})
