import type { FileContents, Foreseen } from '../loss/foreseen.ts'
import { connectionTo, type ConnectionView } from './connection.ts'
import type { ListChange } from './list-change.ts'
import type { DoneFiles } from './done-files.ts'
import type { Draft, DraftFacts, IntakeProgress } from './draft.ts'
import type { DraftEstimate } from './estimate.ts'
import type { Notice } from './notice.ts'
import type { QuietView } from './quiet.ts'
import type { Settings } from './settings.ts'
import type { PartAt } from './job.ts'

/** The service's queue as last read: the number of waiting jobs, and whether a job is being processed. */
export type ServiceQueue = { readonly waiting: number; readonly processing: boolean }

/**
 * The complete state behind the tray, the notifications and the window: one immutable value in the main process. It doesn't contain
 * the history, which is read page by page.
 */
export type AppState = {
  readonly connection: ConnectionView
  /** The services in addition to the one in use; empty if there are none. */
  readonly services: readonly ConnectionView[]
  /**
   * The jobs that a service has accepted, grouped by service, with the service in use first. The order within a service: jobs whose results
   * are being downloaded, started jobs, uploads to the drive, and queued jobs by position.
   */
  readonly jobs: readonly PartAt<'service'>[]
  /** null until the first read. */
  /** null until the first read. */
  readonly queue: ServiceQueue | null
  /** The submissions that no service has accepted, in sending order. */
  readonly outbox: readonly PartAt<'outbox'>[]
  /** The finished parts of jobs that have unfinished ones. */
  readonly endedParts: readonly PartAt<'history'>[]
  readonly quiet: QuietView
  readonly draft: Draft
  readonly draftFacts: DraftFacts
  /** null if the draft has no files on this computer, or if the comparison with earlier results has only just begun. */
  readonly doneFiles: DoneFiles | null
  readonly intake: IntakeProgress | null
  /** The draft's estimate; null if unknown or not visible. */
  readonly estimate: DraftEstimate | null
  /** What the draft's results will lose; null if nothing is known to be lost, if the draft isn't visible, or if `estimateWith` is set. */
  readonly foreseen: Foreseen | null
  /** Pages, chapters and HDR of the draft's files read so far; empty if the draft isn't visible, or if `estimateWith` is set. */
  readonly contents: readonly FileContents[]
  /** The preset editor's unsaved settings that the estimate is based on; null if the estimate uses the saved preset. */
  readonly estimateWith: string | null
  /** Number of records with problems or failures that the user hasn't opened. */
  readonly unseen: number
  /** The newest record with problems or failures that the user hasn't opened. */
  readonly lastProblem: PartAt<'history'> | null
  /** The newest record whose outcome is `done` or `problems`. */
  readonly lastResult: PartAt<'history'> | null
  /** Increases with each change to the history, so that visible pages can be reloaded. */
  readonly historyVersion: number
  readonly notices: readonly Notice[]
  readonly update: UpdateState
  /** The upcoming action after all jobs are done; null if there is none. */
  readonly ending: { readonly action: 'quit' | 'sleep'; /** ms since 1970 */ readonly at: number } | null
  readonly settings: Settings
}

export const draftConnection = (state: Pick<AppState, 'connection' | 'services' | 'draft'>): ConnectionView =>
  connectionTo(state, state.draft.service)

/** The complete state, except that a long outbox is cut off. The following state changes contain the rest. */
export type Snapshot = { readonly version: number; readonly state: AppState }

/**
 * The slices that have changed since the previous version, and the changes to the outbox. A reader that missed a change requests a
 * snapshot.
 */
export type StateChange = {
  readonly since: number
  readonly version: number
  readonly slices: Partial<Omit<AppState, 'outbox'>>
  readonly outbox?: ListChange<PartAt<'outbox'>>
}

export type UpdateFailure =
  /** The download isn't from the publisher or was damaged in transit. Nothing was installed. */
  | 'badSignature'
  | 'notReachable'
  /** The disk with the app or with downloads has too little space. Nothing was installed. */
  | 'diskFull'
  | 'other'

export type UpdateState =
  /** This build has no update source, so it never checks for updates. */
  | { readonly status: 'noSource' }
  /** There is an update source, but its updates aren't signed, or this build has no key to verify their signatures. */
  | { readonly status: 'unsigned' }
  /** The portable Windows edition, which users update manually. */
  | { readonly status: 'portable' }
  | { readonly status: 'idle' }
  | { readonly status: 'checking' }
  /** The update downloads once no jobs are running. */
  | { readonly status: 'available'; readonly version: string }
  | { readonly status: 'downloading'; readonly version: string; /** 0..1 */ readonly share: number }
  | { readonly status: 'ready'; readonly version: string }
  | {
      readonly status: 'failed'
      readonly reason: UpdateFailure
      /** The updater's own message. */
      readonly detail: string
    }
