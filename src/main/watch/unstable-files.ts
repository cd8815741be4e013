/**
 * Tracks new files until they are stable. A file is checked only when it may have become stable; change events postpone the
 * check. A single timer serves all files.
 */
import type { Log } from '../../node/log.ts'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { openRegular } from '../../node/open-regular.ts'
import type { Timing } from '../../node/timing.ts'
import { inGroups } from '../../node/limited.ts'
import { isTruncated } from './truncated.ts'
import { isPartOfMany, isPlaceholder, mayBePart } from './ignore-rules.ts'
import { fingerprintOf, type Fingerprint, type FoundFile } from './fingerprint.ts'

/**
 * Observations of a file, used to decide when it is complete. Times are monotonic, in ms. A file that has been growing for a long time may
 * also pause for a long time (slow network, video export). It must therefore stay unchanged for a fraction of the time it has been growing.
 */
export type Observation = {
  readonly firstAt: number
  readonly changedAt: number
  readonly size: number
  readonly mtime: number
}

/** Required wait as a fraction of the time the file has been growing. */
const SHARE_OF_GROWTH = 0.25
/** Upper limit of the wait, as a multiple of the ordinary wait. */
const MAX_WAITS = 5
/**
 * Wait for a truncated file, or for one that a program is still creating, as a multiple of the ordinary wait. A copy may pause, but a
 * damaged file must eventually be reported.
 */
const TRUNCATED_WAITS = 30

export type Sample = { readonly size: number; readonly mtime: number }

export const firstSample = ({ size, mtime }: Sample, now: number): Observation => ({
  firstAt: now,
  changedAt: now,
  size,
  mtime,
})

export const nextSample = (before: Observation, { size, mtime }: Sample, now: number): Observation =>
  size === before.size && mtime === before.mtime ? before : { ...before, size, mtime, changedAt: now }

/** Returns the time at which the file counts as stable unless it changes before then. */
export function stableAt(
  { firstAt, changedAt }: Observation,
  stableMs: number,
  isEndAwaited = false,
): number {
  if (isEndAwaited) return changedAt + stableMs * TRUNCATED_WAITS
  const grew = (changedAt - firstAt) * SHARE_OF_GROWTH
  return changedAt + Math.min(Math.max(stableMs, grew), stableMs * MAX_WAITS)
}

export type UnstableFiles = ReturnType<typeof createUnstableFiles>

type Candidate = {
  readonly observed: Observation
  readonly dueAt: number
  readonly refusals: number
  /** Whether the check was postponed, by the caller or because a program is still creating the file. */
  readonly postponed: boolean
}

/** Number of files checked in parallel. */
const AT_ONCE = 32
/** Time in ms within which files that become stable are reported together. */
const GROUP_MS = 50
/**
 * Number of failed attempts to open a file before it is reported as a problem. A writer may keep a file locked for a while after its last
 * change.
 */
const REFUSALS_BEFORE_REPORT = 3
const LONGEST_REFUSED_MS = 60_000

type Finding =
  | {
      readonly kind: 'there'
      readonly fingerprint: Fingerprint
      readonly readable: boolean
      readonly truncated: boolean
      /** Whether other files show that a program is still creating this one. */
      readonly inProgress: boolean
    }
  | { readonly kind: 'gone' }

