/**
 * `window.mediatray` without a main process: plays back a fixture and records calls. This is the only fake, because the real main
 * process can't be put into every state on demand. It implements the contract's types, so any call with a result that is added to
 * the contract must be added here.
 */
import type { ContractNames, Events, Handlers } from '../../../src/shared/ipc/contract.ts'
import type { AppFacts } from '../../../src/shared/model/app-facts.ts'
import type {
  DriveFolders,
  FolderCheck,
  DriveSetup,
  PresetImport,
  PresetOverview,
} from '../../../src/shared/model/built-in-service.ts'
import type { DryRun } from '../../../src/shared/model/dry-run.ts'
import type { WatchFolderView } from '../../../src/shared/model/watch-folder.ts'
import type { AssistantActivity } from '../../../src/shared/model/assistant-activity.ts'
import type { AppState, StateChange } from '../../../src/shared/model/app-state.ts'
import type { FoundService } from '../../../src/shared/model/connection.ts'
import type {
  PreviewFiles,
  PreviewVideo,
  PreviewPart,
  PreviewQuality,
  PreviewWhole,
} from '../../../src/shared/model/preview.ts'
import type { Quality } from '../../../src/shared/quality/quality.ts'
import type { DirectAction, HookStatus } from '../../../src/shared/model/hook-state.ts'
import { NOTHING_HELD, type Restored, type VaultTotals } from '../../../src/shared/model/replacement.ts'
import type { SettingsImportView } from '../../../src/shared/model/settings-import.ts'
import type { Saved } from '../../../src/shared/model/saved.ts'
import type { PartAt, PartDetails } from '../../../src/shared/model/job.ts'
import { DRAWN_SIZE, drawnTrack } from './drawn-track.ts'

/** The scripted properties of a video; the page draws the rest. */
type DrawnVideo = Pick<PreviewVideo, 'start' | 'seconds' | 'videoSeconds' | 'isHdr'> & {
  readonly quality?: Quality | null
}

/** The responses and events of the fake bridge. Plain data, because it is sent to the page as JSON. */
export type Script = {
  readonly facts: AppFacts
  readonly state: AppState
  readonly records: readonly PartAt<'history'>[]
  readonly details: Readonly<Record<string, PartDetails>>
  readonly sizes: Readonly<Record<string, number>>
  /** What the vaults hold; absent for nothing. */
  readonly vault?: VaultTotals
  /** The settings file that the user chooses; absent if they choose none. */
  readonly settingsFile?: SettingsImportView | 'notSettings'
  /** What an export returns; by default, everything is exported. */
  readonly settingsExport?: { readonly unread: readonly string[] }
  /** The services in the settings file that the user doesn't confirm. */
  readonly unconfirmed?: readonly string[]
  /** How programs and URLs were used last after jobs; absent for never. */
  readonly hooks?: { readonly [Action in DirectAction]?: HookStatus }
  readonly receivers?: Readonly<Record<string, HookStatus>>
  /** What assistants did; absent for nothing. */
  readonly activity?: readonly AssistantActivity[]
  /** Whether this copy runs from a path that changes; absent for no. */
  readonly isTemporary?: true
  /** What is restored in the folder that the user chooses; absent if they choose none. */
  readonly restoredFolder?: { readonly folder: string; readonly restored: readonly Restored[] }
  /** What all jobs saved, and those that match a search or filter; absent for nothing. */
  readonly saved?: { readonly all: Saved; readonly matching: Saved }
  /** null: the search continues until the test calls `strings.find`. */
  readonly found: FoundService | null
  readonly keychainWorks: boolean
  readonly presets: PresetOverview
  /** The outcome of an import. */
  readonly imported: PresetImport
  readonly watch: readonly WatchFolderView[]
  /** The outcome of trying a folder's rules; absent: the dry run doesn't end. */
  readonly dryRun?: DryRun
  readonly drive: DriveSetup
  /** The subfolders by ID; `/` is the topmost folder. Other folders stay loading. */
  readonly driveFolders?: Readonly<Record<string, DriveFolders>>
  /** Whether an entered folder can be used; by default, it can. */
  readonly driveCheck?: FolderCheck
  /** Files to preview and the responses; a request without a response stays pending. */
  readonly preview?: {
    readonly files: PreviewFiles
    readonly part?: PreviewPart
    readonly whole?: PreviewWhole
    readonly quality?: PreviewQuality
    /** Results by the visual quality that was asked for, instead of `whole` and `quality`. Others stay pending. */
    readonly looks?: Readonly<Record<string, LookResult>>
    /** A video to show instead of `part`. The page draws it, because JSON can't carry bytes. */
    readonly video?: DrawnVideo
  }
  /** ms since 1970. The page's clock stands still at this time until a test moves it. */
  readonly now: number
}

