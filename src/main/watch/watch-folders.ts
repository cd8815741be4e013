/**
 * Watches the folders that the user has chosen. Submits each new photo or video exactly once, even if the app is killed in between.
 */
import { createListeners } from '../../node/listeners.ts'
import { within } from '../../node/timing.ts'
import type { WatchFolder, WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { PresetOffer } from '../../shared/preset/known-preset.ts'
import type { Settings } from '../settings/settings.ts'
import { momentOf, type Moment } from './baseline.ts'
import { createFolderSettings } from './folder-settings.ts'
import { createDryRuns } from './dry-runs.ts'
import { needsPolling } from './follow-tree.ts'
import { noteSavedResults } from './note-saved-result.ts'
import { createOwnResults, type FinishedJob, type OwnJobs } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'
import { finishTakings } from './submit-batch.ts'
import {
  createWatchedFolder,
  type PlaceHolders,
  type FolderActivity,
  type WatchedFolder,
  type WatchingOptions,
  type WatchLimits,
  type WatchTiming,
} from './watched-folder.ts'

export type WatchFoldersOptions = Omit<WatchingOptions, 'service'> &
  OwnJobs &
  Partial<WatchLimits> & {
    readonly settings: Settings
    readonly store: ProcessedFiles
    /** Returns what a folder's service offers. */
    readonly serviceOf: (folder: Pick<WatchFolder, 'service'>) => PresetOffer
    /** Interval in ms at which to check whether failed files are due for a retry. */
    readonly retryMs?: number
  }

export type WatchFolders = ReturnType<typeof createWatchFolders>

const LIMITS: WatchLimits = {
  stableMs: 2_000,
  checkMs: 5_000,
  pollMs: 10_000,
  many: 50,
  needsPolling: (path) => needsPolling(path, process.platform),
}
/** Maximum time in ms that the scan of one folder may delay the next scan. */
const SLOW_MS = 2_000
/** Batching interval in ms. It combines the changes of a thousand simultaneous files into a few. */
const NOTIFY_MS = 100
const RETRY_MS = 60_000

type Running = {
  readonly watched: WatchedFolder
  readonly signature: string
  /** The service, presets, rules and output that applied when the folder was last checked. */
  decidedBy: string
}

export function createWatchFolders(options: WatchFoldersOptions) {
  const { settings, store, timing, log } = options
  const own = createOwnResults(store, options, (id, paths) => watching.get(id)?.watched.checkAgain(paths))
  const watching = new Map<string, Running>()
  const listeners = createListeners()
  const { soon: changed, cancel } = batched(timing, listeners.call)
  const folders = createFolderSettings(settings, options.newKey)
  const dryRuns = createDryRuns({ folders, own, clock: timing.clock, onChange: changed })
  const enabledTimes = trackEnabledTimes(timing, folders.signatureOf)
  const holders: PlaceHolders = new Map()
  let syncing: Promise<unknown> = Promise.resolve()

  async function sync(): Promise<void> {
    const wanted = new Map(folders.all().flatMap((one) => (one.enabled ? [[one.id, one]] : [])))
    await closeChanged(watching, wanted, folders)
    for (const folder of wanted.values()) {
      if (watching.has(folder.id)) continue
      const watched = begin(folder)
      const signature = folders.signatureOf(folder)
      watching.set(folder.id, { watched, signature, decidedBy: folders.decidedBy(folder) })
      // Scanning large folders one at a time uses less memory, but a scan that hangs must not block other scans.
      await within(SLOW_MS, timing.after, watched.whenScanned)
    }
    changed()
  }

  function begin(folder: WatchFolder): WatchedFolder {
    const now = () => folders.all().find(({ id }) => id === folder.id) ?? folder
    return createWatchedFolder({
      ...LIMITS,
      ...options,
      since: enabledTimes.since(folder.id),
      folder: now,
      service: () => options.serviceOf(now()),
      rules: () => folders.rulesOf(folder.id),
      store,
      own,
      holders,
      onChange: changed,
    })
  }

  function syncSoon(): void {
    enabledTimes.note(folders.all())
    enqueue(sync)
  }

  function enqueue(step: () => Promise<void> | void): void {
    syncing = syncing
      .then(step)
      .catch((error: unknown) => log('could not update watched folders', { error: String(error) }))
  }

  const stopSettings = settings.onChange(syncSoon)
  // The previous owner may have ended while it was submitting these files.
  for (const { folder } of store.unfinished()) finishTakings(folder, store, options)
  enqueue(() => own.noteMissed())
  syncSoon()

  const stopRetrying = every(timing, options.retryMs ?? RETRY_MS, () =>
    retryDue(store, watching, timing.clock()),
  )

  function viewOf(folder: WatchFolder): WatchFolderView {
    return {
      ...folder,
      rules: folders.viewOf(folder.id),
      trying: dryRuns.progressOf(folder.id),
      ...(watching.get(folder.id)?.watched.view() ?? notWatched(folder, store.count(folder.id))),
    }
  }

  return {
    list: (): readonly WatchFolderView[] => folders.all().map(viewOf),

    /** @throws if the settings are invalid or can't be stored */
    save: folders.save,
    /** @param change if its `rules` are null, removes the rules, so that the folder's presets apply to all files again */
    saveRules: folders.saveRules,
    remove(id: string): void {
      folders.remove(id)
      // Forget the folder's files only here. A folder can also be missing because older settings were restored, and may then return.
      enqueue(() => store.forgetFolder(id))
    },
    dryRuns,
    /** Sets whether to process the files that arrived while the folder wasn't watched. */
    answer: async ({ id, take }: { readonly id: string; readonly take: boolean }): Promise<void> =>
      watching.get(id)?.watched.answer(take),

    /** Applies the rules again to deferred files, because the service's presets have changed. */
    presetsChanged: (): void => watching.forEach(({ watched }) => watched.recheckDeferred()),

    /** Records a finished job. Call it before the job leaves `busyFolders`. */
    noteFinished(job: FinishedJob): void {
      own.note(job)
      changed()
      for (const { watched } of watching.values()) watched.recheckPostponed()
    },

    /** Records a result that the user has saved, so that watched folders don't process it. Call this after the file is complete. */
    noteResult: (path: string): Promise<void> => noteSavedResults(store, [path], timing.clock),

    /** Resolves when every available folder has been scanned once. Change events report files that arrive later. */
    async whenScanned(): Promise<void> {
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.whenScanned))
    },

    /** Whether new files will be submitted soon. */
    busy: (): boolean => watching.values().some(({ watched }) => watched.busy()),

    /**
     * Adds a listener for changes to `list`. Changes are batched.
     * @returns a function that removes the listener
     */
    onChange: listeners.add,

    async close(): Promise<void> {
      dryRuns.stopAll()
      for (const stop of [stopRetrying, stopSettings, cancel]) stop()
      await syncing
      await Promise.all([...watching.values()].map(({ watched }) => watched.close()))
      await own.close()
    },
  }
}

