/** What can be chosen as the drive of the built-in service, and what has been. */
export type DriveSetup = {
  readonly rclone: { readonly found: boolean; readonly version: string | null }
  readonly remotes: readonly { readonly name: string; readonly type: string }[]
  readonly chosen: string | null
}

/** Whether a folder of the drive can be used. */
export type FolderCheck = { readonly ok: true } | { readonly ok: false; readonly reason: string }
