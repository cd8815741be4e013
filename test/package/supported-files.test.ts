/** File types that the packages register with each system, checked against the list of supported types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OPENABLE_EXTENSIONS } from '../../src/shared/media-types.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILE_MANAGERS = 'build/linux/file-managers'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const everyOne = OPENABLE_EXTENSIONS.toSorted()

const allOf = (pattern: RegExp, text: string): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '')

test('Windows offers Mediatray for each supported extension without making it the default for any', () => {
  const script = read('build/installer.nsh')
  const [types = ''] = allOf(/!macro mediatrayForEach DO\n([^]*?)!macroend/g, script)
  expect(allOf(/!insertmacro \$\{DO\} "(\w+)"/g, types).toSorted()).toEqual(everyOne)
  // Otherwise, the verb would disappear when more than 15 files are selected.
  expect(script.match(/shell\\open" "MultiSelectModel" "Player"/g)).toHaveLength(2)
  // The default of an extension is the unnamed value of its key.
  expect(script).not.toMatch(/WriteRegStr \w+ "Software\\Classes\\\.[^"\\]+" ""/)
})

test('macOS lists Mediatray as an alternate for each supported extension', () => {
  const lines = allOf(/- (\{ ext: .*\})$/gm, read('electron-builder.yml'))
  const extensions = lines
    .flatMap((line) => allOf(/ext: (\[.*?\]|\w+)/g, line))
    .flatMap((one) => allOf(/(\w+)/g, one))
  expect(extensions.toSorted()).toEqual(everyOne)
  expect(lines.filter((line) => !line.includes('rank: Alternate'))).toEqual([])
})

test('macOS accepts folders on the Dock icon, and shows notification buttons', () => {
  const config = read('electron-builder.yml')
  expect(config).toMatch(
    /CFBundleDocumentTypes:\n +- CFBundleTypeName: Folder\n.*\n +LSHandlerRank: Alternate\n +LSItemContentTypes: \[public\.folder\]\n/,
  )
  expect(config).toMatch(/NSUserNotificationAlertStyle: alert/)
})

const macroOf = (name: string): string => {
  const [body = ''] = allOf(
    new RegExp(String.raw`!macro ${name}\n([^]*?)!macroend`, 'g'),
    read('build/installer.nsh'),
  )
  return body
}

test('the Windows installer asks Mediatray to end before electron-builder ends its processes by force', () => {
  const check = macroOf('customCheckAppRunning')
  const [command = ''] = allOf(/nsExec::Exec \/TIMEOUT=\d+ `(.*)`/g, check)
  const [launcher = ''] = allOf(/^@("%~dp0.*) %\*$/gm, read('build/command-line/windows/mediatray-cli.cmd'))
  expect(command).toBe(`${launcher.replaceAll('%~dp0..', String.raw`$INSTDIR\resources`)} --end-for-update`)
  expect(read('src/client/mediatray.ts')).toContain(`'--end-for-update'`)
  expect(check.indexOf('nsExec')).toBeLessThan(check.indexOf('!insertmacro _CHECK_APP_RUNNING'))
})

test('an update on Windows removes nothing from Explorer before the new version writes its entries', () => {
  expect(macroOf('customUnInstall')).toMatch(
    /^ {2}\$\{ifNot\} \$\{isUpdated\}\n(?: {4}.*\n)* {2}\$\{endIf\}\n$/,
  )
  expect(macroOf('customUnInstall')).toContain('!insertmacro mediatrayRemoveEntries')
  expect(macroOf('customInstall')).toMatch(/^ {2};.*\n {2}!insertmacro mediatrayRemoveEntries\n/)
})

test('a second start of the portable edition unpacks to another folder, because it would delete the files of the first', () => {
  expect(read('electron-builder.yml')).toMatch(/^portable:\n(?: {2}.*\n)* {2}unpackDirName: true$/m)
})

test('uninstalling on Windows removes the login item and the notification activator', () => {
  const uninstall = macroOf('customUnInstall')
  const [activator] = allOf(/TOAST_ACTIVATOR = '(.*)'/g, read('src/main/desktop/bootstrap.ts'))
  expect(uninstall).toContain(`DeleteRegKey HKCU "Software\\Classes\\CLSID\\${activator}"`)
  // An update runs the old uninstaller, which must keep the user's choices.
  const [unlessUpdated = ''] = allOf(/\$\{ifNot\} \$\{isUpdated\}\n([^]*?)\$\{endIf\}/g, uninstall)
  expect(unlessUpdated).toContain('!insertmacro mediatrayRemoveStarred')
  expect(allOf(/DeleteRegValue HKCU ".*\\(\w+\\Run)" "\$\{APP_ID\}"/g, unlessUpdated)).toEqual([
    'CurrentVersion\\Run',
    'StartupApproved\\Run',
  ])
})

test('the packaged node-av build for Windows is the build that our Node loads', () => {
  expect(read('electron-builder.yml')).toContain("- '!node_modules/@seydx/node-av-win32-*-mingw/**'")
  const loader = read('node_modules/node-av/dist/lib/binding.js')
  expect(loader).toContain("const useMingW = type() !== 'Windows_NT'")
})

test('Nemo shows its action for each supported extension, and for folders', () => {
  const [extensions = ''] = allOf(/^Extensions=(.*);$/gm, read(`${FILE_MANAGERS}/nemo/mediatray.nemo_action`))
  expect(extensions.split(';').toSorted()).toEqual([...everyOne, 'dir'].toSorted())
})

test('file manager menus apply to the types of the desktop entry, and to folders', () => {
  const configured = allOf(/^ {4}- ((?:image|video)\/.*)$/gm, read('electron-builder.yml'))
  const types = [...new Set(configured)]
  // Listed once for deb and rpm, and once more for the AppImage, whose entry also handles links.
  expect(configured).toEqual([...types, ...types])
  for (const path of ['kde', 'thunar']) {
    const [listed = ''] = allOf(/^MimeType=(.*);$/gm, read(`${FILE_MANAGERS}/${path}/mediatray.desktop`))
    expect(listed.split(';')).toEqual([...types, 'inode/directory'])
  }
})

test('Windows groups windows, shortcut and notifications under one app ID', () => {
  const [appId] = allOf(/^appId: (.*)$/gm, read('electron-builder.yml'))
  const [modelId] = allOf(/APP_USER_MODEL_ID = '(.*)'/g, read('src/main/desktop/bootstrap.ts'))
  expect(modelId).toBe(appId)
})
