/**
 * When a notification is shown: never while the window is in front, never a kind that is switched off, except what has to be said; one for each piece of
 * work; and where more than two come inside a minute, one summary in their place.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { RecordDetails } from '../../../shared/model/work.ts'
import {
  finishedNotification,
  keyRejectedNotification,
  notRunningNotification,
  summaryNotification,
  type NotificationView,
  type ViewContext,
} from './notification-view.ts'

/** A notification on show. Kept as long as it may be clicked: one that is collected loses its events. */
export type Shown = { close(): void }

export type NotifierDeps = {
  readonly show: (view: NotificationView) => Shown
  readonly isInFront: () => boolean
  readonly state: () => AppState
  readonly context: () => ViewContext
  /** ms since 1970. */
  readonly clock: () => number
}

export interface Notifier {
  finished(record: RecordDetails): void
  stateChanged(state: AppState, before: AppState): void
  /** Something that no other module tells, such as trouble with a watched folder. */
  say(view: NotificationView): void
}

const SUMMARY_WINDOW_MS = 60_000
const MOST_SINGLE = 2

type Recent = { readonly record: RecordDetails; readonly at: number; readonly shown: Shown }

export function createNotifier(deps: NotifierDeps): Notifier {
  let recent: Recent[] = []
  let summary: Shown | undefined
  let saidOffline = false

  const wanted = ({ choice }: NotificationView): boolean =>
    choice === null || (!deps.isInFront() && deps.state().settings.notifications[choice])

  function finished(record: RecordDetails): void {
    const view = finishedNotification(record, deps.context())
    if (view === undefined || !wanted(view)) return
    const now = deps.clock()
    recent = recent.filter(({ at }) => now - at < SUMMARY_WINDOW_MS)
    if (recent.length === 0) summary = undefined
    if (recent.length < MOST_SINGLE) {
      recent.push({ record, at: now, shown: deps.show(view) })
      return
    }
    for (const { shown } of recent) shown.close()
    summary?.close()
    const records = [...recent.map((one) => one.record), record]
    summary = deps.show(summaryNotification(records, deps.context()))
    recent.push({ record, at: now, shown: summary })
  }

  function say(view: NotificationView): void {
    if (wanted(view)) deps.show(view)
  }

  return {
    finished,
    say,
    stateChanged(state, before) {
      const { status } = state.connection.state
      if (status === 'keyRefused' && before.connection.state.status !== 'keyRefused') {
        say(keyRejectedNotification(waitingIn(state), deps.context()))
      }
      if (status === 'online') saidOffline = false
      if (status === 'offline' && !saidOffline && waitingIn(state) > 0) {
        saidOffline = true
        say(notRunningNotification(waitingIn(state), deps.context()))
      }
    },
  }
}

const waitingIn = ({ outbox }: AppState): number =>
  outbox.filter((entry) => entry.state.kind === 'waiting').length
