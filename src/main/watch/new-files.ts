/** Handles new files in a watched folder: waits until they are stable, classifies them and submits them. */
import { openForWriting } from '../../node/open-files.ts'
import { mapLimited } from '../../node/limited.ts'
import { type FoundFile, type TakenFile, withContent } from './fingerprint.ts'
import { createDeferredFiles } from './deferred-files.ts'
import type { FileOrigin, OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'
import { createUnstableFiles } from './unstable-files.ts'
import { createSubmitBatch, finishTakings, type SubmitBatchOptions } from './submit-batch.ts'
import { isInside } from './ignore-rules.ts'

export type NewFilesOptions = Omit<Parameters<typeof createUnstableFiles>[0], 'onStable'> &
  Omit<SubmitBatchOptions, 'store' | 'onChanged' | 'onNotStarted' | 'deferred'> & {
    readonly store: ProcessedFiles
    readonly own: OwnResults
    /** Called once for each preset that the folder or one of its rules uses and that doesn't exist. */
    readonly onMissingPreset: Parameters<typeof createDeferredFiles>[0]['onMissingPreset']
    /** Called when programs open or close files that wait, or when one of the open files has waited for a long time. */
    readonly onOpen: () => void
  }

export type NewFiles = ReturnType<typeof createNewFiles>

/** Time in ms after which the reason for a wait is shown. */
const LONG_WAIT_MS = 5_000

/** Delay in ms for files that `sortFiles` returns as `unclear`, and for files that other programs are writing. */
const UNCLEAR_MS = 2_000
/** Delay in ms for files that couldn't be classified, accepted or submitted. */
const NOT_STARTED_MS = 60_000

export function createNewFiles(options: NewFilesOptions) {
  const { store, own } = options
  const { id } = options.folder()
  /** Number of sets of stable files that haven't been submitted or postponed yet. */
  let inHand = 0
  /** When each file was first found open, in monotonic ms. */
  const openSince = new Map<string, number>()
  let wasLong = false
  const isLong = () => openSince.values().some((since) => options.monotonic() - since >= LONG_WAIT_MS)
  const unstable = createUnstableFiles({
    ...options,
    onStable(files) {
      inHand += 1
      void options
        .inTurn(() => processOrPostpone(files))
        .finally(() => {
          inHand -= 1
        })
    },
  })
  const deferred = createDeferredFiles({
    folderId: id,
    store,
    timing: options,
    onChange: options.onTaken,
    onDue: (files) => unstable.postpone(files, 0),
    onMissingPreset: options.onMissingPreset,
  })
  const batch = createSubmitBatch({
    ...options,
    deferred,
    onChanged: ({ path, fingerprint }) => unstable.see(path, fingerprint),
    onNotStarted: (files) => unstable.postpone(files, NOT_STARTED_MS),
  })

  /** Postpones the files if processing them fails, so that a full disk, for example, doesn't lose them. */
  async function processOrPostpone(files: readonly FoundFile[]): Promise<void> {
    try {
      await processFiles(files)
    } catch (error) {
      options.onFailed('could not classify watched files', error)
      unstable.postpone(files, NOT_STARTED_MS)
    }
  }

  async function processFiles(files: readonly FoundFile[]): Promise<void> {
    await own.refresh()
    const root = options.root()
    // If the folder is gone, its files are found again when it returns.
    if (root === undefined) return
    finishTakings(id, store, options)
    const { fresh, left, unclear, changed } = await sortFiles(files, {
      root,
      isUnderWay: ({ path }) =>
        (store.wasTaken(id, path) || store.isRetried(id, path)) && options.isUnderWay(id, path),
      knows: (file) => store.knows(id, file),
      sameAs: (file) => store.sameAs(id, file),
      own,
    })
    if (left.length > 0) store.leave(id, left)
    deferred.release(left.map(({ path }) => path))
    for (const { path, fingerprint } of changed) unstable.see(path, fingerprint)
    const written = await openForWriting(fresh.map(({ path }) => path))
    const waiting = [...unclear, ...fresh.filter(({ path }) => written.has(path))]
    if (waiting.length > 0) unstable.postpone(waiting, UNCLEAR_MS)
    noteOpen(files, written)
    const complete = fresh.filter(({ path }) => !written.has(path))
    if (complete.length > 0) await batch.add(complete)
  }

  /**
   * @param checked files that were just checked
   * @param open paths of those that programs have open
   */
  function noteOpen(checked: readonly { readonly path: string }[], open: ReadonlySet<string>): void {
    const before = openSince.size
    for (const { path } of checked) {
      if (!open.has(path)) openSince.delete(path)
      else if (!openSince.has(path)) openSince.set(path, options.monotonic())
    }
    const isChanged = openSince.size !== before || isLong() !== wasLong
    wasLong = isLong()
    if (isChanged) options.onOpen()
  }

  return {
    ...unstable,
    /** Files that wait because of a rule. */
    deferred,
    /**
     * Returns the sorted paths of the files that programs have open for writing, and whether one of them has waited for more than five
     * seconds.
     */
    open: () => ({ paths: [...openSince.keys()].toSorted(), isLong: isLong() }),
    /** Whether new files will be submitted soon. Postponed and deferred files don't count. */
    busy: (): boolean => inHand > 0 || unstable.isPending() || batch.isGrouping(),
    gone(path: string): void {
      unstable.gone(path)
      noteOpen([{ path }], new Set())
      deferred.release([path])
    },
    clear(): void {
      unstable.clear()
      openSince.clear()
      deferred.clear()
    },
    close(): void {
      batch.close()
      unstable.close()
      deferred.clear()
    },
  }
}

/** Maximum number of parallel reads. A disk doesn't get much faster with more. */
const READ_AT_ONCE = 4

/**
 * Separates new files from our own results and renamed files. Reads each file that isn't known, unless it is unclear.
 * @returns stable files by group. A file in no group is known and unchanged, or isn't in `root`.
 * - `left`: our own results, and renamed files
 * - `unclear`: a job that writes to this folder may have created them, or a job whose input had this path may still read them
 * - `changed`: changed during reading, or not readable now
 */
export async function sortFiles(
  files: readonly FoundFile[],
  options: {
    readonly root: string
    /** Whether a job that hasn't ended reads, or has read, a file at the same path. */
    readonly isUnderWay: (file: FoundFile) => boolean
    readonly knows: (file: FoundFile) => ReturnType<ProcessedFiles['knows']>
    readonly sameAs: (file: FoundFile) => TakenFile | undefined
    readonly own: Pick<OwnResults, 'createClassifier'>
  },
) {
  const { root, isUnderWay, knows, sameAs, own } = options
  const { isBusyAt, originOf } = own.createClassifier()
  const ofOrigin: Record<FileOrigin | 'changed', FoundFile[]> = {
    foreign: [],
    doubtful: [],
    result: [],
    unclear: [],
    changed: [],
  }
  const unknown = files.filter((file) => isInside(file.path, root) && knows(file) !== 'same')
  const isUnclear = (file: FoundFile) => isBusyAt(file.path) || isUnderWay(file)
  const read = await mapLimited(unknown, async (file) => (isUnclear(file) ? undefined : withContent(file)), {
    atOnce: READ_AT_ONCE,
  })
  for (const [index, file] of unknown.entries()) {
    const now = read[index]
    if (isUnclear(file)) ofOrigin.unclear.push(file)
    else if (now === undefined) ofOrigin.changed.push(file)
    else {
      const same = sameAs(now)
      if (same === undefined) ofOrigin[originOf(now)].push(now)
      else ofOrigin.result.push({ ...now, sameAs: same })
    }
  }
  const { foreign, doubtful, result: left, unclear, changed } = ofOrigin
  const fresh = [...foreign, ...doubtful.map((file) => ({ ...file, isDoubtful: true }))]
  return { fresh, left, unclear, changed }
}
