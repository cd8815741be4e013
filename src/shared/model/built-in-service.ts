/** What the built-in service is set up with: its presets and its drive. */
import type { FolderIdProblem } from '../drive-folder.ts'

/** Where a document does not fit the schema of presets. */
export type PresetProblem = { readonly field: string; readonly message: string }

/** A preset of the built-in service as it stands in its file. */
export type PresetDocument = {
  readonly name: string
  /** JSON text. */
  readonly text: string
  readonly forPhotos: boolean
  readonly forVideos: boolean
  /** A preset with problems is not offered. */
  readonly problems: readonly PresetProblem[]
}

export type PresetSaved =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly PresetProblem[] }

/** What can be chosen as the drive of the built-in service, and what has been. */
export type DriveSetup = {
  readonly rclone: { readonly found: boolean; readonly version: string | null }
  readonly remotes: readonly { readonly name: string; readonly type: string }[]
  readonly chosen: string | null
}

/** What rclone failed with; `message` is English, and the only one to say what another kind of failure was. */
export type DriveTrouble = {
  readonly kind: 'quota' | 'busy' | 'locked' | 'signIn' | 'permission' | 'notFound' | 'network' | 'other'
  readonly message: string
}

/** Why a drive or a folder of it can't be used; the catalogue has the sentences. */
export type DriveProblem =
  | { readonly code: 'noRclone' | 'noRemote' | FolderIdProblem }
  | { readonly code: 'unknownRemote'; readonly name: string }
  | { readonly code: 'noSuchFolder' | 'notAFolder'; readonly folderId: string }
  | { readonly code: 'notListed' | 'trouble'; readonly trouble: DriveTrouble }

/** Whether a folder of the drive can be used. */
export type FolderCheck = { readonly ok: true } | { readonly ok: false; readonly problem: DriveProblem }
