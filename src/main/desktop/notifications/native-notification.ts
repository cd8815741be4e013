/** Shows native notifications. Buttons exist only on macOS and Windows; on Linux users can only click the notification. */
import type { Notification } from 'electron'
import { shownText } from '../../../shared/paths.ts'
import type { Balloon } from '../tray/tray-icon.ts'
import type { UserAction } from '../user-action.ts'
import type { NotificationView } from './notification-view.ts'
import type { Shown } from './notifier.ts'

type NativeNotificationOptions = {
  readonly Notification: typeof Notification
  readonly platform: NodeJS.Platform
  readonly iconPath: string
  readonly onAction: (action: UserAction) => void
  readonly log: (message: string) => void
}

/** Number of notifications kept from garbage collection while they can be clicked. The system has discarded older ones by then. */
const KEPT = 30

export function createNativeNotifications(options: NativeNotificationOptions) {
  const { platform, onAction, log } = options
  const alive = new Set<Notification>()

  function keep(notification: Notification): void {
    alive.add(notification)
    const oldest = alive.values().next()
    if (alive.size > KEPT && oldest.done !== true) alive.delete(oldest.value)
  }

  return (view: NotificationView): Shown => {
    if (!options.Notification.isSupported()) return { close: () => {} }
    const hasButtons = platform === 'darwin' || platform === 'win32'
    const notification = new options.Notification({
      title: oneLine(view.title),
      body: platform === 'linux' ? withoutMarkup(oneLine(view.body)) : oneLine(view.body),
      ...(platform === 'linux' ? { icon: options.iconPath } : {}),
      ...(hasButtons
        ? { actions: view.buttons.map(({ label }) => ({ type: 'button' as const, text: label })) }
        : {}),
    })
    let isThere = false
    let isUnwanted = false
    // Windows and macOS show a notification asynchronously. One that was closed earlier would still appear, but not respond to
    // clicks.
    notification.on('show', () => {
      isThere = true
      if (isUnwanted) closeNow()
    })
    notification.on('click', () => {
      alive.delete(notification)
      onAction(view.click)
    })
    notification.on('action', (details) => {
      alive.delete(notification)
      const button = view.buttons[details.actionIndex]
      if (button !== undefined) onAction(button.action)
    })
    notification.on('close', ({ reason }) => {
      // On Windows a timeout only moves the notification to the action center, where it can still be clicked.
      if (reason !== 'timedOut') alive.delete(notification)
    })
    // Happens, for example, in unsigned builds on macOS. The job list shows the same information.
    notification.on('failed', (_event, error) => {
      alive.delete(notification)
      log(`could not show a notification: ${error}`)
    })

    function closeNow(): void {
      // A notification in the action center doesn't emit `close` when it is removed.
      alive.delete(notification)
      notification.close()
    }

    keep(notification)
    notification.show()
    return {
      close() {
        isUnwanted = true
        if (isThere) closeNow()
      },
    }
  }
}

/** Collapses a service's text to one line. */
const oneLine = (text: string): string => shownText(text.replaceAll(/[\t\n\r]+/g, ' '))

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes markup. Linux notification servers parse it in the body only: docs/decisions/notification-markup.md. */
const withoutMarkup = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => MARKUP[sign] ?? sign)

/**
 * Shows tray balloons instead of notifications on Windows if the app isn't installed. Electron's first notification, or even
 * checking for support, would register this copy in place of an installed one in the Start menu and the registry.
 */
export const createBalloons =
  (tray: { balloon(shown: Balloon | null): void }, onAction: (action: UserAction) => void) =>
  (view: NotificationView): Shown => {
    tray.balloon({
      title: oneLine(view.title),
      content: oneLine(view.body),
      onClick: () => onAction(view.click),
    })
    return { close: () => tray.balloon(null) }
  }
