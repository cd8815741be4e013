import type { MediaKind } from '../media-types.ts'

/** A photo or video that can be part of a job. */
export type MediaItem = {
  /** Absolute, on this computer. */
  readonly path: string
  readonly name: string
  readonly kind: MediaKind
  /** Bytes. */
  readonly size: number
}

export type RejectionReason =
  | 'unsupported'
  | 'unreadable'
  | 'missing'
  | 'empty'
  | 'notAFile'
  | 'tooLargeToUpload'
  | 'duplicateName'

/** Something that was brought in and can't be used; kept, so that the person learns why. */
export type RejectedItem = {
  readonly path: string
  readonly name: string
  readonly reason: RejectionReason
  /** What the operating system said, where that helps. */
  readonly detail?: string
}
