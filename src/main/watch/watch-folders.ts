/**
 * Watches the folders that the user has chosen. Submits each new photo or video exactly once, even if the app is killed in between.
 */
import { createListeners } from '../../node/listeners.ts'
import type { WatchFolder, WatchFolderChange, WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { momentOf, type Moment } from './baseline.ts'
import { needsPolling } from './follow-tree.ts'
import { noteSavedResult } from './note-saved-result.ts'
import { createOwnResults, type FinishedWork, type OwnWork } from './own-results.ts'
import { openProcessedFiles } from './processed-files.ts'
import { finishTakings } from './submit-batch.ts'
import {
  createWatchedFolder,
  type WatchedFolder,
  type WatchingOptions,
  type WatchLimits,
  type WatchTiming,
} from './watched-folder.ts'

export type WatchFoldersOptions = WatchingOptions &
  OwnWork &
  Partial<WatchLimits> & {
    readonly settings: Settings
    /** Absolute path of the database of processed files. */
    readonly file: string
  }

export interface WatchFolders {
  /** Path of a damaged database that was moved aside; null if there was none. */
  readonly setAside: string | null
  list(): readonly WatchFolderView[]
  /** @throws if the folder can't be watched */
  save: (change: WatchFolderChange) => void
  remove(id: string): void
  /** Sets whether to process the files that arrived while the folder wasn't watched. */
  answer(answer: { readonly id: string; readonly take: boolean }): Promise<void>
  /** Records a finished job. Call it before the job leaves `running`. */
  noteFinished(work: FinishedWork): void
  /** Records a result that the user has saved, so that it isn't processed if it is in a watched folder. */
  noteResult(path: string): Promise<void>
  /** Resolves when every available folder has been scanned once. Change events report files that arrive later. */
  whenScanned(): Promise<void>
  /**
   * Adds a listener for changes to `list`. Changes are batched.
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

const LIMITS: WatchLimits = {
  stableMs: 2_000,
  checkMs: 5_000,
  pollMs: 10_000,
  many: 50,
  needsPolling: (path) => needsPolling(path, process.platform),
}
/** How long in ms the scan of one folder may delay the next scan. */
const SLOW_MS = 2_000
/** Batching interval in ms. It combines the changes of a thousand simultaneous files into a few. */
const NOTIFY_MS = 100

type Running = { readonly watched: WatchedFolder; readonly signature: string }

export function createWatchFolders(options: WatchFoldersOptions): WatchFolders {
  const { settings, timing, log } = options
  const store = openProcessedFiles(options.file, timing.clock)
  const own = createOwnResults(store, options)
  const watching = new Map<string, Running>()
  const listeners = createListeners()
  const folders = (): readonly WatchFolder[] => settings.view().watchFolders
  const enabledTimes = trackEnabledTimes(timing)
  let syncing: Promise<unknown> = Promise.resolve()
  let cancelNotify: (() => void) | undefined

  function changed(): void {
    cancelNotify ??= timing.after(NOTIFY_MS, () => {
      cancelNotify = undefined
      listeners.call()
    })
  }

  async function sync(): Promise<void> {
    await own.choose(outputsIn(settings.view()))
    const wanted = new Map(folders().map((folder) => [folder.id, folder]))
    for (const [id, { watched, signature }] of watching) {
      const folder = wanted.get(id)
      if (folder !== undefined && folder.enabled && signatureOf(folder) === signature) {
        watched.recheckPostponed()
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
      ...LIMITS,
      ...options,
      since: enabledTimes.since(folder.id),
      folder: () => folders().find(({ id }) => id === folder.id) ?? folder,
      store,
      own,
      onChange: changed,
    })

  function syncSoon(): void {
    enabledTimes.note(folders())
    syncing = syncing
      .then(sync)
      .catch((error: unknown) => log('could not update watched folders', { error: String(error) }))
  }

  for (const { folder } of store.unfinished()) finishTakings(folder, store, options)
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
          links: 0,
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
      for (const { watched } of watching.values()) watched.recheckPostponed()
    },

    noteResult: (path) => noteSavedResult(store, path, timing.clock()),

    async whenScanned() {
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.whenScanned))
    },

    onChange: listeners.add,

    async close() {
      stopSettings()
      cancelNotify?.()
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.close()))
      store.close()
    },
  }
}

/** Returns the output folders. They must be known before the scan starts. */
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

/**
 * Records when each folder was enabled with its current configuration. Files that arrive afterwards are processed, even if
 * scanning starts much later.
 */
function trackEnabledTimes(timing: WatchTiming) {
  const enabledAt = new Map<string, { readonly signature: string; readonly at: Moment }>()
  return {
    note(folders: readonly WatchFolder[]): void {
      for (const folder of folders) {
        const signature = signatureOf(folder)
        if (!folder.enabled) enabledAt.delete(folder.id)
        else if (enabledAt.get(folder.id)?.signature !== signature)
          enabledAt.set(folder.id, { signature, at: momentOf(timing) })
      }
    },
    since: (id: string): Moment => enabledAt.get(id)?.at ?? momentOf(timing),
  }
}

/**
 * Waits for a folder's scan, with a timeout. Scanning large folders one at a time uses less memory than scanning them in parallel,
 * and a scan that hangs must not block the others.
 */
function scannedOrSlow(watched: WatchedFolder, { after }: WatchTiming): Promise<void> {
  return new Promise((resolve) => {
    const stop = after(SLOW_MS, resolve)
    void watched.whenScanned.then(() => {
      stop()
      resolve()
    })
  })
}

/** Serializes the fields that require a new scan when they change. Other fields are read when needed. */
const signatureOf = ({ path, recursive, output }: WatchFolder): string =>
  JSON.stringify([path, recursive, output])
