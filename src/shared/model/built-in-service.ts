/** Configuration of the built-in service: its presets and its drive. */
import type { Reason } from '../failure/failure.ts'
import type { FolderIdProblem } from '../drive-folder.ts'
import type { PresetTextFault } from '../preset/preset-faults.ts'
import type { Preset } from '../preset/preset.ts'

export type PresetProblem = { readonly field: string; readonly message: string }

/** A preset of the built-in service as stored in its file. */
export type PresetDocument = {
  readonly name: string
  /** JSON text. */
  readonly text: string
  /** The preset with all defaults filled in; null if it has problems. */
  readonly preset: Preset | null
  /** The service doesn't offer a preset with problems. */
  readonly problems: readonly PresetProblem[]
  /** The first problem as the editor shows it; null if there is none. */
  readonly fault: PresetTextFault | null
  /** Whether this is the user's own preset, a default preset, or a default preset that the user changed. */
  readonly origin: 'own' | 'default' | 'changedDefault'
  /** Unsaved text; null if there is none. */
  readonly unsaved: string | null
}

export type PresetOverview = {
  readonly documents: readonly PresetDocument[]
  /** A new preset that was never saved; null if there is none. */
  readonly unsavedNew: string | null
  readonly deletedDefaults: number
}

export type PresetSaved = { readonly ok: true } | { readonly ok: false; readonly fault: PresetTextFault }

/** The outcome of an import, which never replaces existing presets. */
export type PresetImport = {
  /** `was` is the name in the file if another preset already had this name; otherwise null. */
  readonly taken: readonly { readonly name: string; readonly was: string | null }[]
  readonly leftOut: readonly PresetLeftOut[]
}

export type PresetLeftOut = {
  /** The preset's name, or the file's name if the preset has none. */
  readonly name: string
  readonly line: number
  /** `moreThan` is the maximum number of presets per import. The rest of the file, from `line`, wasn't imported. */
  readonly reason: PresetTextFault | { readonly moreThan: number }
}

/** The installed rclone, the remotes that the built-in service can use as its drive, and the selected one. */
export type DriveSetup = {
  readonly rclone: { readonly found: boolean; readonly version: string | null }
  readonly remotes: readonly { readonly name: string; readonly type: string }[]
  readonly chosen: string | null
}

export type DriveTrouble = {
  /** `ended`: another program ended rclone, so the drive itself may work. */
  readonly kind:
    | 'quota'
    | 'busy'
    | 'locked'
    | 'signIn'
    | 'permission'
    | 'notFound'
    | 'network'
    | 'ended'
    | 'other'
  readonly reason: Reason
}

/** Why a drive or one of its folders can't be used. The catalog contains the sentences. */
export type DriveProblem =
  | { readonly code: 'noRclone' | 'noRemote' | FolderIdProblem }
  | { readonly code: 'unknownRemote'; readonly name: string }
  | { readonly code: 'noSuchFolder' | 'notAFolder'; readonly folderId: string }
  | { readonly code: 'notListed' | 'trouble'; readonly trouble: DriveTrouble }

export type FolderCheck = { readonly ok: true } | { readonly ok: false; readonly problem: DriveProblem }

export type DriveFolders =
  | {
      readonly ok: true
      /** ID of the listed folder. */
      readonly id: string
      /** The remote; Google Drive has the type `drive`. */
      readonly remote: { readonly name: string; readonly type: string }
      /** In alphabetical order. */
      readonly folders: readonly { readonly name: string; readonly id: string }[]
    }
  | { readonly ok: false; readonly problem: DriveProblem }
