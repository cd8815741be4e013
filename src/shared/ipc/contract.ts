/**
 * The complete IPC contract between the window and the main process. Arguments come from a page, so each has a schema and is
 * parsed on arrival. Results and events come from the main process, which the page has to trust anyway: they are typed, but not
 * parsed (docs/decisions/ipc-results.md). The main process's handler table and the page's `window.mediatray` derive their
 * types from this contract. A missing handler or a wrong type is a compile error.
 */
import * as z from 'zod'
import type { DriveStatus } from '../api/resources.ts'
import { KEEPING_FORMATS } from '../loss/loss.ts'
import type { Language } from '../i18n/catalog.ts'
import type { ClipboardNews } from '../model/clipboard-news.ts'
import type { AppFacts } from '../model/app-facts.ts'
import type { AssistantActivity } from '../model/assistant-activity.ts'
import type { Snapshot, StateChange } from '../model/app-state.ts'
import type { ConnectionTest, FoundService } from '../model/connection.ts'
import type { OpenDraftStart, OutputTarget } from '../model/draft.ts'
import type { DriveFolders, DriveSetup, FolderCheck } from '../model/built-in-service.ts'
import type { PresetImport, PresetOverview, PresetSaved } from '../model/built-in-service.ts'
import { FolderRulesChange } from '../model/folder-rules.ts'
import type { DirectAction, HookStatus } from '../model/hook-state.ts'
import { DISMISSIBLE } from '../model/notice.ts'
import type { Saved } from '../model/saved.ts'
import type { ReplacedAnyway, Restored, VaultTotals } from '../model/replacement.ts'
import type { DryRun } from '../model/dry-run.ts'
import type { WatchFolderView } from '../model/watch-folder.ts'
import type { HistoryExtent, HistoryPage } from '../model/history-page.ts'
import type { PartDetails } from '../model/job.ts'
import type { RecordId } from '../model/ids.ts'
import { previewCalls } from './preview-calls.ts'
import { serviceCalls } from './service-calls.ts'
import { settingsCalls } from './settings-calls.ts'
import { gives, takes, tells, type Call, type Contract, type Event } from './call.ts'
import {
  id,
  path,
  scoped,
  originals,
  pauseLength,
  draftOptions,
  historyPageRequest,
  historyQuery,
  hookAction,
  hookOfJob,
  hooksChange,
  receiverChange,
  receiverId,
  service,
  watchFolder,
  presetName,
  presetText,
  MAX_IMPORT,
  previewRequest,
  webPage,
} from './arguments.ts'

// ── Results ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type IpcError = { readonly code: string; readonly message: string; readonly hint: string | null }

// ── The contract ────────────────────────────────────────────────────────────────────────────────────────────────────

