/** Watches one folder from the moment it is enabled. New files become a draft once they are stable. */
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { DraftProblem } from '../../shared/model/draft.ts'
import type { FolderRules } from '../../shared/model/folder-rules.ts'
import type { WatchFolder, WatchFolderView } from '../../shared/model/watch-folder.ts'
import { momentOf, takeBaseline, type Baseline, type Moment } from './baseline.ts'
import { fingerprintFiles, fingerprintOf } from './fingerprint.ts'
import { createPresenceCheck, type Absence, type Place } from './folder-presence.ts'
import { createFolderState, treeOf, viewOf, type Folder, type Tree } from './folder-state.ts'
import { createFoundFiles, type FoundFiles } from './found-files.ts'
import { followTree, isOutOfWatches } from './follow-tree.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'
import { createUnusableEntries } from './unusable-entries.ts'
import { createNewFiles, type NewFilesOptions } from './new-files.ts'
import type { Submitting } from './submit-batch.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'

export type WatchTrouble =
  | { readonly kind: Exclude<Absence, 'repeated'>; readonly folder: WatchFolder }
  /** Files arrived while the folder wasn't watched, and the user must decide whether to process them. */
  | { readonly kind: 'question'; readonly folder: WatchFolder; readonly files: number }
  /** Files wait for a preset that doesn't exist. Reported once, until the preset exists again. */
  | {
      readonly kind: 'presetMissing'
      readonly folder: WatchFolder
      readonly preset: string
      readonly files: number
    }
  | {
      readonly kind: 'notTaken'
      readonly folder: WatchFolder
      /** Why the files couldn't be submitted, for example because the disk is full. The folder retries them. */
      readonly error: string
    }
  /** The draft can't be started, for example because Drive isn't connected. The folder retries it. */
  | {
      readonly kind: 'notStarted'
      readonly folder: WatchFolder
      readonly problems: readonly DraftProblem[]
    }

export type WatchTiming = Pick<Timing, 'clock' | 'monotonic' | 'after'>

/** Options that are the same for all folders. */
export type WatchingOptions = Submitting & {
  readonly timing: WatchTiming
  readonly mounts: Pick<Mounts, 'of'>
  readonly onTrouble: (trouble: WatchTrouble) => void
  readonly log: Log
}

/** Times and limits, which tests change. */
export type WatchLimits = {
  /** How long in ms a file must stay unchanged before it is processed. */
  readonly stableMs: number
  /** Interval in ms at which an absent folder is checked. Available folders are checked less often. */
  readonly checkMs: number
  /** Polling interval in ms, for network shares and for folders that the system can't watch. */
  readonly pollMs: number
  /** Maximum number of files that are processed without asking the user if they arrived while the folder wasn't watched. */
  readonly many: number
  readonly needsPolling: (path: string) => Promise<boolean>
}

/**
 * The ID of the watched folder that has claimed a place, by the place's identity. Only one folder claims each place, so each file is
 * processed once.
 */
export type PlaceHolders = Map<string, string>

type WatchedFolderOptions = WatchingOptions &
  WatchLimits & {
    readonly folder: () => WatchFolder
    /** null if the rules can't be read. */
    readonly rules: () => FolderRules | null
    readonly store: ProcessedFiles
    readonly own: OwnResults
    readonly holders: PlaceHolders
    /** When the folder was enabled. The user isn't asked about files that arrived later. */
    readonly since: Moment
    readonly onChange: () => void
  }

/** What is known about a folder only while it is watched. */
export type FolderActivity = Omit<WatchFolderView, keyof WatchFolder | 'rules' | 'trying'>

export type WatchedFolder = ReturnType<typeof createWatchedFolder>

const baselineOf = (
  { folder, timing }: WatchedFolderOptions,
  { root }: Place,
  since: Moment,
): Promise<Baseline> => takeBaseline(root, folder().recursive, since, () => momentOf(timing))

