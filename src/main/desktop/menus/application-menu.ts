/** The menu bar: macOS shows it always, Windows and Linux on Alt. Its accelerators are the window's own keys. */
import type { MenuItemConstructorOptions } from 'electron'
import type { Wording } from '../../../shared/i18n/index.ts'

export type MenuActions = {
  readonly newJob: () => void
  readonly addFiles: () => void
  readonly addFolder: () => void
  readonly search: () => void
  readonly settings: () => void
  readonly help: () => void
}

export function applicationMenu(
  platform: NodeJS.Platform,
  wording: Wording,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings: MenuItemConstructorOptions = {
    label: wording.say('tray.settings'),
    accelerator: 'CommandOrControl+,',
    click: actions.settings,
  }
  const file: MenuItemConstructorOptions[] = [
    { label: wording.say('menu.newJob'), accelerator: 'CommandOrControl+N', click: actions.newJob },
    { label: wording.say('menu.addFiles'), accelerator: 'CommandOrControl+O', click: actions.addFiles },
    {
      label: wording.say('menu.addFolder'),
      accelerator: 'CommandOrControl+Shift+O',
      click: actions.addFolder,
    },
    separator,
    ...(isMac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const]),
  ]
  return [
    ...(isMac ? [macApp(wording, settings)] : []),
    { label: wording.say('menu.file'), submenu: file },
    {
      label: wording.say('menu.edit'),
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        separator,
        { label: wording.say('menu.search'), accelerator: 'CommandOrControl+F', click: actions.search },
      ],
    },
    {
      label: wording.say('menu.view'),
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { label: wording.say('menu.window'), role: 'windowMenu' },
    {
      label: wording.say('menu.help'),
      role: 'help',
      submenu: [{ label: wording.say('menu.helpPage'), click: actions.help }],
    },
  ]
}

const macApp = (wording: Wording, settings: MenuItemConstructorOptions): MenuItemConstructorOptions => ({
  label: wording.say('app.name'),
  submenu: [
    { role: 'about' },
    { type: 'separator' },
    settings,
    { type: 'separator' },
    { role: 'services' },
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    { role: 'quit' },
  ],
})
