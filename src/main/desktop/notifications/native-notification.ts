/** A notification of the platform. Buttons where it has them; on Linux a click has to do. */
import type { Notification, NotificationConstructorOptions } from 'electron'
import type { UserAction } from '../user-action.ts'
import type { NotificationView } from './notification-view.ts'
import type { Shown } from './notifier.ts'

export type NativeNotificationOptions = {
  readonly isSupported: () => boolean
  readonly create: (options: NotificationConstructorOptions) => Notification
  readonly platform: NodeJS.Platform
  readonly iconPath: string
  readonly onAction: (action: UserAction) => void
  readonly log: (message: string) => void
}

/** Not collected while it may be clicked; what the system has thrown away by then is not missed. */
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
    if (!options.isSupported()) return { close: () => {} }
    const hasButtons = platform === 'darwin' || platform === 'win32'
    const notification = options.create({
      title: view.title,
      body: view.body,
      ...(platform === 'linux' ? { icon: options.iconPath } : {}),
      ...(hasButtons
        ? { actions: view.buttons.map(({ label }) => ({ type: 'button' as const, text: label })) }
        : {}),
    })
    notification.on('click', () => onAction(view.click))
    notification.on('action', (details) => {
      const button = view.buttons[details.actionIndex]
      if (button !== undefined) onAction(button.action)
    })
    notification.on('close', ({ reason }) => {
      // Windows only puts one that nobody looked at aside; it can still be clicked there.
      if (reason !== 'timedOut') alive.delete(notification)
    })
    // Such as an unsigned build on macOS. What it says stands in the list as well.
    notification.on('failed', (_event, error) => log(`a notification could not be shown: ${error}`))
    keep(notification)
    notification.show()
    return {
      close() {
        // One that was put aside says nothing any more when it goes.
        alive.delete(notification)
        notification.close()
      },
    }
  }
}
