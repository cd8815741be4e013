/** What the packages tell each system about files, held against the one list of what is supported. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SUPPORTED_EXTENSIONS } from '../../src/shared/media-types.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILE_MANAGERS = 'build/linux/file-managers'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const everyOne = SUPPORTED_EXTENSIONS.toSorted()

const allOf = (pattern: RegExp, text: string): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '')

test('Windows offers Mediatray for each supported extension and makes it the default of none', () => {
  const script = read('build/installer.nsh')
  expect(allOf(/!insertmacro \$\{DO\} "(\w+)"/g, script).toSorted()).toEqual(everyOne)
  // The default of an extension is the unnamed value of its key.
  expect(script).not.toMatch(/WriteRegStr \w+ "Software\\Classes\\\.[^"\\]+" ""/)
})

test('macOS knows Mediatray as an alternate for each supported extension', () => {
  const lines = allOf(/- (\{ ext: .*\})$/gm, read('electron-builder.yml'))
  const extensions = lines
    .flatMap((line) => allOf(/ext: (\[.*?\]|\w+)/g, line))
    .flatMap((one) => allOf(/(\w+)/g, one))
  expect(extensions.toSorted()).toEqual(everyOne)
  expect(lines.filter((line) => !line.includes('rank: Alternate'))).toEqual([])
})

test('macOS takes folders on the icon in the Dock, and shows the buttons of notifications', () => {
  const config = read('electron-builder.yml')
  expect(config).toMatch(
    /CFBundleDocumentTypes:\n +- CFBundleTypeName: Folder\n.*\n +LSHandlerRank: Alternate\n +LSItemContentTypes: \[public\.folder\]\n/,
  )
  expect(config).toMatch(/NSUserNotificationAlertStyle: alert/)
})

test('Windows is left without the login item and what starts the app for a notification', () => {
  const [uninstall = ''] = allOf(/!macro customUnInstall\n([^]*?)!macroend/g, read('build/installer.nsh'))
  const [activator] = allOf(/TOAST_ACTIVATOR = '(.*)'/g, read('src/main/desktop/bootstrap.ts'))
  expect(uninstall).toContain(`DeleteRegKey HKCU "Software\\Classes\\CLSID\\${activator}"`)
  // An update runs the old uninstaller: what a person chose outlives it.
  const [unlessUpdated = ''] = allOf(/\$\{ifNot\} \$\{isUpdated\}\n([^]*?)\$\{endIf\}/g, uninstall)
  expect(allOf(/DeleteRegValue HKCU ".*\\(\w+\\Run)" "\$\{APP_ID\}"/g, unlessUpdated)).toEqual([
    'CurrentVersion\\Run',
    'StartupApproved\\Run',
  ])
})

test('Of the two builds of node-av for Windows the one is packed that our Node loads', () => {
  expect(read('electron-builder.yml')).toContain("- '!node_modules/@seydx/node-av-win32-*-mingw/**'")
  const loader = read('node_modules/node-av/dist/lib/binding.js')
  expect(loader).toContain("const useMingW = type() !== 'Windows_NT'")
})

test('Nemo shows its action for each supported extension, and for folders', () => {
  const [extensions = ''] = allOf(/^Extensions=(.*);$/gm, read(`${FILE_MANAGERS}/nemo/mediatray.nemo_action`))
  expect(extensions.split(';').toSorted()).toEqual([...everyOne, 'dir'].toSorted())
})

test('the menus of file managers are for the types of the desktop entry, and for folders', () => {
  const configured = allOf(/^ {4}- ((?:image|video)\/.*)$/gm, read('electron-builder.yml'))
  const types = [...new Set(configured)]
  // Once for deb and rpm, and once more for the AppImage, which takes links with the same entry.
  expect(configured).toEqual([...types, ...types])
  for (const path of ['kde', 'thunar']) {
    const [listed = ''] = allOf(/^MimeType=(.*);$/gm, read(`${FILE_MANAGERS}/${path}/mediatray.desktop`))
    expect(listed.split(';')).toEqual([...types, 'inode/directory'])
  }
})

test('Windows groups windows, shortcut and notifications under one name', () => {
  const [appId] = allOf(/^appId: (.*)$/gm, read('electron-builder.yml'))
  const [modelId] = allOf(/APP_USER_MODEL_ID = '(.*)'/g, read('src/main/desktop/bootstrap.ts'))
  expect(modelId).toBe(appId)
})
