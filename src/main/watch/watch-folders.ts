/**
 * The folders that a person has asked to have watched: each new photo or video in them becomes part of a job, exactly
 * once, also when the app is killed in between.
 */
import type { Timing } from '../../node/timing.ts'
import type { Draft, StartResult } from '../../shared/model/draft.ts'
import type { WatchFolder, WatchFolderChange, WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { momentOf, type Moment } from './baseline.ts'
import { needsPolling } from './follow-tree.ts'
import { createOwnResults, type FinishedWork, type RunningWork } from './own-results.ts'
import { openProcessedFiles, type ProcessedFiles } from './processed-files.ts'
import { createWatchedFolder, type WatchedFolder, type WatchTrouble } from './watched-folder.ts'

export type WatchTiming = Pick<Timing, 'clock' | 'monotonic' | 'after'>

export type WatchFoldersOptions = {
  readonly settings: Settings
  /** Absolute; what was taken is remembered here. */
  readonly file: string
  /** Starts a draft, once for each key: with the key of an earlier call it does nothing. */
  readonly start: (draft: Draft, key: string) => Promise<StartResult>
  /** Whether a draft of this key was started, also before a restart. */
  readonly wasStarted: (key: string) => boolean
  /** The key will not be asked for again. */
  readonly confirmStarted: (key: string) => void
  /** Work of ours with local output that is waiting, being sent, or not over. */
  readonly running: () => readonly RunningWork[]
  /** Results that are known from before, the newest at least: what a crash may have kept from here. */
  readonly resultPaths: () => readonly string[]
  readonly newKey: () => string
  readonly timing: WatchTiming
  readonly onTrouble: (trouble: WatchTrouble) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
  /** How long a file has to be unchanged, in ms. */
  readonly settleMs?: number
  /** How often each folder is checked to be there, in ms. */
  readonly checkMs?: number
  /** How often a network share is scanned, in ms. */
  readonly pollMs?: number
  /** More files than this that came unwatched are taken only after a question. */
  readonly many?: number
  readonly needsPolling?: (path: string) => Promise<boolean>
}

export interface WatchFolders {
  /** Where a damaged memory was put when a new one was begun; null if all was well. */
  readonly setAside: string | null
  list(): readonly WatchFolderView[]
  /** Throws where the folder is not one that can be watched. */
  save: (change: WatchFolderChange) => void
  remove(id: string): void
  /** Whether the files that came while nobody watched are taken. */
  answer(answer: { readonly id: string; readonly take: boolean }): Promise<void>
  /** A piece of work is over: to be called before it leaves `running`. */
  noteFinished(work: FinishedWork): void
  /** Resolves when every folder that is there has been scanned once: what comes from now on comes live. */
  whenScanned(): Promise<void>
  /** Told when `list` has something else to say, several changes at once. @returns a function that ends it */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

const SETTLE_MS = 2_000
const CHECK_MS = 5_000
const POLL_MS = 10_000
/** A folder that takes longer to be scanned does not keep the next one waiting. */
const SLOW_MS = 2_000
const MANY = 50
/** A thousand files at once are a few changes. */
const TELL_MS = 100

type Running = { readonly watched: WatchedFolder; readonly signature: string }

export function createWatchFolders(options: WatchFoldersOptions): WatchFolders {
  const { settings, timing, log } = options
  const store = openProcessedFiles(options.file, timing.clock)
  const own = createOwnResults(store, options.running)
  const watching = new Map<string, Running>()
  const listeners = new Set<() => void>()
  const folders = (): readonly WatchFolder[] => settings.view().watchFolders
  const switches = createSwitches(timing)
  let syncing: Promise<unknown> = Promise.resolve()
  let stopTelling: (() => void) | undefined

  function changed(): void {
    stopTelling ??= timing.after(TELL_MS, () => {
      stopTelling = undefined
      for (const listener of listeners) listener()
    })
  }

  async function sync(): Promise<void> {
    await own.choose(outputsIn(settings.view()))
    const wanted = new Map(folders().map((folder) => [folder.id, folder]))
    for (const [id, { watched, signature }] of watching) {
      const folder = wanted.get(id)
      if (folder !== undefined && folder.enabled && signatureOf(folder) === signature) {
        watched.hurry()
        continue
      }
      watching.delete(id)
      await watched.close()
    }
    store.keepFolders([...wanted.keys()])
    for (const folder of wanted.values()) {
      if (!folder.enabled || watching.has(folder.id)) continue
      const watched = begin(folder)
      watching.set(folder.id, { watched, signature: signatureOf(folder) })
      await scannedOrSlow(watched, timing)
    }
    changed()
  }

  const begin = (folder: WatchFolder): WatchedFolder =>
    createWatchedFolder({
      ...options,
      since: switches.since(folder.id),
      folder: () => folders().find(({ id }) => id === folder.id) ?? folder,
      store,
      own,
      needsPolling: options.needsPolling ?? ((path) => needsPolling(path, process.platform)),
      settleMs: options.settleMs ?? SETTLE_MS,
      checkMs: options.checkMs ?? CHECK_MS,
      pollMs: options.pollMs ?? POLL_MS,
      many: options.many ?? MANY,
      onChange: changed,
    })

  function syncSoon(): void {
    switches.note(folders())
    syncing = syncing.then(sync).catch((error: unknown) => log('watched folders', { error: String(error) }))
  }

  finishTakings(store, options)
  store.noteResults(options.resultPaths(), timing.clock())
  const stopSettings = settings.onChange(syncSoon)
  syncSoon()

  return {
    setAside: store.setAside,

    list: () =>
      folders().map((folder) => ({
        ...folder,
        ...(watching.get(folder.id)?.watched.view() ?? {
          scanning: folder.enabled,
          trouble: null,
          question: null,
          taken: store.count(folder.id),
        }),
      })),

    save({ id, folder }) {
      const saved = { ...folder, id: id ?? options.newKey() }
      const rest = folders()
      settings.update({
        watchFolders: rest.some((one) => one.id === saved.id)
          ? rest.map((one) => (one.id === saved.id ? saved : one))
          : [...rest, saved],
      })
    },
    remove: (id) => void settings.update({ watchFolders: folders().filter((one) => one.id !== id) }),

    answer: async ({ id, take }) => watching.get(id)?.watched.answer(take),

    noteFinished(work) {
      own.note(work)
      for (const { watched } of watching.values()) watched.hurry()
    },

    async whenScanned() {
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.whenScanned))
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async close() {
      stopSettings()
      stopTelling?.()
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.close()))
      store.close()
    },
  }
}

