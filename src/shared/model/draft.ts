import type { RecordId } from './ids.ts'
import type { MediaItem, RejectedItem } from './media-item.ts'

export type OutputTarget =
  /** An absolute path of a folder on the service's computer, or on this one if results are downloaded. */
  { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'drive'; readonly folderId: string }

export type DraftSource =
  | { readonly kind: 'files'; readonly items: readonly MediaItem[] }
  | { readonly kind: 'drive'; readonly folderId: string }

/** The job that the user is composing. The main process keeps it, so that it survives closing the window. */
export type Draft = {
  readonly source: DraftSource
  readonly rejected: readonly RejectedItem[]
  /** null means no preset; the service then uses its basic defaults. */
  readonly preset: string | null
  readonly output: OutputTarget
  /** Results per file, at least 1 (`batchCount`). */
  readonly variations: number
  readonly grouping: 'together' | 'separate'
  /** The submission that this draft replaces when started; null for a new one. */
  readonly editing: RecordId | null
}

/** Progress of a running search for files in dropped folders. */
export type IntakeProgress = {
  readonly found: number
  readonly looked: number
  /** Set if the search found more files than `cap`. It then waits for the user's decision. */
  readonly question: { readonly found: number; readonly cap: number } | null
}

/** Why a draft can't be started. The catalog contains the sentences. */
export type DraftProblem =
  | { readonly code: 'noInput' }
  | { readonly code: 'noOutput' }
  | { readonly code: 'outputNotAbsolute'; readonly path: string }
  | { readonly code: 'presetUnknown'; readonly preset: string }
  | { readonly code: 'presetNotFor'; readonly preset: string; readonly kind: 'photos' | 'videos' }
  | { readonly code: 'driveNotConnected' }
  | { readonly code: 'driveFolderInvalid'; readonly folderId: string }
  | { readonly code: 'tooLargeToUpload'; readonly name: string; readonly size: number }
  | { readonly code: 'variationsInvalid' }
  /** The submission that this draft should replace has since been sent or canceled. */
  | { readonly code: 'sentMeanwhile' }

export type StartResult =
  | { readonly ok: true; readonly ids: readonly RecordId[] }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] }
