import type { Reason } from '../failure/failure.ts'
import type { KeepingFormat } from '../loss/loss.ts'
import type { RecordId } from './ids.ts'
import type { MediaItem, RejectedItem } from './media-item.ts'

export type OutputTarget =
  /** An absolute path of a folder on the service's computer, or on this one if results are downloaded. */
  { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'drive'; readonly folderId: string }

/** Where a draft's results go. Each of its submissions then has an `OutputTarget`. */
export type DraftOutput =
  | OutputTarget
  /**
   * The folder of each original, or this subfolder of it. `presetFolder` is a folder within that folder. It is set if the draft repeats
   * one of several presets that each had their own folder.
   */
  | { readonly kind: 'beside'; readonly subfolder: string | null; readonly presetFolder?: string | undefined }
  /** Each result replaces its original, which moves to a vault. */
  | { readonly kind: 'replace' }

/** Whether the results go to the folders of the originals. */
export const isNextToOriginals = (
  output: DraftOutput,
): output is Extract<DraftOutput, { readonly kind: 'beside' | 'replace' }> =>
  output.kind === 'beside' || output.kind === 'replace'

/** What the tiles of a new job offer. */
export type NewJobChoices = 'tasks' | 'starred'

export const MAX_PRESETS = 5

/** Converts a stored choice of one preset or none. */
export const presetsOf = (preset: string | null): readonly string[] => (preset === null ? [] : [preset])

/** Returns the preset of a draft that has only one or none; undefined if it has several. */
export const singlePresetOf = ({ presets }: Pick<Draft, 'presets'>): string | null | undefined =>
  presets.length > 1 ? undefined : (presets[0] ?? null)

export type DoneChoice = 'skip' | 'again'

export type DraftSource =
  | { readonly kind: 'files'; readonly items: readonly MediaItem[] }
  | { readonly kind: 'drive'; readonly folderId: string }

export type PresetAndFile = {
  readonly preset: string
  /** Absolute, on this computer. */
  readonly path: string
}

/** Files of a draft that get a format other than the preset's, because something would be lost in the preset's format. */
export type OtherFormat = {
  readonly format: KeepingFormat
  /** The changed preset, which exists only for this job. */
  readonly preset: string
  /** Absolute. */
  readonly paths: readonly string[]
  /** Name of the format that the other files get, from the reason for the first loss; undefined if that reason doesn't name a format. */
  readonly others?: string | undefined
}

/** The job that the user is composing. The main process keeps it, so that it survives closing the window. */
export type Draft = {
  readonly source: DraftSource
  readonly rejected: readonly RejectedItem[]
  /** In the order chosen, at most `MAX_PRESETS`. Empty means no preset; the service then uses its basic defaults. */
  readonly presets: readonly string[]
  /** Absent means the tasks. Doesn't change while the draft is open. */
  readonly choices?: NewJobChoices | undefined
  /** Whether each of several presets saves to its own subfolder. */
  readonly presetFolders: boolean
  readonly output: DraftOutput
  /** Results per file, at least 1 (`batchCount`). */
  readonly variations: number
  readonly grouping: 'together' | 'separate'
  /** What to do with files that earlier jobs have already processed with the same preset. */
  readonly done: DoneChoice
  /** Set only with a single preset or none. */
  readonly otherFormat?: OtherFormat | undefined
  /** Files that some presets don't process, because the job that this draft repeats has already created their results. */
  readonly except?: readonly PresetAndFile[] | undefined
  /** ID of the service that the draft is for; absent for the service selected in the settings. */
  readonly service?: string | undefined
  /** ID of the watched folder that the files are from. The outcomes of their jobs then count for that folder. */
  readonly watched?: string | undefined
  /** The job that this draft replaces when started; null for a new one. */
  readonly editing: RecordId | null
}