/** Returns the visual quality of a recipe. */
const lookIn = (recipe: unknown): string | undefined =>
  typeof recipe === 'object' && recipe !== null && 'look' in recipe && typeof recipe.look === 'number'
    ? String(recipe.look)
    : undefined

type LookResult = { readonly bytes: number; readonly milliseconds: number; readonly score: number }

export type Called = { readonly name: string; readonly argument: unknown }

/** Controls for a test. The page provides them next to the bridge, as `window.strings`. */
export type Strings = {
  readonly calls: Called[]
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void
  change(slices: Partial<AppState>): void
  state(): AppState
  find(service: FoundService): void
  records: readonly PartAt<'history'>[]
  watch: readonly WatchFolderView[]
  /** ms since 1970 */
  now: number
}

declare global {
  interface Window {
    strings: Strings
  }
}

type Response<Call> = Call extends (argument: never) => infer Result ? Awaited<Result> : never

/** A response for each call that has one. Other calls are only recorded, unless they change the state. */
type Responses = {
  readonly [Group in keyof Handlers]: Partial<Handlers[Group]> & {
    readonly [
      Name in keyof Handlers[Group] as void extends Response<Handlers[Group][Name]> ? never : Name
    ]: Handlers[Group][Name]
  }
}

const drawnVideo = async ({ quality = null, ...video }: DrawnVideo) => ({
  kind: 'video' as const,
  quality,
  video: {
    extent: DRAWN_SIZE,
    original: { width: 1_920, height: 1_080 },
    before: await drawnTrack(0),
    after: await drawnTrack(3),
    ...video,
  },
})

