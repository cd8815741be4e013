/** `Menu`: what the user sees and clicks. */
import type * as Electron from 'electron'
import type { RecordedMenuItem } from '../recorded.ts'
import { lacking, lackingClass, preventable } from './lacking.ts'
import type { Record } from './record.ts'

export type StandInMenuItem = {
  readonly id: string
  label: string
  readonly type: RecordedMenuItem['type']
  readonly role: string | undefined
  enabled: boolean
  visible: boolean
  checked: boolean
  readonly accelerator: unknown
  readonly submenu: StandInMenu | undefined
  readonly click: (event?: unknown, window?: unknown) => void
}

export type StandInMenu = Menu

/** Labels of items that have a role instead of a label, for the roles that the app uses. */
const ROLE_LABELS: Readonly<{ [role: string]: string }> = {
  quit: 'Quit', close: 'Close Window', copy: 'Copy', cut: 'Cut', paste: 'Paste', selectall: 'Select All', undo: 'Undo', redo: 'Redo',
  minimize: 'Minimize', about: 'About', hide: 'Hide', hideothers: 'Hide Others', unhide: 'Show All', window: 'Window', editmenu: 'Edit',
  windowmenu: 'Window', front: 'Bring All to Front', zoom: 'Zoom', services: 'Services', togglefullscreen: 'Toggle Full Screen',
} // prettier-ignore

const createItem = (options: Electron.MenuItemConstructorOptions): StandInMenuItem => {
  const { submenu } = options
  const role = options.role?.toLowerCase()
  const item: StandInMenuItem = {
    id: options.id ?? '',
    label: options.label ?? (role === undefined ? '' : (ROLE_LABELS[role] ?? role)),
    type: options.type ?? (submenu === undefined ? 'normal' : 'submenu'),
    role: options.role,
    enabled: options.enabled ?? true,
    visible: options.visible ?? true,
    checked: options.checked ?? false,
    accelerator: options.accelerator,
    submenu: Array.isArray(submenu) ? buildMenu(submenu) : undefined,
    click(event = preventable({}), window) {
      if (item.type === 'checkbox') item.checked = !item.checked
      Reflect.apply(options.click ?? (() => {}), undefined, [item, window, event])
    },
  }
  return lacking('MenuItem', item)
}

let popUp: (menu: StandInMenu | null) => void = () => {}

class Menu {
  readonly items: StandInMenuItem[]

  constructor(template: readonly Electron.MenuItemConstructorOptions[] = []) {
    this.items = template.map(createItem)
  }
  popup() {
    popUp(this)
  }
}

const buildMenu = (template: readonly Electron.MenuItemConstructorOptions[]): StandInMenu =>
  lacking('Menu', new Menu(template))

/** Returns the menu as plain data. An `&` that marks a mnemonic is removed; a doubled one becomes a single `&`. */
export function describeMenu(menu: StandInMenu): readonly RecordedMenuItem[] {
  return menu.items.map((item) => ({
    id: item.id,
    label: item.label.replaceAll(/&(.)/g, '$1'),
    type: item.type,
    role: item.role ?? null,
    enabled: item.enabled,
    visible: item.visible,
    checked: item.checked,
    accelerator: typeof item.accelerator === 'string' ? item.accelerator : null,
    submenu: item.submenu === undefined ? null : describeMenu(item.submenu),
  }))
}

export function createMenus(record: Record) {
  let application: StandInMenu | null = null
  let shown: StandInMenu | null = null
  popUp = (menu) => {
    shown = menu
    record.change({ popupMenu: menu === null ? null : describeMenu(menu) })
  }
  const statics = {
    buildFromTemplate: buildMenu,
    setApplicationMenu(menu: StandInMenu | null) {
      application = menu
      record.change({ applicationMenu: menu === null ? null : describeMenu(menu) })
    },
  }
  return {
    Menu: lackingClass('Menu', Object.assign(Menu, statics)),
    application: () => application,
    popup: () => shown,
  }
}

/** Clicks the item at the end of a path of labels. Like a user, it requires the item to be visible and enabled. */
export function clickMenu(
  menu: StandInMenu | null,
  path: readonly string[],
  roles: { readonly [role: string]: () => void },
): void {
  const [label = '', ...rest] = path
  const shown = menu === null ? [] : describeMenu(menu)
  const index = shown.findIndex(
    (item) => item.visible && (item.label === label || (item.id !== '' && item.id === label)),
  )
  const item = menu?.items[index]
  const labels = shown.filter((entry) => entry.visible).map((entry) => entry.label || '—')
  if (item === undefined) throw new Error(`No "${label}" in this menu: ${labels.join(' | ')}`)
  if (!item.enabled) throw new Error(`"${label}" isn't enabled`)
  if (rest.length > 0) {
    clickMenu(item.submenu ?? null, rest, roles)
    return
  }
  item.click()
  roles[item.role?.toLowerCase() ?? '']?.()
}
