/**
 * What `import 'electron'` resolves to on the stand-in. A missing export fails to link; a missing member throws its name when it
 * is read.
 */
import { flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { lacking } from './electron/lacking.ts'
import { startElectron } from './electron/start.ts'

const given = process.env

const packaged = given['MEDIATRAY_STAND_IN_PACKAGED'] === '1'
const mainBundle = resolve(process.argv[1] ?? '.')
// In a packaged app, the arguments start right after the executable. From sources, Playwright's own switches come first.
if (packaged) process.argv.splice(1, 1)
else process.argv.splice(1, 0, '--inspect=0', '--remote-debugging-port=0')

const started = startElectron({
  home: given['MEDIATRAY_STAND_IN_HOME'] ?? null,
  visible: given['MEDIATRAY_STAND_IN_VISIBLE'] === '1',
  readyToShow: given['MEDIATRAY_STAND_IN_NO_READY_TO_SHOW'] !== '1',
  tray: given['MEDIATRAY_STAND_IN_NO_TRAY'] !== '1',
  platform: given['MEDIATRAY_STAND_IN_PLATFORM'] ?? process.platform,
  locale: given['MEDIATRAY_STAND_IN_LOCALE'] ?? 'en-GB',
  packaged,
  takenShortcuts: (given['MEDIATRAY_STAND_IN_TAKEN_SHORTCUTS'] ?? '').split(' '),
  clipboardFile: given['MEDIATRAY_STAND_IN_CLIPBOARD'] ?? null,
  wayland: given['XDG_SESSION_TYPE'] === 'wayland',
  chromium: given['MEDIATRAY_STAND_IN_CHROMIUM'] ?? '/usr/bin/chromium',
  mainBundle,
})

export const {
  app,
  BrowserWindow,
  Tray,
  Menu,
  Notification,
  nativeImage,
  dialog,
  shell,
  clipboard,
  ClipboardItem,
  powerMonitor,
  powerSaveBlocker,
  nativeTheme,
  screen,
  globalShortcut,
  ipcMain,
  protocol,
  session,
  net,
  autoUpdater,
  systemPreferences,
} = started.electron

export default lacking('electron', started.electron)

// As in Electron, after the main bundle's first synchronous steps.
setImmediate(() => void started.becomeReady())

/** Late enough for the app to have loaded its code, and early enough for most specs. */
const LOADED_MS = 2_000
// Node would write the compile cache only when the process exits, and tests kill most apps.
setTimeout(flushCompileCache, LOADED_MS).unref()
