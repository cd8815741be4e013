/** What happened to one original of a job with *Replace the originals*. */
import type { KeptReason } from '../../shared/model/replacement.ts'
import type { FolderRights } from '../../node/opened-folder.ts'
import type { FileVersion } from './file-version.ts'
import type { Swap } from './swap.ts'

export type ReplacementState =
  /** The journal's entry can't be read. Its original stays where it is. Never stored. */
  | { readonly kind: 'unreadable' }
  /** The job hasn't ended. */
  | { readonly kind: 'waiting' }
  | Swapping
  /** The result has replaced the original, which is in the vault. */
  | {
      readonly kind: 'replaced'
      readonly place: string
      /** The original's path in the vault. */
      readonly original: string
      readonly result: FileVersion
      /** When it was replaced, in ms since 1970. */
      readonly at: number
    }
  /**
   * The original was kept where it is. `result` is the result's path, if it was kept. `at`: when the result was left in the vault because
   * it couldn't be moved next to the original, in ms since 1970; null if it isn't there.
   */
  | {
      readonly kind: 'kept'
      readonly why: KeptReason
      readonly result: string | null
      /** Size of a result that wasn't smaller, in bytes. */
      readonly resultBytes: number | null
      /** Version of the result, if it was kept. */
      readonly version: FileVersion | null
      readonly at: number | null
    }
  /** The original was restored. `result` is in the vault, unless the replaced file was edited and both files were kept. */
  | {
      readonly kind: 'restored'
      readonly place: string
      readonly result: string | null
      readonly version: FileVersion | null
      /** When the original was replaced, in ms since 1970. */
      readonly at: number
      readonly restoredAt: number | null
    }
  /** The original, or the result of a restored one, was deleted from the vault. */
  | {
      readonly kind: 'expired'
      readonly at: number
      readonly was: 'replaced' | 'restored'
      /** The file that stayed; null if it isn't known. */
      readonly place: string | null
      /** Version of a result that stayed. */
      readonly version: FileVersion | null
    }

/** A state that can be stored. */
export type Readable = Exclude<ReplacementState, { readonly kind: 'unreadable' }>

/** A swap has begun. After a crash, the next run finishes it. */
export type Swapping = {
  readonly kind: 'swapping'
  readonly swap: Swap
  /** The version of the result, which the swap places or removes. */
  readonly result: FileVersion
  /** When the original was or will be replaced, in ms since 1970. */
  readonly at: number
} & (
  | { readonly goal: 'replace' }
  /** Replaces a restored original again. `restoredAt`: when it was restored. */
  | { readonly goal: 'redo'; readonly restoredAt: number | null }
  /** Puts the result next to the original, which isn't moved. */
  | { readonly goal: 'keep'; readonly why: KeptReason }
  /** `place`: the path of the replaced file. */
  | { readonly goal: 'restore'; readonly place: string }
)

export type StoredReplacement = {
  readonly id: number
  /** The job's folder in the vault when it was prepared, which identifies the job. Its subfolder `results` was the job's output folder. */
  readonly job: string
  /** The user's own path of the original when the job was prepared, which identifies the original. */
  readonly path: string
  /** The job's folder in the vault now. The vault may be mounted elsewhere, or the original may have moved to another vault. */
  readonly folder: string
  /** Where the original belongs now. Links in `path` were followed when the job was prepared: they may lead elsewhere later. */
  readonly target: string
  readonly version: FileVersion
  /** The rights of the original's folder, its parent and so on, when the job was prepared. */
  readonly rights: readonly FolderRights[]
  readonly state: ReplacementState
}
