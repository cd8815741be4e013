/** `Tray`: its icon, words and menu, as a person sees them. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { RecordedTray } from '../recorded.ts'
import { lackingClass, onlyEvents, preventable } from './lacking.ts'
import { type StandInMenu, describeMenu } from './menu.ts'
import { describeImage } from './native-image.ts'

const EVENTS = ['click', 'right-click', 'double-click', 'middle-click', 'drop-files', 'drop', 'drag-enter', 'drag-leave', 'drag-end',
  'mouse-enter', 'mouse-leave', 'mouse-move', 'mouse-up', 'mouse-down'] // prettier-ignore

/** Compared with Electron's own types. */
type Checked = Pick<
  Electron.Tray,
  'setImage' | 'setPressedImage' | 'setToolTip' | 'setTitle' | 'getTitle' | 'setIgnoreDoubleClickEvents' | 'getBounds' | 'isDestroyed' | 'destroy'
> // prettier-ignore

export function createTrays(parts: {
  /** false: a desktop without a tray. As on Linux, making one still works; nobody sees it. */
  readonly shown: boolean
  readonly onChange: (trays: readonly RecordedTray[]) => void
}) {
  const trays = new Map<number, Tray>()
  const changed = () =>
    parts.onChange(parts.shown ? [...trays.values()].map((tray) => tray.standIn.recorded()) : [])
  let nextId = 1

  class Tray extends EventEmitter implements Checked {
    readonly standIn: {
      recorded(): RecordedTray
      menu(): StandInMenu | null
      act(event: string, details?: readonly unknown[]): void
    }
    #icon: string
    #iconChanges = 0
    #toolTip = ''
    #title = ''
    #menu: StandInMenu | null = null
    #destroyed = false
    readonly #id = nextId++

    constructor(image: unknown) {
      super()
      onlyEvents('Tray', this, EVENTS)
      this.#icon = describeImage(image)
      this.standIn = {
        recorded: () => ({
          id: this.#id,
          icon: this.#icon,
          iconChanges: this.#iconChanges,
          toolTip: this.#toolTip,
          title: this.#title,
          menu: this.#menu === null ? null : describeMenu(this.#menu),
        }),
        menu: () => this.#menu,
        act: (event, details = []) => void this.emit(event, preventable({}), ...details),
      }
      trays.set(this.#id, this)
      changed()
    }
    setImage = (image: unknown) => {
      this.#icon = describeImage(image)
      this.#iconChanges++
      changed()
    }
    setPressedImage = () => {}
    setToolTip = (text: string) => {
      this.#toolTip = text
      changed()
    }
    setTitle = (title: string) => {
      this.#title = title
      changed()
    }
    getTitle = () => this.#title
    setContextMenu = (menu: StandInMenu | null) => {
      this.#menu = menu
      changed()
    }
    popUpContextMenu = (menu?: StandInMenu) => (menu ?? this.#menu)?.popup()
    closeContextMenu = () => this.#menu?.closePopup()
    setIgnoreDoubleClickEvents = () => {}
    getBounds = () => ({ x: 0, y: 0, width: 22, height: 22 })
    isDestroyed = () => this.#destroyed
    destroy = () => {
      this.#destroyed = true
      trays.delete(this.#id)
      changed()
    }
  }
  return {
    Tray: lackingClass('Tray', Tray),
    /** The n-th tray that is shown. */
    shown(index: number) {
      const tray = parts.shown ? [...trays.values()][index] : undefined
      if (tray === undefined) throw new Error('There is no tray')
      return tray.standIn
    },
  }
}
