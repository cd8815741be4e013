/** The menu bar: always visible on macOS, shown with Alt on Windows and Linux. Its accelerators match the window's shortcuts. */
import type { MenuItemConstructorOptions } from 'electron'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { UserAction } from '../user-action.ts'

export type MenuOptions = {
  readonly onAction: (action: UserAction) => void
  /** Whether this build has a help page on the web. */
  readonly hasHelp: boolean
  /** Whether this build has a command that can be installed on the `PATH`. */
  readonly hasCommand: boolean
}

export function applicationMenu(
  platform: NodeJS.Platform,
  t: Translation,
  { onAction, hasHelp, hasCommand }: MenuOptions,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings: MenuItemConstructorOptions = {
    label: t.tray.settings,
    accelerator: 'CommandOrControl+,',
    click: () => onAction({ do: 'settings' }),
  }
  const install: MenuItemConstructorOptions = {
    label: t.menu.installCommand,
    click: () => onAction({ do: 'installCommand' }),
  }
  const file: MenuItemConstructorOptions[] = [
    { label: t.menu.newJob, accelerator: 'CommandOrControl+N', click: () => onAction({ do: 'newJob' }) },
    { label: t.menu.addFiles, accelerator: 'CommandOrControl+O', click: () => onAction({ do: 'addFiles' }) },
    {
      label: t.menu.addFolder,
      accelerator: 'CommandOrControl+Shift+O',
      click: () => onAction({ do: 'addFolder' }),
    },
    separator,
    ...(isMac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const]),
  ]
  return [
    ...(isMac ? [macApp(t, hasCommand ? [settings, install] : [settings])] : []),
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
        { label: t.menu.search, accelerator: 'CommandOrControl+F', click: () => onAction({ do: 'search' }) },
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
    ...(hasHelp ? [helpMenu(t, onAction)] : []),
  ]
}

const helpMenu = (t: Translation, onAction: MenuOptions['onAction']): MenuItemConstructorOptions => ({
  label: t.menu.help,
  role: 'help',
  submenu: [{ label: t.menu.helpPage, click: () => onAction({ do: 'help' }) }],
})

const macApp = (t: Translation, own: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions => ({
  label: t.app.name,
  submenu: [
    { role: 'about' },
    { type: 'separator' },
    ...own,
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
