/**
 * Decides when to show a notification. While the window is in front, shows only mandatory ones. Otherwise, also shows the kinds that the
 * user hasn't turned off. Notifies once per job, and shows one summary instead of more than two notifications within a minute.
 */
import type { Notification } from 'electron'
import { callEach } from '../../../node/call-each.ts'
import type { AppState } from '../../../shared/model/app-state.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { shownSentence } from '../../../shared/paths.ts'
import { servicesInUse } from '../services-in-use.ts'
import type { Balloon } from '../tray/tray-icon.ts'
import type { UserAction } from '../user-action.ts'
import { activatedAction, activatedId, notificationId } from './earlier-notifications.ts'
import {
  finishedNotification,
  keyRejectedNotification,
  notRunningNotification,
  summaryNotification,
  type NotificationView,
  type ViewContext,
} from './notification-view.ts'

/** A notification that can be closed. */
type Shown = { close(): void }

export type Notifier = ReturnType<typeof createNotifier>

const SUMMARY_WINDOW_MS = 60_000
const MOST_SINGLE = 2

type Ended = { readonly record: PartDetails; readonly view: NotificationView }
type Recent = { readonly record: PartDetails; readonly at: number; readonly shown: Shown | undefined }

export function createNotifier(deps: {
  readonly show: (view: NotificationView) => Shown
  readonly isInFront: () => boolean
  readonly state: () => AppState
  readonly context: () => ViewContext
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Calls `run` after `ms` milliseconds. */
  readonly after: (ms: number, run: () => void) => unknown
  /** How long finished jobs are collected before the app notifies, in ms. 0 collects only jobs from the same poll. */
  readonly batchMs: number
  readonly log: (message: string) => void
}) {
  let ended: Ended[] = []
  let recent: Recent[] = []
  let summary: Shown | undefined
  /** IDs of the services that have been reported as unavailable. */
  const reportedOffline = new Set<string>()

  const wanted = ({ choice }: NotificationView): boolean =>
    choice === null || (!deps.isInFront() && deps.state().settings.notifications[choice])

  /** Returns undefined if the notification can't be shown, so that the others are still shown. */
  function show(view: NotificationView): Shown | undefined {
    try {
      return deps.show(view)
    } catch (error) {
      deps.log(`could not show a notification: ${String(error)}`)
      return undefined
    }
  }

  function close(notifications: readonly (Shown | undefined)[]): void {
    callEach(
      notifications.map((one) => () => one?.close()),
      (error) => deps.log(`could not close a notification: ${String(error)}`),
    )
  }

  function finished(record: PartDetails): void {
    const view = finishedNotification(record, deps.context())
    if (view === undefined || !wanted(view)) return
    if (ended.length === 0) deps.after(deps.batchMs, showEnded)
    ended.push({ record, view })
  }

  function showEnded(): void {
    const now = deps.clock()
    recent = recent.filter(({ at }) => now - at < SUMMARY_WINDOW_MS)
    if (recent.length === 0) summary = undefined
    const together = ended
    ended = []
    if (recent.length + together.length <= MOST_SINGLE) {
      recent.push(...together.map(({ record, view }) => ({ record, at: now, shown: show(view) })))
      return
    }
    close([...recent.map(({ shown }) => shown), summary])
    const records = [...recent, ...together].map(({ record }) => record)
    const shown = show(summaryNotification(records, deps.context()))
    summary = shown
    recent.push(...together.map(({ record }) => ({ record, at: now, shown })))
  }

  /** Shows a notification that isn't about a finished job, such as a problem with a watched folder. */
  function notify(view: NotificationView): void {
    if (wanted(view)) show(view)
  }

  return {
    finished,
    notify,
    stateChanged(state: AppState, before: AppState): void {
      const context = deps.context()
      const earlier = servicesInUse(before, context.t).filter(
        ({ view }) => view.state.status === 'keyRefused',
      )
      for (const service of servicesInUse(state, context.t)) {
        const { id, view } = service
        const { status } = view.state
        const wasRefused = earlier.some((one) => one.id === id)
        if (status === 'keyRefused' && !wasRefused) notify(keyRejectedNotification(service, context))
        if (status === 'online') reportedOffline.delete(id)
        if (status === 'offline' && !reportedOffline.has(id) && service.waiting() > 0) {
          reportedOffline.add(id)
          notify(notRunningNotification(service, context))
        }
      }
    },
  }
}

/** Number of notifications to protect from garbage collection, so that a click on them works. The system discards older ones. */
const KEPT = 30

/**
 * Creates a function that shows native notifications. Buttons exist only on macOS and Windows; on Linux users can only click the
 * notification.
 */
export function createNativeNotifications(options: {
  readonly Notification: typeof Notification
  readonly platform: NodeJS.Platform
  readonly iconPath: string
  readonly onAction: (action: UserAction) => void
  readonly log: (message: string) => void
}) {
  const { platform, onAction, log } = options
  const alive = new Set<Notification>()
  if (platform === 'win32') answerEarlier()

  /**
   * Handles clicks on notifications of an earlier run. Windows passes them on only after this run has called `isSupported` or created a
   * notification.
   */
  function answerEarlier(): void {
    if (!options.Notification.isSupported()) return
    options.Notification.handleActivation((details) => {
      const id = activatedId(details)
      // A notification of this run gets its own event.
      if (id === undefined || ![...alive].some((one) => one.id === id)) onAction(activatedAction(details))
    })
  }

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
      ...(platform === 'win32' ? { id: notificationId(view) } : {}),
      ...(hasButtons
        ? { actions: view.buttons.map(({ label }) => ({ type: 'button' as const, text: label })) }
        : {}),
    })
    let isThere = false
    let isUnwanted = false
    // Windows and macOS show notifications asynchronously. A notification that is closed earlier would still appear, but wouldn't respond
    // to clicks.
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
const oneLine = (text: string): string => shownSentence(text.replaceAll(/[\t\n\r]+/g, ' '))

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
    const [title, body] = [oneLine(view.title), oneLine(view.body)]
    tray.balloon({
      // An empty text removes the balloon that is showing.
      ...(body === '' ? { title: 'Mediatray', content: title } : { title, content: body }),
      onClick: () => onAction(view.click),
    })
    return { close: () => tray.balloon(null) }
  }
