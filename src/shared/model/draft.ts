import type { RecordId } from './ids.ts'
import type { MediaItem, RejectedItem } from './media-item.ts'

export type OutputTarget =
  /** An absolute folder on the service's computer, or on this one where results are downloaded. */
  { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'drive'; readonly folderId: string }

export type DraftSource =
  | { readonly kind: 'files'; readonly items: readonly MediaItem[] }
  | { readonly kind: 'drive'; readonly folderId: string }

/** What the user is composing. It lives in the main process, so that it outlives the window. */
export type Draft = {
  readonly source: DraftSource
  readonly rejected: readonly RejectedItem[]
  /** null: no preset is sent, the service's basic defaults apply. */
  readonly preset: string | null
  readonly output: OutputTarget
  /** Results per file, at least 1 (`batchCount`). */
  readonly variations: number
  readonly grouping: 'together' | 'separate'
  /** The submission that this draft will replace when it is started; null for a new one. */
  readonly editing: RecordId | null
}

/** Files are still being found in dropped folders. */
export type IntakeProgress = {
  readonly found: number
  readonly looked: number
  /** More files than the cap were found; the rest waits for an answer. */
  readonly question: { readonly found: number; readonly cap: number } | null
}

/** Why a draft can't be started as it is; the catalogue has the words. */
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
  /** The submission that this draft was to replace has been sent, or taken back, in the meantime. */
  | { readonly code: 'sentMeanwhile' }

export type StartResult =
  | { readonly ok: true; readonly ids: readonly RecordId[] }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] }
