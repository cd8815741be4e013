/**
 * Files that have come and have not settled yet. They are checked only when they may have; an event from the system puts that
 * off. One timer for all of them.
 */
import { lstat, open } from 'node:fs/promises'
import { fingerprintOf, type Fingerprint, type FoundFile } from './fingerprint.ts'

/**
 * When a file counts as finished: nothing about it has changed for a while. Pure; times are monotonic, in ms.
 *
 * A file that has been growing for long may also pause for long (a slow network, a video being rendered), so it has to be
 * unchanged for a part of the time it took.
 */
export type Observation = {
  readonly firstAt: number
  readonly changedAt: number
  readonly size: number
  readonly mtime: number
}

/** Of the time that it took to grow. */
const SHARE_OF_GROWTH = 0.25
/** At the most so many times the ordinary wait. */
const MOST_TIMES = 5

export type Sample = { readonly size: number; readonly mtime: number }

export const firstSample = ({ size, mtime }: Sample, now: number): Observation => ({
  firstAt: now,
  changedAt: now,
  size,
  mtime,
})

export const nextSample = (before: Observation, { size, mtime }: Sample, now: number): Observation =>
  size === before.size && mtime === before.mtime ? before : { ...before, size, mtime, changedAt: now }

/** When it may be taken, if nothing changes until then. */
export function settlesAt({ firstAt, changedAt }: Observation, settleMs: number): number {
  const grew = (changedAt - firstAt) * SHARE_OF_GROWTH
  return changedAt + Math.min(Math.max(settleMs, grew), settleMs * MOST_TIMES)
}

