/** Shows and removes the tray icon. After a failed attempt to create the icon, doesn't try again. */
import type { TrayHost } from './tray-host.ts'
import type { Balloon, TrayIconControl } from './tray-icon.ts'
import type { TrayIcon, TrayView } from './tray-view.ts'

export type TrayPresence = ReturnType<typeof createTrayPresence>

export function createTrayPresence(options: {
  /** @throws if the desktop has no tray */
  readonly make: (first: TrayIcon) => TrayIconControl
  readonly host: TrayHost
  readonly log: (message: string) => void
}) {
  const { make, host, log } = options
  let icon: TrayIconControl | undefined
  let shown: TrayView | undefined
  let isImpossible = false

  function tryToCreate(first: TrayIcon): TrayIconControl | undefined {
    try {
      return make(first)
    } catch (error) {
      isImpossible = true
      log(`could not create the tray icon: ${String(error)}`)
      return undefined
    }
  }

  function show(view: TrayView): void {
    shown = view
    if (!isImpossible) icon ??= tryToCreate(view.icon)
    icon?.update(view)
  }

  function hide(): void {
    icon?.remove()
    icon = undefined
    shown = undefined
  }

  // Electron looks for a tray host only when an icon is created. An icon that was created before the host appeared stays invisible.
  host.onAppeared(() => {
    const last = shown
    hide()
    if (last !== undefined) show(last)
  })

  return {
    show,
    hide,
    /** Whether the user can reach the app through the tray. */
    isShown(): boolean {
      host.refresh()
      return icon !== undefined && host.mayShow()
    },
    /** Like `isShown`, but also works right after launch, when the tray host may not be known yet. */
    willBeShown: async (): Promise<boolean> => icon !== undefined && (await host.shows()),
    /** Windows only; ignored without an icon. */
    balloon: (shown: Balloon | null): void => icon?.balloon(shown),
    redraw: (): void => icon?.redraw(),
  }
}