export const calls = {
  app: {
    facts: gives<AppFacts>(),
    snapshot: gives<Snapshot>(),
    /** The share of texts that each language has, 0..1. */
    translated: gives<Readonly<Record<Language, number>>>(),
    /** Opens one of the app's own web links. Other links are never opened. */
    openLink: takes(webPage).gives<void>(),
    /** Opens the licenses of packaged software in the system's text viewer. */
    showLicences: gives<void>(),
    copyText: takes(z.string().max(1_000_000)).gives<void>(),
    /** Hides a notice about damaged or unreadable data after the user has dismissed the notice. */
    dismissNotice: takes(z.enum(DISMISSIBLE)).gives<void>(),
    /** Cancels the quit or sleep that follows when all jobs are done. */
    stayOpen: gives<void>(),
    quit: gives<void>(),
  },
  updates: {
    /** `check` and `install` return false if they can't start now, for example because jobs are running. */
    check: gives<boolean>(),
    install: gives<boolean>(),
  },
  draft: {
    /** Starts the worker that creates thumbnails. Called when files are dragged over the window. */
    expectFiles: gives<void>(),
    /** Adds files and folders. Accepts only paths returned by `pathForFile`; the preload drops all others. */
    addPaths: takes(z.array(path).max(100_000)).gives<void>(),
    /** Adds a pasted image that isn't a file. */
    addImage: takes(
      z.strictObject({ name: z.string().max(255), bytes: z.instanceof(Uint8Array) }),
    ).gives<void>(),
    pasteFromClipboard: gives<void>(),
    chooseFiles: gives<void>(),
    chooseFolder: gives<void>(),
    /** null if the user dismissed the dialog. */
    chooseOutput: gives<OutputTarget | null>(),
    update: takes(draftOptions).gives<void>(),
    removeItems: takes(z.array(path)).gives<void>(),
    removeRejected: gives<void>(),
    clear: gives<void>(),
    /** Reverts the last `clear` or `removeItems`. */
    undo: gives<void>(),
    /** Applies the format in `foreseen.keeping` to the files whose losses it avoids, for this job only. */
    useKeepingFormat: gives<void>(),
    /** Reverts `useKeepingFormat`, so that all files get the preset's format again. */
    usePresetFormat: gives<void>(),
    /** Uses an adjusted copy of a preset for this job only. @param preset the preset's name, from which the copy gets its name */
    useAdjusted: takes(z.strictObject({ preset: presetName, text: presetText })).gives<void>(),
    answerIntake: takes(z.enum(['takeAll', 'takeSome', 'stop'])).gives<void>(),
    /** With `split`, photos and videos become separate submissions. */
    start: takes(
      z.strictObject({ split: z.boolean(), confirmed: z.array(z.enum(['manyFolders'])).optional() }),
    ).gives<OpenDraftStart>(),
  },
  jobs: {
    details: takes(id).gives<PartDetails | null>(),
    /** Cancels running parts and removes waiting ones. Finished parts stay as they are. */
    cancel: takes(scoped).gives<void>(),
    /** Creates a new draft with the files and options of these parts. */
    runAgain: takes(scoped).gives<void>(),
    /** Creates a new draft with only the failed files of these parts, and with the previous presets and output. */
    retryFailed: takes(scoped).gives<void>(),
    /**
     * Creates a new draft with these originals of one part, and with its preset changed to this format for that job only.
     */
    useFormat: takes(
      z.strictObject({ id, paths: z.array(path).min(1), format: z.enum(KEEPING_FORMATS) }),
    ).gives<void>(),
    /** `remove`, `restore` and `seen` apply to the whole job. */
    remove: takes(id).gives<void>(),
    restore: takes(id).gives<void>(),
    seen: takes(id).gives<void>(),
    /** Saves a result that isn't on this computer. The user chooses the location. */
    saveResult: takes(z.strictObject({ id, index: z.int().min(0) })).gives<{
      readonly savedAs: string
    } | null>(),
  },
  /** The first five calls apply to all parts of a job that are in the outbox. */
  outbox: {
    runNext: takes(id).gives<void>(),
    /** Moves a waiting job ahead of the job `before`, or to the end if `before` is null. Doesn't start the job. */
    moveBefore: takes(z.strictObject({ id, before: id.nullable() })).gives<void>(),
    edit: takes(id).gives<void>(),
    remove: takes(id).gives<void>(),
    restore: takes(id).gives<void>(),
    resolve: takes(
      z.strictObject({
        id,
        choice: z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('adopt'), jobId: z.string() }),
          z.strictObject({ kind: z.literal('sendAgain') }),
          z.strictObject({ kind: z.literal('remove') }),
        ]),
      }),
    ).gives<void>(),
    /** Starts a job, or all waiting jobs if the ID is null, even if quiet mode holds them back. */
    startAnyway: takes(id.nullable()).gives<void>(),
    pause: takes(pauseLength).gives<void>(),
    resume: gives<void>(),
  },
  /** What runs after jobs. All calls except `chooseProgram` and `tryAgain` apply to all jobs, not to a watched folder. */
  afterJob: {
    /** Returns the last run of each action; null for an action that isn't used. */
    status: gives<{ readonly [Action in DirectAction]: HookStatus | null }>(),
    /** Opens a file dialog; null if the user dismissed it. */
    chooseProgram: gives<string | null>(),
    /** Fields that are missing stay unchanged. Accepts only a program that was chosen in the dialog. */
    set: takes(hooksChange).gives<void>(),
    /** Runs an action with an example report that is marked as a test. */
    test: takes(hookAction).gives<void>(),
    /** Runs an action again for the last job, without waiting for the next retry. */
    tryNow: takes(hookAction).gives<void>(),
    tryAgain: takes(hookOfJob).gives<void>(),
    copyExample: gives<void>(),
    /** Copies the key that signs requests. The page never gets it. */
    copyKey: gives<void>(),
  },
  /** The receivers of messages after jobs. The page never gets their addresses. `status` returns the status by receiver ID. */
  receivers: {
    status: gives<Readonly<Record<string, HookStatus>>>(),
    save: takes(receiverChange).gives<void>(),
    remove: takes(receiverId).gives<void>(),
    test: takes(receiverId).gives<void>(),
    tryNow: takes(receiverId).gives<void>(),
  },
  /** AI assistants. The main process accepts only folders chosen in its dialog, and restores only removed folders. */
  assistants: {
    switch: takes(z.boolean()).gives<void>(),
    addFolder: gives<void>(),
    removeFolder: takes(path).gives<void>(),
    restoreFolder: takes(path).gives<void>(),
    /** null if this copy runs from a path that changes. */
    command: gives<string | null>(),
    activity: gives<readonly AssistantActivity[]>(),
  },
  vault: {
    /** Restores originals that a job replaced; without `paths`, all of them. */
    undo: takes(originals).gives<readonly Restored[]>(),
    redo: takes(originals).gives<readonly Restored[]>(),
    /**
     * Replaces one original that was kept because something would be lost. Call this only after the user has confirmed it. Returns undefined
     * if the job doesn't replace this original or is still replacing originals, or if the vault is closed.
     */
    replaceAnyway: takes(z.strictObject({ id, path })).gives<ReplacedAnyway | undefined>(),
    /** Asks for a folder and restores all originals in it. Returns null if the user dismissed the dialog. */
    undoFolder: gives<{ readonly folder: string; readonly restored: readonly Restored[] } | null>(),
    totals: gives<VaultTotals>(),
    /**
     * Deletes the files in the vaults permanently, except originals that couldn't be restored, and files on volumes that aren't connected.
     */
    empty: gives<void>(),
  },
  history: {
    page: takes(historyPageRequest).gives<HistoryPage>(),
    extent: gives<HistoryExtent>(),
    /** Returns what the matching jobs saved. Without filters, includes jobs that have been deleted. */
    saved: takes(historyQuery).gives<Saved>(),
    clear: gives<void>(),
    /** null if the user dismissed the dialog. */
    save: takes(z.enum(['json', 'csv'])).gives<{ readonly savedAs: string } | null>(),
  },
  files: {
    /**
     * Shows a file or folder in the file manager. Accepts only files that the app knows, output folders, watched folders, and the folder
     * in a notice about a full disk.
     */
    reveal: takes(path).gives<void>(),
    open: takes(path).gives<void>(),
    startDrag: takes(z.array(path).min(1).max(1_000)).gives<void>(),
    exist: takes(z.array(path).max(5_000)).gives<readonly boolean[]>(),
    /** Returns the size of each file in bytes; null for files that `exist` would report as missing. */
    sizes: takes(z.array(path).max(5_000)).gives<readonly (number | null)[]>(),
  },
  connection: {
    discover: gives<FoundService>(),
    test: takes(service.pick({ baseUrl: true, key: true })).gives<ConnectionTest>(),
    useExternal: takes(service).gives<ConnectionTest>(),
    useBuiltIn: gives<void>(),
    replaceKey: takes(service.pick({ key: true, keep: true })).gives<ConnectionTest>(),
    forgetKey: gives<void>(),
    retry: gives<void>(),
    acceptVersion: takes(z.string()).gives<void>(),
    refreshPresets: gives<void>(),
  },
  services: serviceCalls,
  settings: settingsCalls,
  presets: {
    list: gives<PresetOverview>(),
    /** `replaces` is the previous name; null for a new preset. References to the previous name are updated. */
    save: takes(z.strictObject({ text: presetText, replaces: presetName.nullable() })).gives<PresetSaved>(),
    /** Stores unsaved changes. `name` is null for a new preset; `text` is null if there are no unsaved changes. */
    keepUnsaved: takes(
      z.strictObject({ name: presetName.nullable(), text: presetText.nullable() }),
    ).gives<void>(),
    remove: takes(presetName).gives<void>(),
    /** Stars or unstars a preset. Starring does nothing if the maximum number of presets is starred already. */
    star: takes(z.strictObject({ name: presetName, isStarred: z.boolean() })).gives<{
      readonly isStarred: boolean
      /** Number of starred presets after the change. */
      readonly count: number
    }>(),
    /** Opens the system settings that allow Quick Actions in Finder. */
    turnOnInFinder: gives<void>(),
    /** Resets a default preset to its original text. */
    reset: takes(presetName).gives<void>(),
    restoreDefaults: gives<void>(),
    /** Reverts the last `remove`, `reset`, `restoreDefaults` or import. */
    undo: gives<void>(),
    /** Imports dropped files. */
    import: takes(
      z.array(z.strictObject({ file: z.string().max(255), text: z.string().max(MAX_IMPORT) })).max(100),
    ).gives<PresetImport>(),
    /** Imports files that the user chooses. Returns null if the user dismissed the dialog. */
    importFiles: gives<PresetImport | null>(),
    /** Exports one preset, or all presets to one file if the name is null. */
    export: takes(presetName.nullable()).gives<{ readonly savedAs: string } | null>(),
    showFolder: gives<void>(),
  },
  /** Previews of a preset's effect on a user's file. A new request supersedes all earlier ones. */
  preview: previewCalls,
  clipboard: {
    /** Restores what was on the clipboard before this run, unless something else has been copied since then. */
    undo: takes(z.string().max(100)).gives<void>(),
  },
  /** Controls the draft's estimate. The estimate itself is part of the state. */
  estimate: {
    /** Reports whether the estimate is visible. Samples are processed only while it is. */
    look: takes(z.boolean()).gives<void>(),
    /** Estimates with unsaved settings, for photos or videos; null when the preview that shows the estimate closes. */
    lookWith: takes(previewRequest.pick({ preset: true, part: true }).nullable()).gives<void>(),
  },
  drive: {
    status: gives<DriveStatus | null>(),
    setup: gives<DriveSetup>(),
    useRemote: takes(z.string().nullable()).gives<void>(),
    /** Opens a file dialog. Returns null if the user dismissed it. */
    chooseRclone: gives<DriveSetup | null>(),
    checkFolder: takes(z.string().max(1_000)).gives<FolderCheck>(),
    /** Lists the subfolders of a folder; null for the topmost one. A new request ends the previous one. */
    folders: takes(z.strictObject({ parent: z.string().max(1_000).nullable() })).gives<DriveFolders>(),
    /** Ends the request for subfolders after the folder picker has closed. */
    stopListing: gives<void>(),
  },
  watch: {
    list: gives<readonly WatchFolderView[]>(),
    chooseFolder: gives<string | null>(),
    save: takes(z.strictObject({ id: z.string().nullable(), folder: watchFolder })).gives<void>(),
    saveRules: takes(FolderRulesChange).gives<void>(),
    /** Returns which rules the files in a folder match now, without starting any jobs; null if the folder or its rules can't be read. */
    dryRun: takes(z.string()).gives<DryRun | null>(),
    /** Ends the dry run of this folder. `dryRun` then returns what it has found so far. */
    stopDryRun: takes(z.string()).gives<void>(),
    remove: takes(z.string()).gives<void>(),
    answer: takes(z.strictObject({ id: z.string(), take: z.boolean() })).gives<void>(),
  },
  diagnostics: {
    /** Keys, user names and paths are already redacted. */
    preview: gives<string>(),
    save: gives<{ readonly savedAs: string } | null>(),
  },
} as const satisfies Contract

