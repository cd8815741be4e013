/**
 * Decides when to show a notification. Shows none while the window is focused or notifications of this kind are turned off, unless
 * it is mandatory. Notifies once per job, and shows one summary instead of more than two notifications within a minute.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { servicesInUse } from '../services-in-use.ts'
import {
  finishedNotification,
  keyRejectedNotification,
  notRunningNotification,
  summaryNotification,
  type NotificationView,
  type ViewContext,
} from './notification-view.ts'

/** A visible notification. Keep a reference while it can be clicked, because a garbage-collected notification loses its events. */
export type Shown = { close(): void }

export type NotifierDeps = {
  readonly show: (view: NotificationView) => Shown
  readonly isInFront: () => boolean
  readonly state: () => AppState
  readonly context: () => ViewContext
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Schedules a callback in ms. */
  readonly after: (ms: number, run: () => void) => unknown
  /** Jobs that finish within this many ms share one notification; 0 merges only jobs from the same poll. */
  readonly batchMs: number
}

export interface Notifier {
  finished(record: PartDetails): void
  stateChanged(state: AppState, before: AppState): void
  /** Shows a notification that isn't derived from the state, such as a problem with a watched folder. */
  notify(view: NotificationView): void
}

const SUMMARY_WINDOW_MS = 60_000
const MOST_SINGLE = 2

type Ended = { readonly record: PartDetails; readonly view: NotificationView }
type Recent = { readonly record: PartDetails; readonly at: number; readonly shown: Shown }

export function createNotifier(deps: NotifierDeps): Notifier {
  let ended: Ended[] = []
  let recent: Recent[] = []
  let summary: Shown | undefined
  /** IDs of the services that have been reported as unavailable. */
  const reportedOffline = new Set<string>()

  const wanted = ({ choice }: NotificationView): boolean =>
    choice === null || (!deps.isInFront() && deps.state().settings.notifications[choice])

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
      recent.push(...together.map(({ record, view }) => ({ record, at: now, shown: deps.show(view) })))
      return
    }
    for (const { shown } of recent) shown.close()
    summary?.close()
    const records = [...recent, ...together].map(({ record }) => record)
    const shown = deps.show(summaryNotification(records, deps.context()))
    summary = shown
    recent.push(...together.map(({ record }) => ({ record, at: now, shown })))
  }

  function notify(view: NotificationView): void {
    if (wanted(view)) deps.show(view)
  }

  return {
    finished,
    notify,
    stateChanged(state, before) {
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