/** Claims a place unless another watched folder has claimed it. @returns whether this folder has it now */
function holdPlace(options: WatchedFolderOptions, { identity }: Place): boolean {
  const { id } = options.folder()
  if ((options.holders.get(identity) ?? id) !== id) return false
  leavePlace(options)
  options.holders.set(identity, id)
  return true
}

function leavePlace({ holders, folder }: WatchedFolderOptions): void {
  for (const [identity, id] of holders) if (id === folder().id) holders.delete(identity)
}

/** Placeholder for the function that stops the watcher. Events may arrive before the watcher exists. */
const nothingToStop = (): Promise<void> => Promise.resolve()

export function createWatchedFolder(options: WatchedFolderOptions) {
  const { store, own, timing, log } = options
  const scanned = Promise.withResolvers<void>()
  const turns = createSerialQueue((error) => log('watched folder failed', { error: String(error) }))
  let mustPoll = false
  /** The tree whose initial scan has finished. */
  let scannedTree: Tree | undefined

  const files = createNewFiles({
    ...options,
    ...timing,
    inTurn: turns.next,
    isOpen: turns.isOpen,
    root: () => treeOf(state.now())?.root,
    onUnreadable: () => state.notify(),
    onOpen: () => state.notify(),
    onTaken: options.onChange,
    ...reportTrouble(options),
  })
  const unusable = createUnusableEntries({ ...options, onChange: () => state.notify() })
  const unreadable = () => [...files.unreadable(), ...unusable.paths()]
  const state = createFolderState({
    hasUnreadable: () => unreadable().length > 0,
    onTrouble: (kind) => options.onTrouble({ kind, folder: options.folder() }),
    onChange: options.onChange,
  })
  const found = createFoundFiles({
    folderId: options.folder().id,
    store,
    files: { ...files, unreadable, special: unusable.special, ignored: unusable.ignored },
    state,
    many: options.many,
    onQuestion: (count) => options.onTrouble({ kind: 'question', folder: options.folder(), files: count }),
  })
  const presence = createPresenceCheck({
    path: () => options.folder().path,
    mounts: options.mounts,
    everyMs: options.checkMs,
    timing,
    turns,
    onChecked: (now, since) => (now.kind === 'there' ? beAt(now.place, since) : beAbsent(now.why)),
  })

  async function beAbsent(why: Absence): Promise<void> {
    const before = state.now()
    if (before.kind === 'absent' && before.why === why) return
    await leaveTree()
    leavePlace(options)
    state.set({ kind: 'absent', why })
    scanned.resolve()
  }

  async function beAt(place: Place, since: Moment): Promise<void> {
    if (!holdPlace(options, place)) return beAbsent('repeated')
    const tree = treeOf(state.now())
    if (tree?.identity !== place.identity || (await unusable.recheck(place.root)))
      await follow(place, () => baselineOf(options, place, since))
    // If the state is still `scanning` after the scan, the end of the scan couldn't be recorded, for example because the disk was full.
    else if (state.now().kind === 'scanning' && tree === scannedTree) await endScan(tree)
  }

  async function leaveTree(): Promise<void> {
    await treeOf(state.now())?.stop()
    found.clear()
  }

  async function follow(place: Place, takeIt: () => Promise<Baseline>): Promise<void> {
    await leaveTree()
    state.set({ kind: 'checking' })
    const baseline = await takeIt()
    const polling = mustPoll || (await options.needsPolling(place.root).catch(() => false))
    await own.learn()
    if (!turns.isOpen()) return
    let stop = nothingToStop
    const tree: Tree = { ...place, stop: () => stop() }
    state.set({ kind: 'scanning', tree, baseline, fresh: new Set(), uncertain: [] })
    stop = watchFiles(place.root, polling, options, found, {
      onScanned: () => void turns.next(() => unusable.search(place.root).then(() => endScan(tree))),
      onSkipped: unusable.note,
      onRootGone: () => void turns.next(() => presence.check()),
      onError(error) {
        log('file watcher failed', { folder: place.root, error: String(error) })
        if (mustPoll || !isOutOfWatches(error)) return
        mustPoll = true
        void turns.next(() => followByPolling(place))
      },
    })
  }

  const followByPolling = (place: Place): Promise<void> =>
    follow(place, keptBaseline(options, place, state.now()))

  async function endScan(tree: Tree): Promise<void> {
    scannedTree = tree
    await found.endScan(tree)
    scanned.resolve()
  }
  void turns.next(() => presence.check(options.since))

  return {
    view: (): FolderActivity => ({ ...viewOf(state.now()), ...found.counts(), trouble: state.trouble() }),
    answer: (take: boolean): Promise<void> => turns.next(() => found.answer(take)),
    /** Rechecks postponed files, because the reason to postpone them may no longer apply. */
    recheckPostponed: files.recheckPostponed,
    /** Applies the rules again to files that wait because of a rule. Call this when rules or presets have changed. */
    recheckDeferred: files.deferred.recheck,
    /** Handles files like new ones, because they were taken but not processed. Files that don't exist aren't retried. */
    checkAgain: (paths: readonly string[]): void =>
      void turns.next(() => seeAgain(options, paths, state.now(), found.see)),
    /** Whether new files will be submitted soon. */
    busy: files.busy,
    /** Resolves when the first scan has finished, the folder is known to be unavailable, or `close` is called. */
    whenScanned: scanned.promise,
    async close(): Promise<void> {
      scanned.resolve()
      presence.stop()
      files.close()
      await turns.close()
      await treeOf(state.now())?.stop()
      leavePlace(options)
    },
  }
}

