/** Whether there is an icon in the tray. It comes and goes with the settings; a desktop that can have none is asked once. */
import type { TrayHost } from './tray-host.ts'
import type { TrayIconControl } from './tray-icon.ts'
import type { TrayIcon, TrayView } from './tray-view.ts'

export interface TrayPresence {
  show(view: TrayView): void
  hide(): void
  /** Whether a person can find the app in the tray. */
  isShown(): boolean
  /** The same for an app that has just been started, when the desktop may not have said yet. */
  willBeShown(): Promise<boolean>
  redraw(): void
}

export type TrayPresenceOptions = {
  /** Makes the icon. Throws where the desktop has no tray. */
  readonly make: (first: TrayIcon) => TrayIconControl
  readonly host: TrayHost
  readonly log: (message: string) => void
}

export function createTrayPresence({ make, host, log }: TrayPresenceOptions): TrayPresence {
  let icon: TrayIconControl | undefined
  let isImpossible = false

  function tryToMake(first: TrayIcon): TrayIconControl | undefined {
    try {
      return make(first)
    } catch (error) {
      isImpossible = true
      log(`there is no tray: ${String(error)}`)
      return undefined
    }
  }

  return {
    show(view) {
      if (!isImpossible) icon ??= tryToMake(view.icon)
      icon?.update(view)
    },
    hide() {
      icon?.remove()
      icon = undefined
    },
    isShown() {
      host.refresh()
      return icon !== undefined && host.mayShow()
    },
    willBeShown: async () => icon !== undefined && (await host.shows()),
    redraw: () => icon?.redraw(),
  }
}
