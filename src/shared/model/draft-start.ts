import type { RecordId } from './ids.ts'

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