/** Keeps the baseline of a scan that starts again, so the user isn't asked about files that arrived after it first started. */
function keptBaseline(options: WatchedFolderOptions, place: Place, before: Folder): () => Promise<Baseline> {
  const since = momentOf(options.timing)
  return async () => (before.kind === 'scanning' ? before.baseline : baselineOf(options, place, since))
}

async function seeAgain(
  { folder, store, timing }: WatchedFolderOptions,
  paths: readonly string[],
  now: Folder,
  see: FoundFiles['see'],
): Promise<void> {
  // If the folder is gone, its files are found again when it returns.
  if (treeOf(now) === undefined) return
  const there = await fingerprintFiles([...new Set(paths)])
  for (const file of there) see(file)
  const seen = new Set(there.map(({ path }) => path))
  const gone = paths.filter((path) => !seen.has(path))
  store.endRetries(folder().id, gone, timing.clock())
}

/** Reports why files of the folder aren't submitted. */
const reportTrouble = ({
  folder,
  onTrouble,
  log,
}: WatchedFolderOptions): Pick<NewFilesOptions, 'onMissingPreset' | 'onFailed' | 'onProblems'> => ({
  onMissingPreset: (preset, files) => onTrouble({ kind: 'presetMissing', folder: folder(), preset, files }),
  onFailed(what, error) {
    log(what, { error: String(error) })
    onTrouble({ kind: 'notTaken', folder: folder(), error: messageOf(error) })
  },
  onProblems: (problems) => onTrouble({ kind: 'notStarted', folder: folder(), problems }),
})

const watchFiles = (
  root: string,
  polling: boolean,
  { folder, pollMs }: WatchedFolderOptions,
  found: FoundFiles,
  events: Pick<Parameters<typeof followTree>[0], 'onScanned' | 'onRootGone' | 'onError' | 'onSkipped'>,
): (() => Promise<void>) =>
  followTree({
    ...events,
    root,
    recursive: folder().recursive,
    pollEvery: polling ? pollMs : null,
    onFile: (path, stats) => found.see({ path, fingerprint: fingerprintOf(stats) }),
    onLink: found.seeLink,
    onGone: found.gone,
  })
