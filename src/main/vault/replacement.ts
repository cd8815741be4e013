/** What happened to one original of a job with *Replace the originals*. */
import type { FolderRights } from '../../node/opened-folder.ts'
import type { FileVersion } from './file-version.ts'
import type { Readable } from './stored-state.ts'

export type ReplacementState =
  | Readable
  /** The journal's entry can't be read. Its original stays where it is. Never stored. */
  | { readonly kind: 'unreadable' }

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
