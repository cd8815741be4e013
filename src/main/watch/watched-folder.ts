/** One watched folder, from the moment it is switched on: what comes there waits until it has settled, and becomes a draft. */
import type { Timing } from '../../node/timing.ts'
import type { Draft, DraftProblem, StartResult } from '../../shared/model/draft.ts'
import type { WatchFolder, WatchFolderView } from '../../shared/model/watch-folder.ts'
import { momentOf, takeBaseline, type Baseline, type Moment } from './baseline.ts'
import { fingerprintOf } from './fingerprint.ts'
import { createPresenceCheck, type Absence, type Place } from './folder-presence.ts'
import { createFolderState, isOnMount, treeOf, viewOf, type Tree } from './folder-state.ts'
import { createFoundFiles } from './found-files.ts'
import { followTree, isOutOfWatches } from './follow-tree.ts'
import type { OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'
import { createNewFiles } from './new-files.ts'
import { createTurns } from '../../node/turns.ts'

export type WatchTrouble =
  | { readonly kind: Absence; readonly folder: WatchFolder }
  /** Files came while nobody watched, and a person has to say whether they are taken. */
  | { readonly kind: 'question'; readonly folder: WatchFolder; readonly files: number }
  /** The draft can't be started, such as with a preset that is gone. It is tried again. */
  | {
      readonly kind: 'notStarted'
      readonly folder: WatchFolder
      readonly problems: readonly DraftProblem[]
    }

export type WatchedFolderOptions = {
  readonly folder: () => WatchFolder
  readonly store: ProcessedFiles
  readonly own: OwnResults
  /** Starts what was found, once for each key. */
  readonly start: (draft: Draft, key: string) => Promise<StartResult>
  readonly wasStarted: (key: string) => boolean
  readonly confirmStarted: (key: string) => void
  readonly newKey: () => string
  readonly needsPolling: (path: string) => Promise<boolean>
  /** When it was switched on: what lies there and came later is not asked about. */
  readonly since: Moment
  readonly timing: Pick<Timing, 'clock' | 'monotonic' | 'after'>
  readonly settleMs: number
  readonly checkMs: number
  readonly pollMs: number
  /** More files than this that came unwatched are taken only after a question. */
  readonly many: number
  readonly onTrouble: (trouble: WatchTrouble) => void
  readonly onChange: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface WatchedFolder {
  view(): Pick<WatchFolderView, 'scanning' | 'trouble' | 'question' | 'taken'>
  answer(take: boolean): Promise<void>
  /** Something that held files back may be over. */
  hurry(): void
  /** Resolves when the first scan is over, or the folder is known not to be there. */
  readonly whenScanned: Promise<void>
  close(): Promise<void>
}

/** Until the tree is followed, which may tell of files at once. */
const nothingToStop = (): Promise<void> => Promise.resolve()

export function createWatchedFolder(options: WatchedFolderOptions): WatchedFolder {
  const { store, own, timing, log } = options
  const { id } = options.folder()
  const scanned = Promise.withResolvers<void>()
  const turns = createTurns((error) => log('watched folder', { error: String(error) }))
  let mustPoll = false

  const files = createNewFiles({
    ...options,
    ...timing,
    inTurn: turns.next,
    isOpen: turns.isOpen,
    root: () => treeOf(state.now())?.root,
    onUnreadable: () => state.tell(),
    onTaken: options.onChange,
    onProblems: (problems) => options.onTrouble({ kind: 'notStarted', folder: options.folder(), problems }),
  })
  const state = createFolderState({
    hasUnreadable: files.hasUnreadable,
    onTrouble: (kind) => options.onTrouble({ kind, folder: options.folder() }),
    onChange: options.onChange,
  })
  const found = createFoundFiles({
    folderId: id,
    store,
    files,
    state,
    many: options.many,
    onQuestion: (count) => options.onTrouble({ kind: 'question', folder: options.folder(), files: count }),
  })
  const presence = createPresenceCheck({
    path: () => options.folder().path,
    wasMount: () => isOnMount(state.now()),
    everyMs: options.checkMs,
    timing,
    turns,
    onChecked: (now, since) => (now.kind === 'there' ? beAt(now.place, since) : beAbsent(now.why)),
  })

  async function beAbsent(why: Absence): Promise<void> {
    const before = state.now()
    if (before.kind === 'absent' && before.why === why) return
    await leaveTree()
    state.become({ kind: 'absent', why, wasMount: isOnMount(before) })
    scanned.resolve()
  }

  async function beAt(place: Place, since: Moment): Promise<void> {
    if (treeOf(state.now())?.identity !== place.identity) await follow(place, () => baselineOf(place, since))
  }

  const baselineOf = ({ root }: Place, since: Moment): Promise<Baseline> =>
    takeBaseline({ root, recursive: options.folder().recursive, since, now: () => momentOf(timing) })

  async function leaveTree(): Promise<void> {
    await treeOf(state.now())?.stop()
    files.clear()
  }

  async function follow(place: Place, takeIt: () => Promise<Baseline>): Promise<void> {
    await leaveTree()
    state.become({ kind: 'checking' })
    const baseline = await takeIt()
    const { root } = place
    const polling = mustPoll || (await options.needsPolling(root).catch(() => false))
    await own.refresh()
    if (!turns.isOpen()) return
    let stop = nothingToStop
    const tree: Tree = { ...place, stop: () => stop() }
    state.become({ kind: 'scanning', tree, baseline, fresh: new Set(), renamed: [] })
    stop = followTree({
      root,
      recursive: options.folder().recursive,
      pollEvery: polling ? options.pollMs : null,
      isPassedOver: (path) => own.isPassedOver(path, root),
      onFile(path, stats) {
        if (!own.isPassedOver(path, root)) found.see({ path, fingerprint: fingerprintOf(stats) })
      },
      onGone: found.gone,
      onScanned: () => void turns.next(() => endScan(tree)),
      onRootGone: () => void turns.next(() => presence.check()),
      onError(error) {
        log('watching', { folder: root, error: String(error) })
        if (mustPoll || !isOutOfWatches(error)) return
        mustPoll = true
        void turns.next(() => followByPolling(place))
      },
    })
  }

  /** What came since the scan began is not asked about, whether it was seen already or not. */
  function followByPolling(place: Place): Promise<void> {
    const before = state.now()
    const since = momentOf(timing)
    return follow(place, async () =>
      before.kind === 'scanning' ? before.baseline : baselineOf(place, since),
    )
  }

  async function endScan(tree: Tree): Promise<void> {
    found.endScan(tree)
    scanned.resolve()
  }

  void turns.next(() => presence.check(options.since))

  return {
    view: () => ({ ...viewOf(state.now()), trouble: state.trouble(), taken: store.count(id) }),
    answer: (take) => turns.next(() => found.answer(take)),
    hurry: files.hurry,
    whenScanned: scanned.promise,
    async close() {
      scanned.resolve()
      presence.stop()
      files.close()
      await turns.close()
      await treeOf(state.now())?.stop()
    },
  }
}