/** Events that the main process sends to the page. */
export const events = {
  stateChanged: tells<StateChange>(),
  /** The tray, a notification, a menu or a link opens a page of the window. */
  show: tells<
    | { readonly place: 'newJob' | 'newest' | 'keyField' | 'settings' | 'search' }
    | { readonly place: 'details'; readonly id: RecordId }
  >(),
  /** The state of a watched folder has changed, so the page has to call `watch.list` again. */
  watchChanged: tells<null>(),
  toast: tells<
    | { readonly kind: 'added'; readonly taken: number; readonly refused: number }
    | {
        readonly kind: 'startingSoon'
        readonly ids: readonly RecordId[]
        readonly photos: number
        readonly videos: number
        readonly presets: readonly string[]
        /** Number of files that were skipped because they are already done. */
        readonly skipped: number
        readonly isReplacing?: boolean
      }
    | { readonly kind: 'stillInTray' }
    | { readonly kind: 'clipboard'; readonly news: ClipboardNews }
    | { readonly kind: 'error'; readonly error: IpcError }
  >(),
} as const

// ── Derived types ───────────────────────────────────────────────────────────────────────────────────────────────────

type Calls = typeof calls
type ArgumentOf<C> = C extends Call<infer A, unknown> ? z.output<A> : never
type ResultOf<C> = C extends { readonly result?: infer R } ? R : never