export function createUnstableFiles(
  options: Pick<Timing, 'monotonic' | 'after'> & {
    readonly stableMs: number
    /** Receives stable, readable files, sorted by path. */
    readonly onStable: (files: readonly FoundFile[]) => void
    /** Called when an unreadable or empty file appears, is gone or has changed. */
    readonly onUnreadable: () => void
    readonly log: Log
  },
) {
  const { stableMs, monotonic, onStable, onUnreadable, log } = options
  const waiting = new Map<string, Candidate>()
  const unreadable = new Set<string>()
  const empty = new Set<string>()
  let isChecking = false
  let isClosed = false
  const isOpen = () => !isClosed
  const alarm = createAlarm(options, () => {
    check().catch((error: unknown) => log('could not check unstable files', { error: String(error) }))
  })
  function schedule(dueAt: number): void {
    if (!isClosed && !isChecking) alarm.set(dueAt)
  }

  function put(path: string, observed: Observation, change: Partial<Candidate> = {}): void {
    const dueAt = change.dueAt ?? stableAt(observed, stableMs)
    waiting.set(path, { observed, refusals: 0, postponed: false, ...change, dueAt })
    schedule(dueAt)
  }

  async function check(): Promise<void> {
    isChecking = true
    const stable: FoundFile[] = []
    try {
      const now = monotonic()
      const due = [...waiting].filter(([, { dueAt }]) => dueAt <= now + GROUP_MS).map(([path]) => path)
      for (const group of inGroups(due, AT_ONCE)) {
        if (!isOpen()) break
        const found = await Promise.all(group.map(async (path) => decide(path, await find(path))))
        stable.push(...found.flat())
      }
    } finally {
      isChecking = false
    }
    if (isClosed) return
    if (stable.length > 0) onStable(stable.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    schedule(waiting.values().reduce((next, { dueAt }) => Math.min(next, dueAt), Number.POSITIVE_INFINITY))
  }

  function decide(path: string, finding: Finding): readonly FoundFile[] {
    const candidate = waiting.get(path)
    if (candidate === undefined) return []
    if (finding.kind === 'gone') {
      gone(path)
      return []
    }
    const now = monotonic()
    const observed = nextSample(candidate.observed, finding.fingerprint, now)
    if (finding.inProgress) return later(path, observed, now + stableMs * TRUNCATED_WAITS, true)
    // The file hasn't been written yet. A change event will follow.
    if (finding.fingerprint.size === 0) {
      gone(path)
      empty.add(path)
      onUnreadable()
      return []
    }
    const dueAt = stableAt(observed, stableMs, finding.truncated && !candidate.postponed)
    if (now + GROUP_MS < dueAt) return later(path, observed, dueAt)
    if (!finding.readable) {
      refuse(path, candidate, observed)
      return []
    }
    gone(path)
    return [{ path, fingerprint: finding.fingerprint }]
  }

  function later(path: string, observed: Observation, dueAt: number, postponed = false): readonly [] {
    put(path, observed, { dueAt, postponed })
    return []
  }

  function refuse(path: string, { refusals }: Candidate, observed: Observation): void {
    const wait = Math.min(stableMs * 2 ** refusals, LONGEST_REFUSED_MS)
    put(path, observed, { refusals: refusals + 1, dueAt: monotonic() + wait })
    if (refusals + 1 < REFUSALS_BEFORE_REPORT || unreadable.has(path)) return
    unreadable.add(path)
    log('could not read watched file', { path })
    onUnreadable()
  }

  function gone(path: string): void {
    waiting.delete(path)
    const wasUnreadable = unreadable.delete(path)
    if (empty.delete(path) || wasUnreadable) onUnreadable()
  }

  return {
    see(path: string, seen: Sample): void {
      const candidate = waiting.get(path)
      if (candidate === undefined) put(path, firstSample(seen, monotonic()))
      else put(path, nextSample(candidate.observed, seen, monotonic()), { refusals: candidate.refusals })
    },
    gone,
    /** Checks unchanged files again after a delay in ms. */
    postpone(files: readonly FoundFile[], ms: number): void {
      for (const { path, fingerprint } of files) {
        const longAgo = { ...firstSample(fingerprint, monotonic()), changedAt: monotonic() - stableMs * 2 }
        put(path, longAgo, { postponed: true, dueAt: monotonic() + ms })
      }
    },
    recheckPostponed: (): void => {
      for (const [path, candidate] of waiting) {
        if (candidate.postponed) put(path, candidate.observed, { ...candidate, dueAt: monotonic() })
      }
    },
    /** Returns the sorted paths of files that can't be opened. */
    unreadable: (): readonly string[] => [...unreadable].toSorted(),
    /** Returns the sorted paths of files that have stayed empty. */
    empty: (): readonly string[] => [...empty].toSorted(),
    /** Whether a file that isn't postponed will be checked soon. */
    isPending: (): boolean => waiting.values().some(isSoonDue),
    clear(): void {
      waiting.clear()
      unreadable.clear()
      empty.clear()
    },
    close(): void {
      isClosed = true
      alarm.stop()
      waiting.clear()
    },
  }
}

/** Calls `ring` once, at the earliest time that was set. */
function createAlarm({ monotonic, after }: Pick<Timing, 'monotonic' | 'after'>, ring: () => void) {
  let stop: (() => void) | undefined
  let at = Number.POSITIVE_INFINITY
  return {
    set(dueAt: number): void {
      if (dueAt >= at) return
      stop?.()
      at = dueAt
      stop = after(Math.max(0, dueAt - monotonic()) + 1, () => {
        at = Number.POSITIVE_INFINITY
        stop = undefined
        ring()
      })
    },
    stop: () => stop?.(),
  }
}

const isSoonDue = ({ postponed, refusals }: Candidate): boolean =>
  !postponed && refusals < REFUSALS_BEFORE_REPORT

/**
 * Returns the current state of a file and whether it can be opened. On Windows, a file that is still being written often can't be
 * opened.
 */
async function find(path: string): Promise<Finding> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined || !found.isFile()) return { kind: 'gone' }
  const fingerprint = fingerprintOf(found)
  const [readable, truncated, inProgress] = await Promise.all([
    isReadable(path),
    isTruncated(path),
    isInProgress(path, fingerprint.size),
  ])
  return { kind: 'there', fingerprint, readable, truncated, inProgress }
}

async function isInProgress(path: string, size: number): Promise<boolean> {
  const name = basename(path)
  // Most files have no companions, so their folder isn't read.
  if (size > 0 && !mayBePart(name)) return false
  const others = await readdir(dirname(path)).catch(() => [])
  return size === 0 ? isPlaceholder(name, others) : isPartOfMany(name, others)
}

async function isReadable(path: string): Promise<boolean> {
  try {
    await using file = await openRegular(path, 'refuse')
    if (file === undefined) return false
    await file.read(Buffer.alloc(1), 0, 1, 0)
    return true
  } catch {
    return false
  }
}
