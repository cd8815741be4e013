import type { MediaKind } from '../media-types.ts'

/** A photo or video that a job can process. */
export type MediaItem = {
  /** Absolute, on this computer. */
  readonly path: string
  readonly name: string
  readonly kind: MediaKind
  /** In bytes. */
  readonly size: number
}

export type RejectionReason =
  | 'unsupported'
  | 'unreadable'
  | 'missing'
  | 'empty'
  | 'notAFile'
  /** A link in a folder whose target is outside the folder. */
  | 'leadsOutside'
  | 'tooLargeToUpload'
  | 'duplicateName'
  /** None of the chosen presets handles files of its kind. */
  | 'noPresetFor'

/** A file that was added but can't be used. It stays listed to show the user why. */
export type RejectedItem = {
  readonly path: string
  readonly name: string
  readonly reason: RejectionReason
  /** The system's error message, if it is useful to the user. */
  readonly detail?: string
}
