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
  const item = (label: string, action: UserAction, key?: string): MenuItemConstructorOptions => ({
    label,
    click: () => onAction(action),
    ...(key === undefined ? {} : { accelerator: `CommandOrControl+${key}` }),
  })
  const settings = item(t.tray.settings, { do: 'settings' }, ',')
  const install = item(t.menu.installCommand, { do: 'installCommand' })
  const file: MenuItemConstructorOptions[] = [
    item(t.menu.newJob, { do: 'newJob' }, 'N'),
    item(t.menu.addFiles, { do: 'addFiles' }, 'O'),
    item(t.menu.addFolder, { do: 'addFolder' }, 'Shift+O'),
    separator,
    ...(isMac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const]),
  ]
  return [
    ...(isMac ? [macApp(t, hasCommand ? [settings, install] : [settings])] : []),
    { label: t.menu.file, submenu: file },
    {
      label: t.menu.edit,
      submenu: [
        ...roles('undo', 'redo'),
        separator,
        ...roles('cut', 'copy', 'paste', 'selectAll'),
        separator,
        item(t.menu.search, { do: 'search' }, 'F'),
      ],
    },
    {
      label: t.menu.view,
      submenu: [...roles('resetZoom', 'zoomIn', 'zoomOut'), separator, ...roles('togglefullscreen')],
    },
    { label: t.menu.window, role: 'windowMenu' },
    ...(hasHelp
      ? [{ label: t.menu.help, role: 'help' as const, submenu: [item(t.menu.helpPage, { do: 'help' })] }]
      : []),
  ]
}

const roles = (...all: readonly NonNullable<MenuItemConstructorOptions['role']>[]) =>
  all.map((role) => ({ role }))

const macApp = (t: Translation, own: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions => ({
  label: t.app.name,
  submenu: [
    ...roles('about'),
    { type: 'separator' },
    ...own,
    { type: 'separator' },
    ...roles('services'),
    { type: 'separator' },
    ...roles('hide', 'hideOthers', 'unhide'),
    { type: 'separator' },
    ...roles('quit'),
  ],
})
