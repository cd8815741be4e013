/** One watched folder, from the moment it is switched on: what comes there waits until it is still, and becomes a draft. */
import { access, constants, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { DraftProblem, StartResult } from '../../shared/model/draft-start.ts'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { WatchFolder } from '../../shared/model/watch-folder.ts'
import { type Baseline, type Moment, momentOf, takeBaseline } from './baseline.ts'
import { createSettlingFiles } from './settling-files.ts'
import { fingerprintFiles, fingerprintOf, type FoundFile } from './fingerprint.ts'
import { followTree } from './follow-tree.ts'
import { isInside } from './ignore-rules.ts'
import type { Timing } from '../../node/timing.ts'
import type { OwnResults } from './own-results.ts'
import { realFolder } from './folder-presence.ts'
import type { ProcessedFiles } from './processed-files.ts'

export type WatchTrouble =
  | { readonly kind: 'missing' | 'unreadable'; readonly folder: WatchFolder }
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
  readonly start: (draft: Draft, key: string) => StartResult
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
  /** Resolves when the folder has been looked through for the first time, or is known not to be there. */
  readonly whenScanned: Promise<void>
  close(): Promise<void>
}

/** How long files wait that come where our own work is going on, or whose draft can't be started. */
const UNCLEAR_MS = 2_000
const NOT_STARTED_MS = 60_000
/** Each file of its own is a submission, which is written several times. */
const SEPARATE_AT_ONCE = 50
const TOGETHER_AT_ONCE = 5_000

type Backlog = { readonly fresh: Set<string>; readonly renamed: FoundFile[] }

