/** How new files of a watched folder become submissions: those that come within a window together, and each exactly once. */
import { basename } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { Draft, DraftProblem, StartResult } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { WatchFolder } from '../../shared/model/watch-folder.ts'
import { fingerprintFiles, type FoundFile } from './fingerprint.ts'
import type { ProcessedFiles } from './processed-files.ts'

export type SubmitBatchOptions = {
  readonly folder: () => WatchFolder
  readonly store: Pick<ProcessedFiles, 'beginTaking' | 'finishTaking' | 'abandonTaking'>
  /** Starts what was found, once for each key. */
  readonly start: (draft: Draft, key: string) => Promise<StartResult>
  readonly wasStarted: (key: string) => boolean
  readonly confirmStarted: (key: string) => void
  readonly newKey: () => string
  readonly after: Timing['after']
  /** One after the other with everything else that the folder does. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  readonly isOpen: () => boolean
  /** It waited for others, and is another file now. */
  readonly onChanged: (file: FoundFile) => void
  readonly onTaken: () => void
  /** They have to be tried again. */
  readonly onNotStarted: (files: readonly FoundFile[]) => void
  /** Why a draft can't be started, such as a preset that is gone: once, however often it is tried again. */
  readonly onProblems: (problems: readonly DraftProblem[]) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface SubmitBatch {
  /** Files that are new and have settled. */
  readonly add: (files: readonly FoundFile[]) => Promise<void>
  readonly close: () => void
}

/** Each file of its own is a submission, which is written several times. */
const SEPARATE_AT_ONCE = 50
const TOGETHER_AT_ONCE = 5_000

export function createSubmitBatch(options: SubmitBatchOptions): SubmitBatch {
  const { store, log } = options
  const { id } = options.folder()
  let waiting = new Map<string, FoundFile>()
  let stopWindow: (() => void) | undefined
  let saidProblems = ''

  async function add(files: readonly FoundFile[]): Promise<void> {
    const { grouping, windowMs } = options.folder()
    if (grouping === 'separate' || windowMs === 0) {
      await submitAll(files)
      return
    }
    for (const file of files) waiting.set(file.path, file)
    stopWindow ??= options.after(windowMs, () => {
      stopWindow = undefined
      void options.inTurn(submitWaiting)
    })
  }

  /** They have waited for each other: some may have changed or gone meanwhile. */
  async function submitWaiting(): Promise<void> {
    const waited = waiting
    waiting = new Map()
    const same: FoundFile[] = []
    for (const now of await fingerprintFiles([...waited.keys()])) {
      const before = waited.get(now.path)
      if (before !== undefined && isSame(before, now)) same.push(before)
      else options.onChanged(now)
    }
    await submitAll(same)
  }

  async function submitAll(files: readonly FoundFile[]): Promise<void> {
    const atOnce = options.folder().grouping === 'separate' ? SEPARATE_AT_ONCE : TOGETHER_AT_ONCE
    for (let start = 0; start < files.length && options.isOpen(); start += atOnce) {
      await submit(files.slice(start, start + atOnce))
      // Everything else gets its turn.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** After a crash at any point, what was noted and the outbox tell together what happened. */
  async function submit(files: readonly FoundFile[]): Promise<void> {
    const key = options.newKey()
    try {
      store.beginTaking(id, files, key)
      const result = await options.start(draftOf(options.folder(), files), key)
      if (!result.ok) {
        abandon(files, key)
        sayProblems(result.problems)
        return
      }
    } catch (error) {
      log('watched files not started', { error: String(error) })
      if (!options.wasStarted(key)) {
        abandon(files, key)
        return
      }
    }
    store.finishTaking(id, key)
    options.confirmStarted(key)
    saidProblems = ''
    options.onTaken()
  }

  function abandon(files: readonly FoundFile[], key: string): void {
    store.abandonTaking(key)
    options.onNotStarted(files)
  }

  function sayProblems(problems: readonly DraftProblem[]): void {
    const words = JSON.stringify(problems)
    if (words === saidProblems) return
    saidProblems = words
    options.onProblems(problems)
  }

  return { add, close: () => stopWindow?.() }
}

const isSame = ({ fingerprint: a }: FoundFile, { fingerprint: b }: FoundFile): boolean =>
  a.size === b.size && a.mtime === b.mtime

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