export type Events = {
  readonly [Name in keyof typeof events]: (typeof events)[Name] extends Event<infer Payload> ? Payload : never
}

export type ContractNames = {
  /** Each group with its calls. */
  readonly calls: readonly (readonly [group: string, names: readonly string[]])[]
  readonly events: readonly string[]
}

/** The names of all calls and events. The build adds only these names to the preload, which has to stay one small file. */
export const contractNames: ContractNames = {
  calls: Object.entries(calls).map(([group, members]) => [group, Object.keys(members)]),
  events: Object.keys(events),
}

/** The main process's side: one function per call. */
export type Handlers = {
  readonly [Group in keyof Calls]: {
    readonly [Name in keyof Calls[Group]]: (
      argument: ArgumentOf<Calls[Group][Name]>,
    ) => ResultOf<Calls[Group][Name]> | Promise<ResultOf<Calls[Group][Name]>>
  }
}

/** The page's side: `window.mediatray`. Calls that fail reject with an `IpcError`. */
export type Bridge = {
  readonly [Group in keyof Calls]: {
    readonly [Name in keyof Calls[Group]]: (
      ...argument: ArgumentOf<Calls[Group][Name]> extends void ? [] : [ArgumentOf<Calls[Group][Name]>]
    ) => Promise<ResultOf<Calls[Group][Name]>>
  }
} & {
  /** Adds a listener. @returns a function that removes it */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void
  /** Returns the path of a dropped or pasted file; '' if it has none. */
  pathForFile(file: Blob): string
}
