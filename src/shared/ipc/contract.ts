/**
 * Everything that crosses between the window and the main process, said once.
 *
 * Arguments come from a page, so each has a schema and is parsed when it arrives. Results and events come from the main
 * process, which the page has to trust anyway: they are typed and not parsed again (docs/decisions/ipc-results.md).
 * From this contract the main side's handler table and the page's `window.mediatray` derive their types: a missing handler,
 * or one that takes or gives something else, does not compile.
 */
import * as z from 'zod'
import type { DriveStatus } from '../api/resources.ts'
import type { Snapshot, StateChange } from '../model/app-state.ts'
import type { ConnectionTest, FoundService } from '../model/connection.ts'
import type { OutputTarget, StartResult } from '../model/draft.ts'
import type {
  DriveSetup,
  FolderCheck,
  PresetImport,
  PresetOverview,
  PresetSaved,
} from '../model/built-in-service.ts'
import type { MediaItem } from '../model/media-item.ts'
import type { PreviewComparison, PreviewFiles, PreviewPart, PreviewWhole } from '../model/preview.ts'
import type { Settings } from '../model/settings.ts'
import type { WatchFolderView } from '../model/watch-folder.ts'
import type { HistoryPage, RecordDetails } from '../model/work.ts'
import type { RecordId } from '../model/ids.ts'
import {
  id,
  path,
  draftOptions,
  historyQuery,
  service,
  settingsPatch,
  watchFolder,
  presetName,
  presetText,
  MAX_IMPORT,
  mediaKind,
  comparisonWish,
  previewWish,
  webPage,
} from './arguments.ts'

// ── The pieces ──────────────────────────────────────────────────────────────────────────────────────────────────────

export type Call<Argument extends z.ZodType, Result> = {
  readonly argument: Argument
  /** Only a type; nothing is stored here. */
  readonly result?: Result
}

/** Only a type; nothing is stored here. */
type Event<Payload> = { readonly payload?: Payload }

type Contract = Readonly<Record<string, Readonly<Record<string, Call<z.ZodType, unknown>>>>>

const takes = <Argument extends z.ZodType>(argument: Argument) => ({
  gives: <Result>(): Call<Argument, Result> => ({ argument }),
})
const gives = <Result>(): Call<z.ZodVoid, Result> => ({ argument: z.void() })
const tells = <Payload>(): Event<Payload> => ({})

// ── Results ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the page draws with before it has heard anything: platform, locale and version. */
export type AppFacts = {
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly locale: string
  readonly version: string
  readonly homeFolder: string
  readonly trayShown: boolean
  /** Whether the global shortcut works is for the desktop to say, and it does not tell the app. */
  readonly desktopBindsShortcuts: boolean
  /** Whether whoever published this build has a web page. */
  readonly hasHomePage: boolean
}

/** The plain form in which an error crosses back. */
export type IpcError = { readonly code: string; readonly message: string; readonly hint: string | null }

// ── The contract ────────────────────────────────────────────────────────────────────────────────────────────────────

