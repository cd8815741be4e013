/** `Tray`: its icon, texts and menu, as the user sees them. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { RecordedTray } from '../recorded.ts'
import { lackingClass, onlyEvents, preventable } from './lacking.ts'
import { type StandInMenu, describeMenu } from './menu.ts'
import { describeImage } from './native-image.ts'

const EVENTS = ['click', 'right-click', 'drop-files', 'balloon-click', 'mouse-enter']

/** The members that are checked against Electron's own types. */
type Checked = Pick<
  Electron.Tray,
  'displayBalloon' | 'removeBalloon' | 'setImage' | 'setToolTip' | 'isDestroyed' | 'destroy'
> // prettier-ignore

export function createTrays(parts: {
  /**
   * False for a desktop without a tray. As on Linux, the app can still create an icon there, but it is never shown, even if the desktop
   * shows icons later.
   */
  readonly shown: () => boolean
  readonly platform: () => string
  readonly onChange: (trays: readonly RecordedTray[]) => void
}) {
  const trays = new Map<number, Tray>()
  const changed = () => parts.onChange(shownTrays().map((tray) => tray.standIn.recorded()))
  const shownTrays = () => [...trays.values()].filter(({ standIn }) => standIn.isShown)
  let nextId = 1

  class Tray extends EventEmitter implements Checked {
    readonly standIn: {
      readonly isShown: boolean
      recorded(): RecordedTray
      menu(): StandInMenu | null
      act(event: string, details?: readonly unknown[]): void
      /** Restarts Explorer: the icon gets its image and menu again, but not its tooltip. */
      restartTaskbar(): void
    }
    #icon: string
    #iconChanges = 0
    #toolTip = ''
    #balloon: RecordedTray['balloon'] = null
    #menu: StandInMenu | null = null
    #destroyed = false
    readonly #id = nextId++

    constructor(image: unknown) {
      super()
      onlyEvents('Tray', this, EVENTS)
      this.#icon = describeImage(image)
      this.standIn = {
        isShown: parts.shown(),
        recorded: () => ({
          id: this.#id,
          icon: this.#icon,
          iconChanges: this.#iconChanges,
          toolTip: this.#toolTip,
          menu: this.#menu === null ? null : describeMenu(this.#menu),
          balloon: this.#balloon,
        }),
        menu: () => this.#menu,
        act: (event, details = []) => void this.emit(event, preventable({}), ...details),
        restartTaskbar: () => this.setToolTip(''),
      }
      trays.set(this.#id, this)
      changed()
    }
    setImage = (image: unknown) => {
      this.#icon = describeImage(image)
      this.#iconChanges++
      changed()
    }
    displayBalloon = ({ title, content }: Electron.DisplayBalloonOptions) => {
      this.#balloon = { title: title.slice(0, 63), content: content.slice(0, 255) }
      changed()
    }
    removeBalloon = () => {
      this.#balloon = null
      changed()
    }
    setToolTip = (text: string) => {
      this.#toolTip = parts.platform() === 'win32' ? text.slice(0, 127) : text
      changed()
    }
    setContextMenu = (menu: StandInMenu | null) => {
      this.#menu = menu
      changed()
    }
    popUpContextMenu = (menu?: StandInMenu) => (menu ?? this.#menu)?.popup()
    isDestroyed = () => this.#destroyed
    destroy = () => {
      this.#destroyed = true
      trays.delete(this.#id)
      changed()
    }
  }
  return {
    Tray: lackingClass('Tray', Tray),
    /** Returns the n-th tray that is shown. */
    shown(index: number) {
      const tray = shownTrays()[index]
      if (tray === undefined) throw new Error('There is no tray')
      return tray.standIn
    },
  }
}