/** A crash came between what is noted here and the outbox, or just after. */
function finishTakings(
  store: Pick<ProcessedFiles, 'unfinished' | 'finishTaking' | 'abandonTaking'>,
  { wasStarted, confirmStarted }: Pick<WatchFoldersOptions, 'wasStarted' | 'confirmStarted'>,
): void {
  for (const { folder, key } of store.unfinished()) {
    if (wasStarted(key)) {
      store.finishTaking(folder, key)
      confirmStarted(key)
    } else {
      store.abandonTaking(key)
    }
  }
}

/** Folders for results that lie in a watched one are known before anything is scanned. */
function outputsIn({
  recentOutputs,
  defaultOutput,
  watchFolders,
}: ReturnType<Settings['view']>): readonly string[] {
  const targets = [
    ...watchFolders.map(({ output }) => output),
    ...(defaultOutput === null ? [] : [defaultOutput]),
  ]
  return [...recentOutputs, ...targets.flatMap((to) => (to.kind === 'folder' ? [to.path] : []))]
}

/** When each folder was switched on, as it is set up now: what comes from then on is taken, long before its turn has come. */
function createSwitches(timing: WatchTiming) {
  const switchedOn = new Map<string, { readonly signature: string; readonly at: Moment }>()
  return {
    note(folders: readonly WatchFolder[]): void {
      for (const folder of folders) {
        const signature = signatureOf(folder)
        if (!folder.enabled) switchedOn.delete(folder.id)
        else if (switchedOn.get(folder.id)?.signature !== signature)
          switchedOn.set(folder.id, { signature, at: momentOf(timing) })
      }
    },
    since: (id: string): Moment => switchedOn.get(id)?.at ?? momentOf(timing),
  }
}

/** One large folder after the other takes less memory than all at once; one that hangs holds nobody up for long. */
function scannedOrSlow(watched: WatchedFolder, { after }: WatchTiming): Promise<void> {
  return new Promise((resolve) => {
    const stop = after(SLOW_MS, resolve)
    void watched.whenScanned.then(() => {
      stop()
      resolve()
    })
  })
}

/** What asks for a new scan when it changes; everything else is read when it is needed. */
const signatureOf = ({ path, recursive, output }: WatchFolder): string =>
  JSON.stringify([path, recursive, output])
