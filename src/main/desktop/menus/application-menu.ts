/** The menu bar: macOS shows it always, Windows and Linux on Alt. Its accelerators are the window's own keys. */
import type { MenuItemConstructorOptions } from 'electron'
import type { Translation } from '../../../shared/i18n/i18n.ts'

export type MenuActions = {
  readonly newJob: () => void
  readonly addFiles: () => void
  readonly addFolder: () => void
  readonly search: () => void
  readonly settings: () => void
  /** null where this build has no web page. */
  readonly help: (() => void) | null
}

export function applicationMenu(
  platform: NodeJS.Platform,
  t: Translation,
  actions: MenuActions,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings: MenuItemConstructorOptions = {
    label: t.tray.settings,
    accelerator: 'CommandOrControl+,',
    click: actions.settings,
  }
  const file: MenuItemConstructorOptions[] = [
    { label: t.menu.newJob, accelerator: 'CommandOrControl+N', click: actions.newJob },
    { label: t.menu.addFiles, accelerator: 'CommandOrControl+O', click: actions.addFiles },
    {
      label: t.menu.addFolder,
      accelerator: 'CommandOrControl+Shift+O',
      click: actions.addFolder,
    },
    separator,
    ...(isMac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const]),
  ]
  return [
    ...(isMac ? [macApp(t, settings)] : []),
    { label: t.menu.file, submenu: file },
    {
      label: t.menu.edit,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        separator,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        separator,
        { label: t.menu.search, accelerator: 'CommandOrControl+F', click: actions.search },
      ],
    },
    {
      label: t.menu.view,
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { label: t.menu.window, role: 'windowMenu' },
    ...(actions.help === null ? [] : [helpMenu(t, actions.help)]),
  ]
}

const helpMenu = (t: Translation, help: () => void): MenuItemConstructorOptions => ({
  label: t.menu.help,
  role: 'help',
  submenu: [{ label: t.menu.helpPage, click: help }],
})

const macApp = (t: Translation, settings: MenuItemConstructorOptions): MenuItemConstructorOptions => ({
  label: t.app.name,
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
