import type { FolderIdProblem } from '../drive-folder.ts'

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