type Presence =
  | { readonly kind: 'there'; readonly identity: string; readonly isMount: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' }

export function createWatchedFolder(options: WatchedFolderOptions): WatchedFolder {
  const { store, own, timing, onChange, log } = options
  const { id } = options.folder()
  let trouble: WatchFolderView['trouble'] = null
  /** Lay there before it was watched; null once they are sorted. */
  let backlog: Backlog | null = null
  let isScanning = true
  let question: readonly string[] | null = null
  let root = ''
  let presence: Presence = { kind: 'missing' }
  let wasMount = false
  let following: (() => Promise<void>) | undefined
  let usePolling = false
  let saidProblems = ''
  /** Still, and waiting for others that come within the window. */
  let batch = new Map<string, FoundFile>()
  let stopBatch: (() => void) | undefined
  let stopCheck: (() => void) | undefined
  let isClosed = false
  const isOpen = () => !isClosed
  const looked = Promise.withResolvers<void>()
  /** What is under way, one after the other. */
  let last: Promise<unknown> = Promise.resolve()

  const candidates = createSettlingFiles({
    settleMs: options.settleMs,
    ...timing,
    log,
    onStill: (files) => void inTurn(() => sortOrKeep(files)),
    onUnreadable: (path) => {
      if (path !== null) log('watched file not readable', { path })
      setTrouble(path === null ? null : 'unreadable')
    },
  })

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = last.then(() => (isClosed ? undefined : work()))
    last = done.catch((error: unknown) => log('watched folder', { error: String(error) }))
    return done
  }

  // ── Whether the folder is there ─────────────────────────────────────────────────────────────────────────────────────

  function setTrouble(next: WatchFolderView['trouble']): void {
    if (next === trouble) return
    trouble = next
    if (next !== null) options.onTrouble({ kind: next, folder: options.folder() })
    onChange()
  }

  function setScanning(next: boolean): void {
    if (next === isScanning) return
    isScanning = next
    onChange()
  }

  async function check(since = momentOf(timing)): Promise<void> {
    stopCheck?.()
    root = await realFolder(options.folder().path)
    const now = await presenceOf(root)
    const before = presence
    presence = now
    if (now.kind !== 'there') await beAbsent(now.kind)
    // Only the place where the disk was mounted is left.
    else if (wasMount && !now.isMount) await beAbsent('missing')
    else if (following === undefined || before.kind !== 'there' || before.identity !== now.identity) {
      wasMount = now.isMount
      await stopFollowing()
      setTrouble(null)
      await follow(since)
    }
    if (!isClosed) stopCheck = timing.after(options.checkMs, () => void inTurn(() => check()))
  }

  async function beAbsent(kind: 'missing' | 'unreadable'): Promise<void> {
    await stopFollowing()
    setScanning(false)
    setTrouble(kind)
    looked.resolve()
  }

  // ── What comes ────────────────────────────────────────────────────────────────────────────────────────────────────

  async function follow(since: Moment): Promise<void> {
    setScanning(true)
    const { recursive } = options.folder()
    const baseline = await takeBaseline({ root, recursive, since, now: () => momentOf(timing) })
    await followFrom(baseline)
  }

  async function followFrom(baseline: Baseline): Promise<void> {
    const polling = usePolling || (await options.needsPolling(root).catch(() => false))
    await own.refresh()
    if (isClosed) return
    backlog = { fresh: new Set(), renamed: [] }
    let isCurrent = true
    const stop = followTree({
      root,
      recursive: options.folder().recursive,
      pollEvery: polling ? options.pollMs : null,
      isPassedOver: (path) => own.isPassedOver(path, root),
      onFile(path, stats) {
        if (!isCurrent || own.isPassedOver(path, root)) return
        const fingerprint = fingerprintOf(stats)
        const known = store.knows(id, { path, fingerprint })
        if (known === 'byPath') return
        if (backlog === null) return seeLive(path, fingerprint)
        backlog.fresh.delete(path)
        if (known === 'byInode') backlog.renamed.push({ path, fingerprint })
        else if (baseline.has({ path, fingerprint })) backlog.fresh.add(path)
        else seeLive(path, fingerprint)
      },
      onGone(path) {
        if (!isCurrent) return
        candidates.gone(path)
        backlog?.fresh.delete(path)
        if (question?.includes(path)) setQuestion(question.filter((one) => one !== path))
      },
      onScanned: () =>
        void inTurn(async () => {
          if (isCurrent) sortBacklog()
          looked.resolve()
        }),
      onRootGone() {
        if (isCurrent) void inTurn(() => check())
      },
      onError(error) {
        if (!isCurrent) return
        log('watching', { folder: root, error: String(error) })
        if (isOutOfWatches(error) && !usePolling) {
          usePolling = true
          void inTurn(async () => {
            const again = isScanning ? () => followFrom(baseline) : () => follow(momentOf(timing))
            await stopFollowing()
            await again()
          })
        }
      },
    })
    following = async () => {
      isCurrent = false
      await stop()
    }
  }

  async function stopFollowing(): Promise<void> {
    await following?.()
    following = undefined
    candidates.clear()
    backlog = null
    setQuestion(null)
  }

  function seeLive(path: string, look: { readonly size: number; readonly mtime: number }): void {
    if (question?.includes(path)) setQuestion(question.filter((one) => one !== path))
    candidates.see(path, look)
  }

  function sortBacklog(): void {
    if (backlog === null) return
    const found = [...backlog.fresh]
    if (backlog.renamed.length > 0) store.leave(id, backlog.renamed)
    backlog = null
    setScanning(false)
    const isNew = store.isNew(id)
    if (found.length > options.many || (isNew && found.length > 0)) {
      setQuestion(found)
      options.onTrouble({ kind: 'question', folder: options.folder(), files: found.length })
      return
    }
    if (isNew) store.markScanned(id)
    for (const path of found) candidates.see(path, { size: -1, mtime: -1 })
  }

  function setQuestion(next: readonly string[] | null): void {
    const asked = next === null || next.length === 0 ? null : next
    if (asked === question) return
    question = asked
    onChange()
  }

  // ── What is still ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** A full disk, say, must not make us forget them. */
  async function sortOrKeep(files: readonly FoundFile[]): Promise<void> {
    try {
      await sort(files)
    } catch (error) {
      log('watched files not sorted', { error: String(error) })
      candidates.putOff(files, NOT_STARTED_MS)
    }
  }

  /** Tells what is new from what we made ourselves and what only got another name. */
  async function sort(files: readonly FoundFile[]): Promise<void> {
    await own.refresh()
    const judge = own.judge()
    const fresh: FoundFile[] = []
    const leave: FoundFile[] = []
    const unclear: FoundFile[] = []
    for (const file of files) {
      if (!isInside(file.path, root) || own.isPassedOver(file.path, root)) continue
      const known = store.knows(id, file)
      if (known === 'byInode') leave.push(file)
      if (known !== null) continue
      const verdict = judge(file)
      if (verdict === 'result') leave.push(file)
      else if (verdict === 'unclear') unclear.push(file)
      else fresh.push(file)
    }
    if (leave.length > 0) store.leave(id, leave)
    if (unclear.length > 0) candidates.putOff(unclear, UNCLEAR_MS)
    if (fresh.length > 0) await gather(fresh)
  }

  async function gather(fresh: readonly FoundFile[]): Promise<void> {
    const { grouping, windowMs } = options.folder()
    if (grouping === 'separate' || windowMs === 0) {
      await submitAll(fresh)
      return
    }
    for (const file of fresh) batch.set(file.path, file)
    stopBatch ??= timing.after(windowMs, () => {
      stopBatch = undefined
      void inTurn(submitBatch)
    })
  }

  /** They have waited for each other: some may have changed or gone meanwhile. */
  async function submitBatch(): Promise<void> {
    const waited = batch
    batch = new Map()
    const now = await fingerprintFiles([...waited.keys()])
    const fingerprints = new Map(now.map((file) => [file.path, file.fingerprint]))
    const same: FoundFile[] = []
    for (const file of waited.values()) {
      const fingerprint = fingerprints.get(file.path)
      if (fingerprint === undefined) continue
      if (fingerprint.size === file.fingerprint.size && fingerprint.mtime === file.fingerprint.mtime)
        same.push(file)
      else candidates.see(file.path, fingerprint)
    }
    await submitAll(same)
  }

  async function submitAll(files: readonly FoundFile[]): Promise<void> {
    const atOnce = options.folder().grouping === 'separate' ? SEPARATE_AT_ONCE : TOGETHER_AT_ONCE
    for (let start = 0; start < files.length && isOpen(); start += atOnce) {
      submit(files.slice(start, start + atOnce))
      // Everything else gets its turn.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Nothing is awaited here: after a crash at any point, what was marked and the outbox tell together what happened. */
  function submit(files: readonly FoundFile[]): void {
    const key = options.newKey()
    try {
      store.beginTaking(id, files, key)
      const result = options.start(draftOf(options.folder(), files), key)
      if (!result.ok) {
        notStarted(files, key)
        sayProblems(result.problems)
        return
      }
    } catch (error) {
      log('watched files not started', { error: String(error) })
      if (!options.wasStarted(key)) {
        notStarted(files, key)
        return
      }
    }
    store.finishTaking(id, key)
    options.confirmStarted(key)
    saidProblems = ''
    onChange()
  }

  function notStarted(files: readonly FoundFile[], key: string): void {
    store.abandonTaking(key)
    candidates.putOff(files, NOT_STARTED_MS)
  }

  /** Once, however often it is tried again. */
  function sayProblems(problems: readonly DraftProblem[]): void {
    const words = JSON.stringify(problems)
    if (words === saidProblems) return
    saidProblems = words
    options.onTrouble({ kind: 'notStarted', folder: options.folder(), problems })
  }

  void inTurn(() => check(options.since))

  return {
    view: () => ({
      scanning: isScanning,
      trouble,
      question: question === null ? null : question.length,
      taken: store.count(id),
    }),

    answer: (take) =>
      inTurn(async () => {
        const asked = question
        if (asked === null) return
        if (take) for (const path of asked) candidates.see(path, { size: -1, mtime: -1 })
        else store.leave(id, await fingerprintFiles(asked))
        store.markScanned(id)
        setQuestion(null)
      }),

    hurry: () => candidates.hurry(),
    whenScanned: looked.promise,

    async close() {
      isClosed = true
      looked.resolve()
      stopBatch?.()
      stopCheck?.()
      candidates.close()
      await last
      await following?.()
    },
  }
}

async function presenceOf(folder: string): Promise<Presence> {
  try {
    const [found, parent] = await Promise.all([
      stat(folder, { bigint: true }),
      stat(dirname(folder), { bigint: true }),
    ])
    if (!found.isDirectory()) return { kind: 'missing' }
    await access(folder, constants.R_OK | constants.X_OK)
    return { kind: 'there', identity: `${found.dev}:${found.ino}`, isMount: found.dev !== parent.dev }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return { kind: code === 'EACCES' || code === 'EPERM' ? 'unreadable' : 'missing' }
  }
}

/** inotify has only so many watches, and a process only so many open files. */
const isOutOfWatches = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EMFILE')

function draftOf(folder: WatchFolder, files: readonly FoundFile[]): Draft {
  const items = files.flatMap(({ path, fingerprint }): MediaItem[] => {
    const kind = mediaKindOf(path)
    return kind === undefined ? [] : [{ path, name: basename(path), kind, size: fingerprint.size }]
  })
  const { preset, output, variations, grouping } = folder
  return {
    source: { kind: 'files', items },
    rejected: [],
    preset,
    output,
    variations,
    grouping,
    editing: null,
  }
}