/** Stops watching folders that were removed, turned off or changed, and checks the waiting files of the other folders. */
async function closeChanged(
  watching: Map<string, Running>,
  wanted: ReadonlyMap<string, WatchFolder>,
  folders: Pick<ReturnType<typeof createFolderSettings>, 'signatureOf' | 'decidedBy'>,
): Promise<void> {
  for (const [id, running] of watching) {
    const { watched, signature } = running
    const folder = wanted.get(id)
    if (folder !== undefined && folders.signatureOf(folder) === signature) {
      watched.recheckPostponed()
      recheckDeferred(running, folders.decidedBy(folder))
      continue
    }
    watching.delete(id)
    await watched.close()
  }
}

/**
 * Applies the rules again to waiting files if the service, presets, rules or output have changed. Other settings change often, for example
 * with each job.
 */
function recheckDeferred(running: Running, decidedBy: string): void {
  if (decidedBy === running.decidedBy) return
  running.decidedBy = decidedBy
  running.watched.recheckDeferred()
}

/** Retries the files that failed for a possibly temporary reason and are due. */
function retryDue(
  store: Pick<ProcessedFiles, 'retries'>,
  watching: ReadonlyMap<string, Running>,
  now: number,
): void {
  for (const [id, { watched }] of watching) {
    const due = store.retries(id).filter(({ at }) => at <= now)
    if (due.length > 0) watched.checkAgain(due.map(({ path }) => path))
  }
}

/** @returns a function that stops calling */
function every({ after }: WatchTiming, ms: number, call: () => void): () => void {
  let stop = after(ms, tick)
  function tick(): void {
    stop = after(ms, tick)
    call()
  }
  return () => stop()
}

/** Combines the calls within an interval. */
function batched({ after }: WatchTiming, call: () => void) {
  let cancel: (() => void) | undefined
  return {
    soon(this: void): void {
      cancel ??= after(NOTIFY_MS, () => {
        cancel = undefined
        call()
      })
    },
    cancel: () => cancel?.(),
  }
}

/** Returns the activity of a folder before watching begins, and while it is disabled. */
const notWatched = ({ enabled }: WatchFolder, taken: number): FolderActivity => ({
  scanning: enabled,
  trouble: null,
  question: null,
  taken,
  links: { count: 0, paths: [] },
  special: { count: 0, paths: [] },
  ignored: { count: 0, paths: [] },
  empty: { count: 0, paths: [] },
  unprocessed: { count: 0, paths: [] },
  retried: { count: 0, paths: [] },
  open: { count: 0, paths: [], isLong: false },
  waiting: [],
})

/**
 * Records when each folder was enabled with its current configuration. Files that arrive afterwards are processed, even if
 * scanning starts much later.
 */
function trackEnabledTimes(timing: WatchTiming, signatureOf: (folder: WatchFolder) => string) {
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