export function installBridge(script: Script, names: ContractNames): void {
  const listeners = new Map<string, Set<(event: never) => void>>()
  const calls: Called[] = []
  let state = script.state
  let version = 1
  const emit: Strings['emit'] = (name, event) => {
    for (const listener of listeners.get(name) ?? []) Reflect.apply(listener, undefined, [event])
  }
  const looking = Promise.withResolvers<FoundService>()
  let lastLook: string | undefined
  const strings: Strings = {
    find: looking.resolve,
    calls,
    emit,
    records: script.records,
    watch: script.watch,
    now: script.now,
    state: () => state,
    change(slices) {
      version += 1
      const { outbox, ...others } = slices
      const gone = state.outbox.map(({ id }) => id)
      const put = outbox?.map((entry, index) => [index, entry] as const)
      state = { ...state, ...slices }
      const change: StateChange = {
        since: version - 1,
        version,
        slices: others,
        ...(put === undefined ? {} : { outbox: { gone, put } }),
      }
      emit('stateChanged', change)
    },
  }

  const changeSettings = (patch: Partial<AppState['settings']>): void =>
    strings.change({ settings: { ...state.settings, ...patch } })

  const changeAssistants = (patch: Partial<AppState['settings']['assistants']>): void =>
    changeSettings({ assistants: { ...state.settings.assistants, ...patch } })

  const allowFolder = (path: string): void =>
    changeAssistants({ folders: [...state.settings.assistants.folders, { path, realPath: path }] })

  const responses: Responses = {
    app: {
      facts: () => script.facts,
      translated: () =>
        Object.fromEntries(
          script.facts.languages.map((one) => [one, one === 'de' || one === 'en' ? 1 : 0.5]),
        ),
      snapshot: () => ({ version, state }),
      stayOpen: () => strings.change({ ending: null }),
    },
    clipboard: { undo: () => undefined },
    vault: {
      undo: () => [],
      redo: () => [],
      replaceAnyway: () => undefined,
      undoFolder: () => script.restoredFolder ?? null,
      totals: () => script.vault ?? NOTHING_HELD,
    },
    afterJob: {
      status() {
        const { program, url } = state.settings.afterJob
        const unused = { isRunning: false, last: null }
        return {
          program: program === null ? null : (script.hooks?.program ?? unused),
          url: url === null ? null : (script.hooks?.url ?? unused),
        }
      },
      chooseProgram: () => '/usr/local/bin/publish-photos',
      set: (change) => changeSettings({ afterJob: { ...state.settings.afterJob, ...change } }),
    },
    receivers: {
      status: () => script.receivers ?? {},
      save({ id, format, on, address }) {
        const { receivers } = state.settings
        const host = address === null ? '' : new URL(address.url).host
        const saved = { id: id ?? format, format, host, ...(on && { on }) }
        changeSettings({
          receivers: receivers.some((one) => one.id === id)
            ? receivers.map((one) => (one.id === id ? { ...one, ...(on && { on }) } : one))
            : [...receivers, saved],
        })
      },
      remove: (id) => changeSettings({ receivers: state.settings.receivers.filter((one) => one.id !== id) }),
    },
    assistants: {
      switch: (enabled) => changeAssistants({ enabled }),
      addFolder: () => allowFolder('/home/ida/Pictures/Web'),
      restoreFolder: (path) => allowFolder(path),
      removeFolder: (path) =>
        changeAssistants({
          folders: state.settings.assistants.folders.filter((folder) => folder.path !== path),
        }),
      command: () => (script.isTemporary ? null : '/opt/Mediatray/resources/bin/mediatray-cli mcp'),
      activity: () => script.activity ?? [],
    },
    updates: { check: () => state.jobs.length === 0, install: () => true },
    draft: {
      chooseOutput: () => null,
      update({ driveInput: _driveInput, ...patch }) {
        strings.change({ draft: { ...state.draft, ...patch } as AppState['draft'] })
      },
      removeRejected: () => strings.change({ draft: { ...state.draft, rejected: [] } }),
      start: () => ({ ok: true, ids: [], jobs: [] }),
    },
    jobs: { details: (id) => script.details[id] ?? null, saveResult: () => null },
    outbox: {},
    history: {
      page({ query, before, offset, limit }) {
        const text = query.text?.toLowerCase() ?? ''
        const matching = strings.records.filter(({ name, output, outcome }) => {
          const folder = output?.kind === 'folder' ? output.path : ''
          return (
            `${name} ${folder}`.toLowerCase().includes(text) &&
            (query.outcomes === undefined || (outcome !== null && query.outcomes.includes(outcome.kind)))
          )
        })
        // A record's key is its place among the matches.
        const older = matching.slice(before === undefined ? 0 : before + 1)
        const records = older.slice(offset, offset + limit)
        const last = (before ?? -1) + offset + records.length
        return { records, total: older.length, hasMore: false, last: records.length === 0 ? null : last }
      },
      extent: () => ({ total: strings.records.length, since: strings.records.at(-1)?.createdAt ?? null }),
      saved: (query) =>
        (Object.keys(query).length === 0 ? script.saved?.all : script.saved?.matching) ?? {
          files: 0,
          bytes: 0,
        },
      save: () => null,
    },
    files: {
      exist: (paths) => paths.map((path) => path in script.sizes),
      sizes: (paths) => paths.map((path) => script.sizes[path] ?? null),
    },
    connection: {
      discover: () => script.found ?? looking.promise,
      test: () => ({ ok: true, version: '1.0.81', storage: 'keychain' }),
      useExternal: ({ keep }) =>
        script.keychainWorks || keep === 'session'
          ? { ok: true, version: '1.0.81', storage: keep }
          : { ok: false, why: 'noKeychain' },
      replaceKey: () => ({ ok: false, why: 'keyRefused' }),
    },
    services: { add: () => ({ ok: true, version: '1.0.81', storage: 'keychain' }) },
    settings: {
      update(patch) {
        strings.change({ settings: { ...state.settings, ...patch } as AppState['settings'] })
        return state.settings
      },
      export: () => script.settingsExport ?? { savedAs: '/home/ida/mediatray-settings.json', leftOut: [] },
      chooseImport: () => script.settingsFile ?? null,
      import({ names }) {
        const { changes } = script.settingsFile as SettingsImportView
        const { unconfirmed = [] } = script
        const left = unconfirmed.length === 0 ? [] : ['connection', 'baseUrl']
        const taken = changes.filter(({ name }) => names.includes(name) && !left.includes(name))
        const next = Object.fromEntries(taken.map(({ name, next }) => [name, next]))
        changeSettings(next)
        return { names: taken.map(({ name }) => name), unsaved: [], unconfirmed }
      },
    },
    presets: {
      list: () => script.presets,
      star({ name, isStarred }) {
        const others = state.settings.starredPresets.filter((one) => one !== name)
        const starredPresets = isStarred && others.length < 5 ? [...others, name] : others
        changeSettings({ starredPresets })
        return { isStarred: starredPresets.includes(name), count: starredPresets.length }
      },
      save: ({ text }) =>
        text.includes('"name": "Mine"')
          ? { ok: true }
          : {
              ok: false,
              fault: {
                field: { path: 'name', line: 1, reason: { kind: 'nameTaken', name: 'Web' }, wayOut: null },
              },
            },
      import: () => script.imported,
      importFiles: () => script.imported,
      export: () => ({ savedAs: '/home/ida/presets.json' }),
    },
    preview: {
      files: () => script.preview?.files ?? { current: null, recent: [] },
      choose: () => null,
      bring: () => null,
      part({ preset, part: kind }) {
        const { video, part, looks } = script.preview ?? {}
        if (video === undefined) return part ?? { kind: 'overtaken' }
        const score = looks?.[lookIn(preset[kind]) ?? '']?.score
        return drawnVideo(score === undefined ? video : { ...video, quality: { score, isSampled: true } })
      },
      whole({ preset, part }) {
        const { looks, whole = { kind: 'overtaken' } } = script.preview ?? {}
        lastLook = looks === undefined ? undefined : lookIn(preset[part])
        if (lastLook === undefined) return whole
        const result = looks?.[lastLook]
        return result === undefined
          ? new Promise<never>(() => undefined)
          : { ...whole, ...result, score: undefined }
      },
      quality() {
        const score = lastLook === undefined ? undefined : script.preview?.looks?.[lastLook]?.score
        if (score !== undefined) return { kind: 'measured', quality: { score, isSampled: true } }
        return script.preview?.quality ?? new Promise<never>(() => undefined)
      },
      async compare({ original, result }) {
        const sizes = { bytes: script.sizes[result] ?? 0, originalBytes: script.sizes[original] ?? 4_100_000 }
        if (/\.(mp4|mov|mkv|webm)$/.test(result)) {
          const video = { start: 42, seconds: 2.5, videoSeconds: 178, isHdr: false }
          const { quality: _, ...compared } = await drawnVideo(video)
          return { ...compared, ...sizes }
        }
        const pixels = {
          extent: { width: 1_066, height: 600 },
          original: { width: 4_264, height: 2_400 },
          area: { left: 0, top: 0, width: 1_066, height: 600 },
          before: original,
          after: result,
        }
        return { kind: 'whole', pixels, ...sizes, refused: null, milliseconds: 0, notes: [] }
      },
    },
    estimate: {},
    drive: {
      status: () => null,
      setup: () => script.drive,
      chooseRclone: () => null,
      checkFolder: () => script.driveCheck ?? { ok: true },
      folders({ parent }) {
        const answer = script.driveFolders?.[parent ?? '/']
        return answer ?? new Promise<never>(() => undefined)
      },
    },
    watch: {
      list: () => strings.watch,
      chooseFolder: () => '/home/ida/Scans',
      dryRun: () => script.dryRun ?? new Promise<never>(() => undefined),
    },
    diagnostics: { preview: () => 'Mediatray 1.0.0\nlinux x64\n', save: () => null },
  }
  const respond = (group: string, name: string) => async (argument: unknown) => {
    calls.push({ name: `${group}.${name}`, argument })
    const answers: Readonly<Record<string, unknown>> = Reflect.get(responses, group)
    const answer = answers[name]
    return typeof answer === 'function' ? Reflect.apply(answer, answers, [argument]) : undefined
  }
  const groups = names.calls.map(([group, members]) => [
    group,
    Object.fromEntries(members.map((name) => [name, respond(group, name)])),
  ])
  const bridge = {
    ...Object.fromEntries(groups),
    on(name: string, listener: (event: never) => void) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set)
      set.add(listener)
      return () => set.delete(listener)
    },
    pathForFile: (file: File) => (file.name.startsWith('pasted') ? '' : '/home/ida/dropped'),
  }
  Date.now = () => strings.now
  Object.assign(window, { mediatray: bridge, strings })
}