export const calls = {
  app: {
    facts: gives<AppFacts>(),
    snapshot: gives<Snapshot>(),
    /** Web pages that the app itself names; nothing else is opened. */
    openLink: takes(webPage).gives<void>(),
    /** What the packages carry, in the system's viewer of texts. */
    showLicences: gives<void>(),
    copyText: takes(z.string().max(1_000_000)).gives<void>(),
    /** A damaged database was set aside, and the person has read so. */
    dismissNotice: takes(z.enum(['settingsDamaged', 'memoryDamaged', 'presetsDamaged'])).gives<void>(),
    /** Neither quit nor sleep, although everything is done. */
    stayOpen: gives<void>(),
    quit: gives<void>(),
  },
  updates: {
    /** False while there is work, or where this build can't be updated. */
    check: gives<boolean>(),
    install: gives<boolean>(),
  },
  draft: {
    /** Files are being dragged over the window: what shows them may be made ready. */
    expectFiles: gives<void>(),
    /** Only paths that `pathForFile` has given: the preload drops others. */
    addPaths: takes(z.array(path).max(100_000)).gives<void>(),
    /** A pasted image that has no file. */
    addImage: takes(
      z.strictObject({ name: z.string().max(255), bytes: z.instanceof(Uint8Array) }),
    ).gives<void>(),
    pasteFromClipboard: gives<void>(),
    chooseFiles: gives<void>(),
    chooseFolder: gives<void>(),
    /** null: the dialog was dismissed. */
    chooseOutput: gives<OutputTarget | null>(),
    update: takes(draftOptions).gives<void>(),
    removeItems: takes(z.array(path)).gives<void>(),
    removeRejected: gives<void>(),
    clear: gives<void>(),
    /** Brings back what `clear` or `removeItems` took last. */
    undo: gives<void>(),
    answerIntake: takes(z.enum(['takeAll', 'takeSome', 'stop'])).gives<void>(),
    /** Photos and videos each become a submission of their own. */
    start: takes(z.strictObject({ split: z.boolean() })).gives<StartResult>(),
  },
  work: {
    details: takes(id).gives<RecordDetails | null>(),
    cancel: takes(id).gives<void>(),
    /** As a new draft. */
    runAgain: takes(id).gives<void>(),
    /** As a new draft of the failed files only, with the preset and output of before. */
    retryFailed: takes(id).gives<void>(),
    remove: takes(id).gives<void>(),
    restore: takes(id).gives<void>(),
    seen: takes(id).gives<void>(),
    /** A result that the service has and this computer does not: saved where the dialog says. */
    saveResult: takes(z.strictObject({ id, index: z.int().min(0) })).gives<{
      readonly savedAs: string
    } | null>(),
  },
  outbox: {
    sendNext: takes(id).gives<void>(),
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
    pause: gives<void>(),
    resume: gives<void>(),
  },
  history: {
    page: takes(
      z.strictObject({ query: historyQuery, offset: z.int().min(0), limit: z.int().min(1).max(500) }),
    ).gives<HistoryPage>(),
    clear: gives<void>(),
    /** null: the dialog was dismissed. */
    save: takes(z.enum(['json', 'csv'])).gives<{ readonly savedAs: string } | null>(),
  },
  files: {
    /** Only results and inputs of known work, and its output folders; anything else is refused. */
    reveal: takes(path).gives<void>(),
    open: takes(path).gives<void>(),
    startDrag: takes(z.array(path).min(1).max(1_000)).gives<void>(),
    /** Whether each is still there. */
    exist: takes(z.array(path).max(5_000)).gives<readonly boolean[]>(),
    /** Bytes of each, as `exist` allows them; null where it is not there (any more). */
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
  settings: {
    /** @returns all settings as they are now */
    update: takes(settingsPatch).gives<Settings>(),
  },
  presets: {
    list: gives<PresetOverview>(),
    /** `replaces`: the name it had before, null for a new one. What uses that name follows. */
    save: takes(z.strictObject({ text: presetText, replaces: presetName.nullable() })).gives<PresetSaved>(),
    /** What is not saved yet, kept until it is. `name`: null for a new preset; `text`: null when there is nothing. */
    keepUnsaved: takes(
      z.strictObject({ name: presetName.nullable(), text: presetText.nullable() }),
    ).gives<void>(),
    remove: takes(presetName).gives<void>(),
    /** A default as it came. */
    reset: takes(presetName).gives<void>(),
    /** Defaults that were deleted. */
    restoreDefaults: gives<void>(),
    /** Takes back the last of: remove, reset, restoreDefaults, import. */
    undo: gives<void>(),
    /** Dropped files. */
    import: takes(
      z.array(z.strictObject({ file: z.string().max(255), text: z.string().max(MAX_IMPORT) })).max(100),
    ).gives<PresetImport>(),
    /** Files from a dialog. null: it was dismissed. */
    importFiles: gives<PresetImport | null>(),
    /** One preset, or all of them (null) in one file. */
    export: takes(presetName.nullable()).gives<{ readonly savedAs: string } | null>(),
    showFolder: gives<void>(),
  },
  /** What a preset does to a file of one's own. The newest wish wins: what is asked for before is answered as overtaken. */
  preview: {
    files: takes(mediaKind).gives<PreviewFiles>(),
    /** In a dialog of the system. null: it was dismissed, or what was chosen is nothing of that kind. */
    choose: takes(mediaKind).gives<MediaItem | null>(),
    /** The first photo or video among them. Only paths that `pathForFile` has given: the preload drops others. */
    bring: takes(z.array(path).max(1_000)).gives<MediaItem | null>(),
    part: takes(previewWish).gives<PreviewPart>(),
    whole: takes(previewWish).gives<PreviewWhole>(),
    /** An original and what a job has made of it. */
    compare: takes(comparisonWish).gives<PreviewComparison>(),
    /** Nobody looks any more. */
    stop: gives<void>(),
  },
  /** What the draft will come to is a slice of the state. */
  forecast: {
    /** Whether somebody sees it: files are tried for nobody else. */
    look: takes(z.boolean()).gives<void>(),
    /** The same with settings that are not saved, for its photos or its videos; null: nobody looks at that any more. */
    lookWith: takes(previewWish.pick({ preset: true, part: true }).nullable()).gives<void>(),
  },
  drive: {
    status: gives<DriveStatus | null>(),
    setup: gives<DriveSetup>(),
    useRemote: takes(z.string().nullable()).gives<void>(),
    /** In a dialog of the system. null: it was dismissed. */
    chooseRclone: gives<DriveSetup | null>(),
    checkFolder: takes(z.string().max(1_000)).gives<FolderCheck>(),
  },
  watch: {
    list: gives<readonly WatchFolderView[]>(),
    chooseFolder: gives<string | null>(),
    save: takes(z.strictObject({ id: z.string().nullable(), folder: watchFolder })).gives<void>(),
    remove: takes(z.string()).gives<void>(),
    answer: takes(z.strictObject({ id: z.string(), take: z.boolean() })).gives<void>(),
  },
  diagnostics: {
    /** Keys, user names and paths are obscured already. */
    preview: gives<string>(),
    save: gives<{ readonly savedAs: string } | null>(),
  },
} as const satisfies Contract

/** What the main process tells the page without being asked. */
export const events = {
  stateChanged: tells<StateChange>(),
  /** The tray, a notification, a menu or a link asks for a place. */
  show: tells<
    | { readonly place: 'newJob' }
    | { readonly place: 'details'; readonly id: RecordId }
    | { readonly place: 'newest' }
    | { readonly place: 'keyField' }
    | { readonly place: 'settings' }
    | { readonly place: 'search' }
  >(),
  /** A watched folder has something else to say of itself: `watch.list` is asked again. */
  watchChanged: tells<null>(),
  toast: tells<
    | { readonly kind: 'added'; readonly taken: number; readonly refused: number }
    | {
        readonly kind: 'startingSoon'
        readonly ids: readonly RecordId[]
        readonly files: number
        readonly preset: string | null
      }
    | { readonly kind: 'stillInTray' }
    | { readonly kind: 'error'; readonly error: IpcError }
  >(),
} as const

// ── What follows from it ────────────────────────────────────────────────────────────────────────────────────────────

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

/** The names without the schemas: the preload is built with them, so that it stays one small file. */
export const contractNames: ContractNames = {
  calls: Object.entries(calls).map(([group, members]) => [group, Object.keys(members)]),
  events: Object.keys(events),
}

/** The main side: one function for every call. */
export type Handlers = {
  readonly [Group in keyof Calls]: {
    readonly [Name in keyof Calls[Group]]: (
      argument: ArgumentOf<Calls[Group][Name]>,
    ) => ResultOf<Calls[Group][Name]> | Promise<ResultOf<Calls[Group][Name]>>
  }
}

/** The page's side: `window.mediatray`. Rejects with an `IpcError`. */
export type Bridge = {
  readonly [Group in keyof Calls]: {
    readonly [Name in keyof Calls[Group]]: (
      ...argument: ArgumentOf<Calls[Group][Name]> extends void ? [] : [ArgumentOf<Calls[Group][Name]>]
    ) => Promise<ResultOf<Calls[Group][Name]>>
  }
} & {
  /** @returns a function that ends the listening */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void
  /** The path of a dropped or pasted file; '' when it has none. */
  pathForFile(file: Blob): string
}