export type SettlingFilesOptions = {
  readonly settleMs: number
  /** ms, never going back. */
  readonly monotonic: () => number
  readonly after: (ms: number, run: () => void) => () => void
  /** Files that have settled and can be read, in the order of their paths. */
  readonly onSettled: (files: readonly FoundFile[]) => void
  /** There is a file that nobody lets us read, or none is left. */
  readonly onUnreadable: () => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface SettlingFiles {
  see(path: string, sample: Sample): void
  gone(path: string): void
  /** Again, after some ms, though nothing has changed. */
  putOff(files: readonly FoundFile[], ms: number): void
  /** Those that were put off are checked now. */
  hurry(): void
  hasUnreadable(): boolean
  clear(): void
  close(): void
}

type Candidate = {
  readonly observed: Observation
  readonly dueAt: number
  readonly refusals: number
  /** It had settled already, and waits for something else. */
  readonly putOff: boolean
}

/** Files checked together. */
const AT_ONCE = 32
/** Several files that settle within this many ms are one group. */
const GROUP_MS = 50
/** A writer may hold a file for a while after its last change; then it is trouble. */
const REFUSALS_BEFORE_TROUBLE = 3
const LONGEST_REFUSED_MS = 60_000

type Finding =
  | { readonly kind: 'there'; readonly fingerprint: Fingerprint; readonly readable: boolean }
  | { readonly kind: 'gone' }

export function createSettlingFiles(options: SettlingFilesOptions): SettlingFiles {
  const { settleMs, monotonic, after, onSettled, onUnreadable, log } = options
  const waiting = new Map<string, Candidate>()
  const unreadable = new Set<string>()
  let stopTimer: (() => void) | undefined
  let timerAt = Number.POSITIVE_INFINITY
  let isChecking = false
  let isClosed = false
  const isOpen = () => !isClosed

  function schedule(dueAt: number): void {
    if (isClosed || isChecking || dueAt >= timerAt) return
    stopTimer?.()
    timerAt = dueAt
    stopTimer = after(Math.max(0, dueAt - monotonic()) + 1, () => {
      timerAt = Number.POSITIVE_INFINITY
      stopTimer = undefined
      check().catch((error: unknown) => log('settling files not checked', { error: String(error) }))
    })
  }

  function scheduleNext(): void {
    let next = Number.POSITIVE_INFINITY
    for (const { dueAt } of waiting.values()) next = Math.min(next, dueAt)
    if (next < Number.POSITIVE_INFINITY) schedule(next)
  }

  function put(path: string, observed: Observation, change: Partial<Candidate> = {}): void {
    const dueAt = settlesAt(observed, settleMs)
    const candidate = { observed, dueAt, refusals: 0, putOff: false, ...change }
    waiting.set(path, candidate)
    schedule(candidate.dueAt)
  }

  async function check(): Promise<void> {
    isChecking = true
    const settled: FoundFile[] = []
    try {
      const now = monotonic()
      const due = [...waiting].filter(([, { dueAt }]) => dueAt <= now + GROUP_MS).map(([path]) => path)
      for (let start = 0; start < due.length && isOpen(); start += AT_ONCE) {
        const group = due.slice(start, start + AT_ONCE)
        const found = await Promise.all(group.map(async (path) => decide(path, await find(path))))
        settled.push(...found.flat())
      }
    } finally {
      isChecking = false
    }
    if (isClosed) return
    if (settled.length > 0) onSettled(settled.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    scheduleNext()
  }

  function decide(path: string, finding: Finding): readonly FoundFile[] {
    const candidate = waiting.get(path)
    if (candidate === undefined) return []
    // An empty file has yet to be written; the system tells when that begins.
    if (finding.kind === 'gone' || finding.fingerprint.size === 0) {
      gone(path)
      return []
    }
    const now = monotonic()
    const observed = nextSample(candidate.observed, finding.fingerprint, now)
    if (now + GROUP_MS < settlesAt(observed, settleMs)) {
      put(path, observed)
      return []
    }
    if (!finding.readable) {
      refuse(path, candidate, observed)
      return []
    }
    gone(path)
    return [{ path, fingerprint: finding.fingerprint }]
  }

  function refuse(path: string, { refusals }: Candidate, observed: Observation): void {
    const wait = Math.min(settleMs * 2 ** refusals, LONGEST_REFUSED_MS)
    put(path, observed, { refusals: refusals + 1, dueAt: monotonic() + wait })
    if (refusals + 1 < REFUSALS_BEFORE_TROUBLE || unreadable.has(path)) return
    unreadable.add(path)
    log('watched file not readable', { path })
    onUnreadable()
  }

  function gone(path: string): void {
    waiting.delete(path)
    if (unreadable.delete(path) && unreadable.size === 0) onUnreadable()
  }

  return {
    see(path, seen) {
      const candidate = waiting.get(path)
      if (candidate === undefined) put(path, firstSample(seen, monotonic()))
      else put(path, nextSample(candidate.observed, seen, monotonic()), { refusals: candidate.refusals })
    },
    gone,
    putOff(files, ms) {
      for (const { path, fingerprint } of files) {
        const longAgo = { ...firstSample(fingerprint, monotonic()), changedAt: monotonic() - settleMs * 2 }
        put(path, longAgo, { putOff: true, dueAt: monotonic() + ms })
      }
    },
    hurry() {
      for (const [path, candidate] of waiting) {
        if (candidate.putOff) put(path, candidate.observed, { ...candidate, dueAt: monotonic() })
      }
    },
    hasUnreadable: () => unreadable.size > 0,
    clear() {
      waiting.clear()
      unreadable.clear()
    },
    close() {
      isClosed = true
      stopTimer?.()
      waiting.clear()
    },
  }
}

/** What stands there now, and whether it opens: on Windows a file that is being written often does not. */
async function find(path: string): Promise<Finding> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined || !found.isFile()) return { kind: 'gone' }
  return { kind: 'there', fingerprint: fingerprintOf(found), readable: await isReadable(path) }
}

async function isReadable(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r')
    try {
      await file.read(Buffer.alloc(1), 0, 1, 0)
      return true
    } finally {
      await file.close()
    }
  } catch {
    return false
  }
}
