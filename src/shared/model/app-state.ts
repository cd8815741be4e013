import type { ConnectionView } from './connection.ts'
import type { ListChange } from './list-change.ts'
import type { Draft, IntakeProgress } from './draft.ts'
import type { Forecast } from './forecast.ts'
import type { Notice } from './notice.ts'
import type { Settings } from './settings.ts'
import type { ActiveJob, OutboxEntry, RecordSummary } from './work.ts'

/** How long the queue of the service is, as last read; null before. */
export type QueueReading = { readonly waiting: number; readonly processing: boolean }

/**
 * All that the tray, the notifications and the window are drawn from. One immutable value in the main process; the
 * history is asked for by page and is not in it.
 */
export type AppState = {
  readonly connection: ConnectionView
  /** Now and Up next, the running one first, then by queue position. */
  readonly jobs: readonly ActiveJob[]
  readonly queue: QueueReading | null
  /** Waiting here and Needs you, in the order of sending. */
  readonly outbox: readonly OutboxEntry[]
  readonly outboxPaused: boolean
  readonly draft: Draft
  readonly intake: IntakeProgress | null
  /** What the draft will come to; null where that is not known, or nobody looks. */
  readonly forecast: Forecast | null
  /** The settings that it is of, as the studio gave them, where they are not saved; null: the draft's preset as it is. */
  readonly forecastWith: string | null
  /** Records with problems or failures that nobody has looked at. */
  readonly unseen: number
  /** The newest of those. */
  readonly lastProblem: RecordSummary | null
  /** The newest record that has made something. */
  readonly lastResult: RecordSummary | null
  /** Grows with each change of the history, so that a page on show can be asked for again. */
  readonly historyVersion: number
  readonly notices: readonly Notice[]
  readonly update: UpdateState
  /** Everything is done, and the app is about to quit or the computer to sleep, as the person has chosen. */
  readonly ending: { readonly action: 'quit' | 'sleep'; /** ms since 1970 */ readonly at: number } | null
  readonly settings: Settings
}

/** Of a long outbox only the first part, and the rest in the changes that follow. */
export type Snapshot = { readonly version: number; readonly state: AppState }

/** The slices that are new since the version before, and what has changed in the outbox. A reader that misses one takes a snapshot. */
export type StateChange = {
  readonly since: number
  readonly version: number
  readonly slices: Partial<Omit<AppState, 'outbox'>>
  readonly outbox?: ListChange<OutboxEntry>
}

export type UpdateFailure =
  /** Something that is not from us, or was damaged on its way. Nothing of it was installed. */
  'badSignature' | 'notReachable' | 'other'

/** Where the app stands with a new version of itself. */
export type UpdateState =
  /** This build was made without a place where newer ones are published: nobody is ever asked. */
  | { readonly status: 'noSource' }
  /** There is such a place, but nothing that a newer version could be held against. */
  | { readonly status: 'unsigned' }
  /** The portable edition for Windows, which is exchanged by hand. */
  | { readonly status: 'portable' }
  | { readonly status: 'idle' }
  | { readonly status: 'checking' }
  /** It is downloaded when there is no work. */
  | { readonly status: 'available'; readonly version: string }
  | { readonly status: 'downloading'; readonly version: string; /** 0..1 */ readonly share: number }
  | { readonly status: 'ready'; readonly version: string }
  | {
      readonly status: 'failed'
      readonly reason: UpdateFailure
      /** In the words of the updater. */
      readonly detail: string
    }
