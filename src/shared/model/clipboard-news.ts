import type { RecordId } from './ids.ts'

/** The progress or outcome of a request to process the clipboard or to restore its earlier content. */
export type ClipboardNews =
  | {
      readonly kind: 'ready'
      /** Identifies the content that was put on the clipboard. */
      readonly run: string
      readonly id: RecordId
      /** Bytes before and after, of the files that became smaller. */
      readonly was: number
      readonly now: number
      /** null means the service's basic defaults. */
      readonly preset: string | null
      /** Number of results; only a single one can be saved elsewhere. */
      readonly results: number
      /** False on Wayland if the window isn't in front: the compositor may have ignored the result, and the app can't know. */
      readonly isConfirmed: boolean
    }
  /** There's nothing to process: no image and no file that the preset handles. */
  | { readonly kind: 'nothing' }
  /** The files were cut. They would be moved when pasted, so they stay as they are. */
  | { readonly kind: 'cut' }
  /** The same content is still being processed. */
  | { readonly kind: 'underWay' }
  /** The job waits for the service. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'notSmaller' }
  /** Something else was copied while the job ran. */
  | { readonly kind: 'changed'; readonly id: RecordId }
  /** Another app had the clipboard open, so the result couldn't be put there. */
  | { readonly kind: 'blocked'; readonly id: RecordId }
  /** The job couldn't be started. */
  | { readonly kind: 'notStarted' }
  /** The service refused the job, or may not have received it. */
  | { readonly kind: 'needsUser'; readonly id: RecordId }
  | { readonly kind: 'failed'; readonly id: RecordId }
  /** The earlier content is on the clipboard again. */
  | { readonly kind: 'restored' }
  /** Something else has been copied since then, so the earlier content wasn't restored. */
  | { readonly kind: 'notRestored' }
  /** Another app had the clipboard open, so the earlier content wasn't restored. Another attempt may succeed. */
  | { readonly kind: 'restoreBlocked' }
