/** Submits new files of a watched folder exactly once, grouped by time window. */
import { dirname } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import { inGroups } from '../../node/limited.ts'
import type { Draft, DraftProblem, StartResult } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { FolderRules } from '../../shared/model/folder-rules.ts'
import { presetsIn, type WatchFolder } from '../../shared/model/watch-folder.ts'
import { missingPresets, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { createFileAcceptance, type AcceptanceOptions, type Accepted } from './accept-files.ts'
import { applyRules, type ProcessAction, type RuledFiles } from './apply-rules.ts'
import type { FoundFile } from './fingerprint.ts'
import type { DeferredFiles } from './deferred-files.ts'
import type { OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'

export type Submitting = {
  /** Starts a draft. Idempotent for each key. */
  readonly start: (draft: Draft, key: string) => Promise<StartResult>
  /** Whether a draft with this key was started, even before a restart. */
  readonly wasStarted: (key: string) => boolean
  /** Releases a key that won't be used again. */
  readonly confirmStarted: (key: string) => void
  /** Whether a submission of this watched folder that hasn't ended includes a file at this path. */
  readonly isUnderWay: (watched: string, path: string) => boolean
  readonly newKey: () => string
  /** Returns what the folder's service offers. */
  readonly service: () => PresetOffer
}

export type SubmitBatchOptions = Submitting &
  AcceptanceOptions & {
    readonly folder: () => WatchFolder
    /** Returns the folder's rules; null if they can't be read. */
    readonly rules: () => FolderRules | null
    readonly store: Pick<
      ProcessedFiles,
      'beginTaking' | 'finishTaking' | 'abandonTaking' | 'leave' | 'isRetried' | 'endRetries'
    >
    readonly own: Pick<OwnResults, 'isRead'>
    readonly deferred: Pick<DeferredFiles, 'defer' | 'release' | 'keepWarned' | 'presetOf'>
    /** The folder that contains the files; undefined while it isn't available. */
    readonly root: () => string | undefined
    readonly clock: Timing['clock']
    readonly after: Timing['after']
    /** Runs a task in the folder's serial queue. */
    readonly inTurn: (work: () => Promise<void>) => Promise<void>
    readonly isOpen: () => boolean
    readonly onTaken: () => void
  }

/** Number of files per draft if each file becomes a separate submission. Each such submission takes several writes. */
const SEPARATE_AT_ONCE = 50
const TOGETHER_AT_ONCE = 5_000

export function createSubmitBatch(options: SubmitBatchOptions) {
  const { store, deferred } = options
  const { id } = options.folder()
  let waiting = new Map<string, FoundFile>()
  let stopWindow: (() => void) | undefined
  let submitting = 0
  const reports = createReports(options.onProblems)
  const accept = createFileAcceptance(options)

  async function add(files: readonly FoundFile[]): Promise<void> {
    const { grouping, windowMs } = options.folder()
    if (grouping === 'separate' || windowMs === 0) {
      await submitAll(files)
      return
    }
    for (const file of files) waiting.set(file.path, file)
    stopWindow ??= options.after(windowMs, () => {
      stopWindow = undefined
      submitting += 1
      void options.inTurn(submitWaiting).finally(() => {
        submitting -= 1
      })
    })
  }

  async function submitWaiting(): Promise<void> {
    const waited = [...waiting.values()]
    waiting = new Map()
    await submitAll(waited)
  }

  async function submitAll(files: readonly FoundFile[]): Promise<void> {
    const root = options.root()
    // If the folder is gone, its files are found again when it returns.
    if (root === undefined) return
    const [folder, rules, service] = [options.folder(), options.rules(), options.service()]
    const ruled = await applyRules(files, {
      folder,
      rules,
      root,
      now: options.clock(),
      service,
      waitedFor: deferred.presetOf,
    })
    if (service.presets !== null && rules !== null)
      deferred.keepWarned(missingPresets(service, presetsIn(folder, rules)))
    if (ruled.ignored.length > 0) leave(ruled.ignored)
    if (ruled.deferred.length > 0) deferred.defer(ruled.deferred)
    for (const alike of ruled.process) await submitAlike(alike)
  }

  function leave(files: readonly FoundFile[]): void {
    store.leave(id, files)
    deferred.release(files.map(({ path }) => path))
  }

  async function submitAlike({ action, files: given }: RuledFiles['process'][number]): Promise<void> {
    const atOnce = options.folder().grouping === 'separate' ? SEPARATE_AT_ONCE : TOGETHER_AT_ONCE
    const { read = [], files = [] } = separateRead(given, action, options)
    if (read.length > 0) leave(read)
    for (const group of inGroups(files, atOnce)) {
      if (!options.isOpen()) return
      await submit(group, action)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /**
   * Marks files and submits them. After a crash or a failed write at any point, the marks and the outbox together show what
   * happened; `finishTakings` resolves them before the files are retried.
   */
  async function submit(compared: readonly FoundFile[], action: ProcessAction): Promise<void> {
    const accepted = await accept(compared, action.presets)
    const files = accepted.map(({ file }) => file)
    if (files.length === 0) return
    const key = options.newKey()
    let notStarted: readonly FoundFile[] = files
    try {
      store.beginTaking(id, files, key)
      notStarted = await start(accepted, key, action)
      if (notStarted.length === 0) {
        store.finishTaking(id, key)
        deferred.release(files.map(({ path }) => path))
        options.confirmStarted(key)
        reports.clear()
        options.onTaken()
        return
      }
      store.abandonTaking(key)
    } catch (error) {
      options.onFailed('could not mark watched files', error)
      notStarted = files
    }
    options.onNotStarted(notStarted)
    const others = files.filter((file) => !notStarted.includes(file))
    if (others.length > 0) await submit(others, action)
  }

  /** Starts a draft with the files. @returns the files that can't be started; if there are any, the other files aren't started either */
  async function start(accepted: readonly Accepted[], key: string, action: ProcessAction) {
    const files = accepted.map(({ file }) => file)
    try {
      const items = accepted.flatMap(({ item }) => item ?? [])
      // Raw photos, and files that aren't photos or videos despite their names, count as processed.
      if (items.length === 0) return []
      const result = await options.start(draftOf(options.folder(), action, items), key)
      // Files that are already done also count as processed.
      const isNothing = !result.ok && result.problems.every(({ code }) => code === 'nothingToProcess')
      if (isNothing || (result.ok && result.skipped !== undefined)) endRetries(files, options)
      if (result.ok || isNothing) return []
      reports.report(result.problems)
      return preventedBy(result.problems, files)
    } catch (error) {
      if (options.wasStarted(key)) return []
      options.onFailed('could not submit watched files', error)
      return files
    }
  }

  return {
    add,
    /** Whether files are waiting for more files to arrive, or are being submitted. */
    isGrouping: (): boolean => stopWindow !== undefined || submitting > 0,
    close: (): void => stopWindow?.(),
  }
}

/** Ends the retries of files that are done, for example because the user has processed them. */
function endRetries(
  files: readonly FoundFile[],
  { folder, store, isUnderWay, clock }: Pick<SubmitBatchOptions, 'folder' | 'store' | 'isUnderWay' | 'clock'>,
): void {
  const { id } = folder()
  const paths = files.map(({ path }) => path)
  const done = paths.filter((path) => store.isRetried(id, path) && !isUnderWay(id, path))
  store.endRetries(id, done, clock())
}

/** Separates the files whose current contents a job has already read. */
function separateRead(
  files: readonly FoundFile[],
  { presets, output }: ProcessAction,
  { folder, own }: Pick<SubmitBatchOptions, 'folder' | 'own'>,
) {
  const { id, variations } = folder()
  // A job doesn't replace an original that was saved again after it was submitted. Some variations may be from its earlier content.
  const mayBeRead = output.kind !== 'replace' && variations === 1
  return Object.groupBy(files, (file) => (mayBeRead && own.isRead(id, file, presets) ? 'read' : 'files'))
}

/** Resolves the marks that a crash or a failed write left in a folder between marking files and submitting them. */
export function finishTakings(
  id: string,
  store: Pick<ProcessedFiles, 'unfinished' | 'finishTaking' | 'abandonTaking'>,
  { wasStarted, confirmStarted }: Pick<Submitting, 'wasStarted' | 'confirmStarted'>,
): void {
  for (const { folder, key } of store.unfinished()) {
    if (folder !== id) continue
    if (wasStarted(key)) {
      store.finishTaking(folder, key)
      confirmStarted(key)
    } else store.abandonTaking(key)
  }
}

/** Reports problems, unless the last report was the same. */
function createReports(onProblems: SubmitBatchOptions['onProblems']) {
  let last = ''
  return {
    report(problems: readonly DraftProblem[]): void {
      const serialized = JSON.stringify(problems)
      if (serialized === last) return
      last = serialized
      onProblems(problems)
    },
    clear: () => void (last = ''),
  }
}

/** Returns the files in the folders that the problems name; all files if a problem names no folder, or if there are no such files. */
function preventedBy(problems: readonly DraftProblem[], files: readonly FoundFile[]): readonly FoundFile[] {
  const folders = problems.map((problem) =>
    problem.code === 'replaceImpossible' ? problem.folder : undefined,
  )
  const there = files.filter(({ path }) => folders.includes(dirname(path)))
  return folders.includes(undefined) || there.length === 0 ? files : there
}

function draftOf(
  { id, service, done = 'skip', variations, grouping }: WatchFolder,
  { presets, output }: ProcessAction,
  items: readonly MediaItem[],
): Draft {
  return {
    source: { kind: 'files', items },
    rejected: [],
    presets,
    presetFolders: true,
    done,
    output,
    variations,
    grouping,
    watched: id,
    service,
    editing: null,
  }
}