/** Progress of a running search for files in the paths that the user has added. */
export type IntakeProgress = {
  readonly found: number
  readonly looked: number
  /** Set if the search found more files than `cap`. It then waits for the user's decision. */
  readonly question: { readonly found: number; readonly cap: number } | null
}

/** Why a draft can't be started. The catalog contains the sentences. */
export type DraftProblem =
  | { readonly code: 'noInput' }
  | { readonly code: 'noOutput' }
  /** All files are already done with the draft's presets, and the draft skips them. */
  | { readonly code: 'nothingToProcess'; readonly count: number }
  /** Files in a vault are replaced originals, which can't be replaced themselves. */
  | { readonly code: 'originalsInVault' }
  | { readonly code: 'outputNotAbsolute'; readonly path: string }
  /** Only Mediatray itself saves to its vaults. */
  | { readonly code: 'outputInVault' }
  | { readonly code: 'presetUnknown'; readonly preset: string }
  | { readonly code: 'presetNotFor'; readonly preset: string; readonly kind: 'photos' | 'videos' }
  /** None of several presets handles files of this kind. */
  | { readonly code: 'noPresetFor'; readonly kind: 'photos' | 'videos'; readonly count: number }
  | { readonly code: 'tooManyPresets'; readonly most: number }
  /** The service can't access this computer's folders, so results can't be saved next to the originals. */
  | { readonly code: 'besideNeedsLocalService' }
  | { readonly code: 'besideNotForDrive' }
  /** An original can be replaced by only one result, and only by a service that can access its folder. */
  | { readonly code: 'replaceNeedsLocalService' }
  | { readonly code: 'replaceNotForDrive' }
  | { readonly code: 'replaceNotWithVariations' }
  | { readonly code: 'replaceNeedsOnePreset' }
  /** The preset saves only the audio of videos. */
  | { readonly code: 'replaceNotWithAudio' }
  /** Files can't be moved out of this folder, or its volume has no place for a vault. */
  | { readonly code: 'replaceImpossible'; readonly folder: string; readonly reason: Reason }
  | { readonly code: 'subfolderInvalid'; readonly name: string }
  /** Results would go to more than `MANY_FOLDERS` folders. Starting needs the user's confirmation. */
  | { readonly code: 'manyFolders'; readonly count: number }
  | { readonly code: 'driveNotConnected' }
  | { readonly code: 'driveFolderInvalid'; readonly folderId: string }
  | { readonly code: 'tooLargeToUpload'; readonly name: string; readonly size: number }
  | { readonly code: 'variationsInvalid' }
  /** The submission that this draft should replace has since been sent or canceled. */
  | { readonly code: 'sentMeanwhile' }

/** The number of parent folders above which starting a draft needs a confirmation. */
export const MANY_FOLDERS = 50

/** A question that the user must answer with yes before a draft can be started. */
export type Confirmation = 'manyFolders'

/** Facts about the folders of the draft's files. Used if results are saved next to the originals. */
export type DraftFacts = {
  /** Folders in which results can't be saved. Their results go to the default folder. */
  readonly unwritable: readonly string[]
}

export const NO_FACTS: DraftFacts = { unwritable: [] }

export type StartResult =
  | {
      readonly ok: true
      readonly ids: readonly RecordId[]
      /** The first part of each job. */
      readonly jobs: readonly RecordId[]
      /** Files that none of the presets handles. */
      readonly leftOut?: readonly RejectedItem[]
      /** Number of files that were skipped because they are done; missing if there are none. */
      readonly skipped?: number
      /** Folders of originals in which results can't be saved, and where their results go instead; missing if there are none. */
      readonly elsewhere?: readonly { readonly folder: string; readonly to: string }[]
    }
  | RefusedStart

type RefusedStart = { readonly ok: false; readonly problems: readonly DraftProblem[] }

/** The result of starting the open draft, which the user may change meanwhile. A refusal contains the draft that it is about. */
export type OpenDraftStart = Exclude<StartResult, RefusedStart> | (RefusedStart & { readonly draft: Draft })
