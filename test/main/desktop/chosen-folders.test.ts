import { expect, test } from 'vitest'
import { createChosenFolders } from '../../../src/main/desktop/ipc/chosen-folders.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const SHARE = String.raw`\\nas\photos`

function folders(given: { recent?: string[]; draft?: string; picked?: string[]; platform?: 'linux' } = {}) {
  const { recent = [], draft = String.raw`C:\out`, picked = [], platform = 'win32' } = given
  return createChosenFolders({
    dialogs: { askToOpen: () => Promise.resolve(picked) } as never,
    settings: { view: () => ({ ...DEFAULT_SETTINGS, recentOutputs: recent }) } as never,
    drafts: { store: { view: () => ({ output: { kind: 'folder', path: draft } }) } } as never,
    platform,
    t: () => createTranslation('en'),
  })
}
const refused = expect.objectContaining({ code: 'folderNotChosen' })

test.each([SHARE, '//nas/photos', String.raw`\\?\C:\x`, String.raw`\\.\pipe\x`, String.raw`\/nas/photos`])(
  'the page can’t use a network share that the user hasn’t chosen: %s',
  (path) => {
    const page = folders()
    expect(() => page.requireFolder(path)).toThrow(refused)
    expect(() => page.requireOutput({ kind: 'folder', path })).toThrow(refused)
  },
)

test('a share that the user has chosen, now or before, can be used', async () => {
  const now = folders({ picked: [SHARE] })
  await now.dialogs.askToOpen({})
  now.requireFolder(SHARE)
  folders({ recent: [SHARE] }).requireFolder(SHARE)
  folders({ draft: SHARE }).requireOutput({ kind: 'folder', path: SHARE })
})

test('local and Drive folders can be used without being chosen, and so can any path on other systems', () => {
  const page = folders()
  page.requireFolder(String.raw`D:\photos`)
  page.requireOutput({ kind: 'drive', folderId: SHARE })
  page.requireOutput(null)
  page.requireOutput(undefined)
  folders({ platform: 'linux' }).requireFolder('//photos')
})
