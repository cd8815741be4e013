/** `Menu` and `MenuItem`: what a person sees of them, and clicks. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { RecordedMenuItem } from '../recorded.ts'
import { lacking, lackingClass, onlyEvents, preventable } from './lacking.ts'
import type { Record } from './record.ts'

type Template = readonly (Electron.MenuItemConstructorOptions | StandInMenuItem)[]

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

export type StandInMenu = EventEmitter & {
  readonly items: StandInMenuItem[]
  append(item: StandInMenuItem): void
  getMenuItemById(id: string): StandInMenuItem | null
  popup(options?: { window?: unknown; callback?: () => void }): void
  closePopup(): void
}

/** Items whose role gives them their label; the few that such an app uses. */
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
    submenu: Array.isArray(submenu) ? buildMenu(submenu) : (submenu as StandInMenu | undefined),
    click(event = preventable({}), window) {
      if (item.type === 'checkbox') item.checked = !item.checked
      Reflect.apply(options.click ?? (() => {}), undefined, [item, window, event])
    },
  }
  return lacking('MenuItem', item)
}

const isItem = (entry: Template[number]): entry is StandInMenuItem => items.has(entry)
const items = new WeakSet<object>()
const remember = (item: StandInMenuItem) => {
  items.add(item)
  return item
}
let popUp: (menu: StandInMenu | null) => void = () => {}

class Menu extends EventEmitter {
  readonly items: StandInMenuItem[] = []

  constructor() {
    super()
    onlyEvents('Menu', this, ['menu-will-show', 'menu-will-close'])
  }
  append(item: StandInMenuItem) {
    this.items.push(item)
  }
  insert(position: number, item: StandInMenuItem) {
    this.items.splice(position, 0, item)
  }
  getMenuItemById(id: string): StandInMenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : (item.submenu?.getMenuItemById(id) ?? null)
      if (found !== null) return found
    }
    return null
  }
  popup() {
    this.emit('menu-will-show', preventable({}))
    popUp(this)
  }
  closePopup() {
    popUp(null)
    this.emit('menu-will-close', preventable({}))
  }
}

function buildMenu(template: Template): StandInMenu {
  const menu = new Menu()
  for (const entry of template) menu.append(isItem(entry) ? entry : remember(createItem(entry)))
  return lacking('Menu', menu)
}

/** Plain data; an `&` that marks a mnemonic is not shown, a doubled one is. */
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

/** Also with `new`. */
function MenuItem(options: Electron.MenuItemConstructorOptions): StandInMenuItem {
  return remember(createItem(options))
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
    getApplicationMenu: () => application,
    setApplicationMenu(menu: StandInMenu | null) {
      application = menu
      record.change({ applicationMenu: menu === null ? null : describeMenu(menu) })
    },
    sendActionToFirstResponder: () => {},
  }
  return {
    Menu: lackingClass('Menu', Object.assign(Menu, statics)),
    MenuItem,
    application: () => application,
    popup: () => shown,
  }
}

/** Clicks the item at the end of a path of labels, as a person would: it has to be visible and enabled. */
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
  if (!item.enabled) throw new Error(`"${label}" is not enabled`)
  if (rest.length > 0) {
    clickMenu(item.submenu ?? null, rest, roles)
    return
  }
  item.click()
  roles[item.role?.toLowerCase() ?? '']?.()
}
