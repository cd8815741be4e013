/** What the built-in service is set up with: its presets and its drive. */
import type { FolderIdProblem } from '../drive-folder.ts'
import type { JsonFault } from '../preset/json-text.ts'
import type { PresetFault } from '../preset/preset-faults.ts'
import type { Preset } from '../preset/preset.ts'

/** Where a document does not fit the schema of presets. */
export type PresetProblem = { readonly field: string; readonly message: string }

/** A preset of the built-in service as it stands in its file. */
export type PresetDocument = {
  readonly name: string
  /** JSON text. */
  readonly text: string
  readonly forPhotos: boolean
  readonly forVideos: boolean
  /** With all that it does not say itself; null where it has problems. */
  readonly preset: Preset | null
  /** A preset with problems is not offered. */
  readonly problems: readonly PresetProblem[]
  /** The first of them as the studio says it; null: none, or one that is not in the text. */
  readonly fault: PresetTextFault | null
  /** Whether every installation begins with it, and whether it was changed since. */
  readonly origin: 'own' | 'default' | 'changedDefault'
  /** What was typed and not saved; null: nothing. */
  readonly unsaved: string | null
}

export type PresetOverview = {
  readonly documents: readonly PresetDocument[]
  /** A preset that was begun and never saved; null: none. */
  readonly unsavedNew: string | null
  /** Defaults that are not there any more. */
  readonly deletedDefaults: number
}

export type PresetSaved =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly PresetProblem[] }

/** Presets from other places. Nothing is replaced by them. */
export type PresetImport = {
  /** `was`: the name in the file, where another preset had that already. */
  readonly taken: readonly { readonly name: string; readonly was: string | null }[]
  readonly leftOut: readonly PresetLeftOut[]
}

export type PresetLeftOut = {
  /** Of the preset, or of the file where that says none. */
  readonly name: string
  /** In the text of the file. */
  readonly line: number
  readonly reason: PresetTextFault
}

export type PresetTextFault = { readonly json: JsonFault } | { readonly field: PresetFault }

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
