import { isDeepStrictEqual } from 'node:util'
import type { RecordId } from '../../shared/model/ids.ts'
import { byPosition, START, type Place, type Submission } from './submission-rows.ts'

/** A submission without its plan, which may name thousands of files. */
type Listed = Omit<Submission, 'plan'>

/** The list as read so far. Submissions that haven't changed are the same objects in the next list. */
export type ListSoFar = {
  /** The submissions that haven't been accepted, in sending order. */
  readonly submissions: readonly Listed[]
  /** Whether all rows have been read. Unread rows may be missing or outdated. */
  readonly isWhole: boolean
  /** Returns the index of a submission in the list; undefined if it isn't there. */
  readonly indexOf: (id: RecordId) => number | undefined
}

export type SubmissionListDeps = {
  /** Returns the next page of rows. A page with fewer than `PAGE` rows is the last one. */
  readonly pageAfter: (place: Place) => readonly Submission[]
  readonly get: (id: RecordId) => Submission | undefined
  /** Schedules a callback in a later event-loop tick. */
  readonly later: (run: () => void) => void
  /** Called after more rows have been read in a separate tick. */
  readonly onRead: () => void
}

/** Number of rows that can be read and parsed in less than a frame. */
export const PAGE = 50

/**
 * Maximum number of written rows that are read individually. If this process has written more since the list was last shown, the whole list
 * is read again, page by page.
 */
const MOST_WRITTEN = 100

/** Keeps the displayed list in memory. Reads one page per event-loop tick. Nothing is sent based on this list. */
export function createSubmissionList(deps: SubmissionListDeps) {
  let list: readonly Listed[] = []
  const byId = new Map<RecordId, Listed>()
  /** IDs of the rows that this process has written since they were read. */
  const written = new Set<RecordId>()
  /** The position up to which rows have been read; null if all have been read. */
  let readUpTo: Place | null = START
  let isScheduled = false

  /** Replaces the submissions that have these IDs with the ones just read. */
  function replace(ids: ReadonlySet<RecordId>, read: readonly Submission[]): void {
    const next = [...list]
    const replaced = [...ids].flatMap((id) => byId.get(id) ?? [])
    const before = new Map(replaced.map((one) => [one.id, one]))
    for (const one of replaced) {
      next.splice(countBefore(next, one), 1)
      byId.delete(one.id)
    }
    for (const { plan: _, ...now } of read.filter(({ state }) => state.kind !== 'accepted')) {
      const one = sameOrNew(before.get(now.id), now)
      next.splice(countBefore(next, one), 0, one)
      byId.set(one.id, one)
    }
    list = next
  }

  function readPage(from: Place): void {
    const page = deps.pageAfter(from)
    const last = page.length < PAGE ? undefined : page.at(-1)
    const inList = list.slice(countBefore(list, from), last && countBefore(list, last))
    const ids = new Set([...inList, ...page].map(({ id }) => id))
    ids.delete(from.id)
    replace(ids, page)
    readUpTo = last ?? null
  }

  function readWritten(): void {
    if (written.size === 0) return
    replace(
      written,
      [...written].flatMap((id) => deps.get(id) ?? []),
    )
    written.clear()
  }

  /** Records that many rows were written, so that all are read again. */
  function outdated(): void {
    written.clear()
    readUpTo = START
  }

  function readOn(): void {
    if (readUpTo === null || isScheduled) return
    isScheduled = true
    deps.later(() => {
      isScheduled = false
      if (readUpTo === null) return
      readPage(readUpTo)
      deps.onRead()
      readOn()
    })
  }

  function indexOf(id: RecordId): number | undefined {
    const one = byId.get(id)
    return one && countBefore(list, one)
  }

  function soFar(): ListSoFar {
    if (readUpTo === START) readPage(START)
    readWritten()
    readOn()
    return { submissions: list, isWhole: readUpTo === null, indexOf }
  }

  /** Records that this process has written a row. */
  function changed(id: RecordId): void {
    written.add(id)
    if (written.size > MOST_WRITTEN) outdated()
  }

  return { soFar, changed, outdated }
}

/** Returns the number of submissions that precede this position, by binary search. */
function countBefore(list: readonly Place[], place: Place): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const there = list[middle]
    if (there !== undefined && byPosition(there, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}

const sameOrNew = (before: Listed | undefined, now: Listed): Listed =>
  before !== undefined && isDeepStrictEqual(before, now) ? before : now
