import type { DatabaseSync } from 'node:sqlite'
import type { RecordId } from '../../shared/model/ids.ts'
import { changing, fragment, rowsOf } from '../database/index.ts'
import { createSubmissionList, PAGE, type SubmissionListDeps } from './submission-list.ts'
import {
  ATTEMPTED,
  byPosition,
  FREE,
  Keys,
  SHOWN,
  START,
  Starts,
  STORED,
  submissionOf,
  Submissions,
  type Addressee,
  type Place,
  type Submission,
} from './submission-rows.ts'
import type { DurableState } from './submission-state.ts'

/** ID of a batch of submissions that is written in slices. */
export type StartId = number

const UNSENT = fragment`kind IN ('waiting', 'refused')`

/** Reads and writes the rows of the outbox. The caller combines changes into transactions. */
export type SubmissionTable = ReturnType<typeof submissionTable>

export function submissionTable(
  connection: DatabaseSync,
  listing: Omit<SubmissionListDeps, 'pageAfter' | 'get'>,
) {
  const rows = rowsOf(connection, Submissions)
  const stored = rows.only(...STORED)
  const ids = rows.only('id')
  const change = changing(connection)
  const list = createSubmissionList({ pageAfter, get, ...listing })

  function get(id: RecordId): Submission | undefined {
    const [row] = stored.where`id = ${id} AND removedAt IS NULL AND ${SHOWN}`
    return row && submissionOf(row)
  }

  function pageAfter({ position, id }: Place): readonly Submission[] {
    return stored.where`id IN (
        SELECT id FROM submissions INDEXED BY submissions_order
        WHERE (position, id) > (${position}, ${id}) AND removedAt IS NULL AND ${SHOWN} ORDER BY position, id LIMIT ${PAGE}
      ) ORDER BY position, id`.map(submissionOf)
  }

  function* pages(): Generator<readonly Submission[]> {
    for (let from: Place | undefined = START; from !== undefined;) {
      const page: readonly Submission[] = pageAfter(from)
      yield page
      from = page.length < PAGE ? undefined : page.at(-1)
    }
  }

  const changed = noting(list)

  /**
   * Replaces a submission's state if it is one of `from` and the submission hasn't been removed.
   * A submission that is being edited can't begin an attempt.
   * @returns whether the state was replaced
   */
  function move(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): boolean {
    const { notBefore, isEdited } = to.kind === 'waiting' ? to : { notBefore: null, isEdited: false }
    const begun = attemptsAdded(to, () => get(id))
    return changed(
      id,
      change`UPDATE submissions SET kind = ${to.kind}, state = ${Submissions.columns.state.write(to)},
          notBefore = ${notBefore}, isEdited = ${Number(isEdited)}, attempts = attempts + ${begun}
        WHERE id = ${id} AND removedAt IS NULL AND (${begun} = 0 OR isEdited = 0)
          AND kind IN (SELECT value FROM json_each(${JSON.stringify(from)}))`,
    )
  }

  const inState = (...kinds: readonly DurableState['kind'][]): readonly Submission[] =>
    stored.where`${ATTEMPTED} AND kind IN (SELECT value FROM json_each(${JSON.stringify(kinds)}))
      AND removedAt IS NULL ORDER BY position`.map(submissionOf)

  return {
    /** @param start the batch whose completion makes the row visible; null makes it visible immediately */
    insert({ id, createdAt, position, attempts, state, plan }: Submission, start: StartId | null): void {
      const { kind } = state
      const notBefore = kind === 'waiting' ? state.notBefore : null
      const texts = { plan, state, target: plan.target ?? '', job: plan.place?.id ?? null }
      const facts = { id, position, createdAt, attempts, kind, notBefore, isEdited: false }
      rows.insert({ ...facts, ...texts, start })
      if (start === null) list.changed(id)
    },

    get,
    /** Returns the parts of a job that are in the outbox and haven't been accepted, in sending order. */
    partsOf: (job: RecordId): readonly RecordId[] =>
      ids.where`job = ${job} AND kind <> 'accepted' AND removedAt IS NULL AND ${SHOWN} ORDER BY position`.map(
        ({ id }) => id,
      ),
    pages,
    listSoFar: list.soFar,
    accepted: () => inState('accepted'),
    unresolved: () => inState('sending', 'unknown'),
    edited: () => stored.where`isEdited = 1 AND removedAt IS NULL`.map(submissionOf),
    ...dueIn(rows, get),

    move,
    /** Makes all postponed submissions due now. */
    retryPostponed(): void {
      // Searching the stored text avoids parsing thousands of other submissions.
      const timed = stored.where`kind = 'waiting' AND notBefore IS NOT NULL AND removedAt IS NULL
        AND instr(state, '"unsaved"') > 0`
      for (const { id, state } of timed)
        if (state.kind === 'waiting' && state.unsaved !== undefined)
          move(id, ['waiting'], { ...state, notBefore: null })
    },
    ...unsentIn(connection, rows, list),
    drop: (id: RecordId) => void changed(id, rows.remove({ id })),
    forgetAccepted: (id: RecordId) => void changed(id, rows.remove({ id, kind: 'accepted' })),
    ...placesIn(connection, rows, get, list),
    ...startsIn(connection, list.outdated),
  }
}

type Rows = ReturnType<typeof rowsOf<(typeof Submissions)['columns']>>
type SubmissionList = ReturnType<typeof createSubmissionList>
type Get = (id: RecordId) => Submission | undefined

/** Creates a function that reports a row to the list if a statement has changed the row, and returns whether the row was changed. */
const noting =
  (list: SubmissionList) =>
  (id: RecordId, changes: number): boolean => {
    if (changes > 0) list.changed(id)
    return changes > 0
  }

/** Returns the operations on submissions that aren't being sent and haven't been accepted. */
function unsentIn(connection: DatabaseSync, rows: Rows, list: SubmissionList) {
  const change = changing(connection)
  const changed = noting(list)
  const ids = rows.only('id')
  return {
    deleteReplaced: (id: RecordId) =>
      changed(id, change`DELETE FROM submissions WHERE id = ${id} AND ${UNSENT}`),
    renamePreset(from: string, to: string, at: Addressee): void {
      void change`UPDATE submissions SET plan = json_set(plan, '$.preset', ${to})
        WHERE ${UNSENT} AND plan ->> 'preset' = ${from}
          AND target IN (SELECT value FROM json_each(${JSON.stringify(targetsOf(at))}))`
      list.outdated()
    },
    readdress(from: string): void {
      const changes = change`UPDATE submissions SET target = '', plan = json_remove(plan, '$.target')
        WHERE target = ${from} AND ${UNSENT}`
      if (changes > 0) list.outdated()
    },
    remove: (id: RecordId, now: number) =>
      changed(
        id,
        change`UPDATE submissions SET removedAt = ${now}
          WHERE id = ${id} AND removedAt IS NULL AND kind IN ('waiting', 'refused', 'unknown')`,
      ),
    /** Restores a submission and the parts of its job that were removed together with it. */
    restore(id: RecordId): readonly RecordId[] {
      const together = ids.where`job = (SELECT job FROM submissions WHERE id = ${id})
        AND removedAt = (SELECT removedAt FROM submissions WHERE id = ${id})`
      return [...new Set([id, ...together.map((one) => one.id)])].filter((one) =>
        changed(one, change`UPDATE submissions SET removedAt = NULL WHERE id = ${one} AND removedAt > 0`),
      )
    },
    /**
     * Deletes up to `limit` submissions that were removed before a time, in milliseconds since 1970.
     * @returns whether rows may remain
     */
    purgeRemoved: (before: number, limit: number): boolean =>
      change`DELETE FROM submissions
        WHERE id IN (SELECT id FROM submissions WHERE removedAt < ${before} LIMIT ${limit})` === limit,
  }
}

/** Returns queries that find the next submissions to send without reading all submissions. */
function dueIn(rows: Rows, get: Get) {
  const places = rows.only('id', 'position')
  /** The latest sending time that has been reached, in milliseconds since 1970. It counts as reached even if the clock is set back. */
  let dueUntil = -Infinity
  const first = places.indexedBy('ready')
  const timedFirst = places.indexedBy('timed')
  const times = rows.only('notBefore').indexedBy('times')

  function dueFor(target: string, now: number): readonly Place[] {
    const ready = first.where`${FREE} AND notBefore IS NULL AND target = ${target} AND ${SHOWN} ORDER BY position, id LIMIT 1`
    const [latest] =
      times.where`${FREE} AND notBefore <= ${Math.max(now, dueUntil)} AND target = ${target} AND ${SHOWN}
        ORDER BY notBefore DESC LIMIT 1`
    if (latest === undefined) return ready
    dueUntil = Math.max(dueUntil, latest.notBefore ?? dueUntil)
    const timed = timedFirst.where`${FREE} AND notBefore <= ${latest.notBefore} AND target = ${target} AND ${SHOWN} ORDER BY position, id LIMIT 1`
    return [...ready, ...timed]
  }

  return {
    /** Returns the first submission that may be sent to this addressee at `now`. */
    nextDue: (now: number, to: Addressee): Submission | undefined => {
      const [first] = targetsOf(to)
        .flatMap((target) => dueFor(target, now))
        .toSorted(byPosition)
      return first && get(first.id)
    },
    /**
     * Returns the earliest time at which a submission that waits only for its sending time may be sent, in milliseconds since 1970;
     * undefined if there is none.
     */
    nextTime: (to: Addressee): number | undefined => {
      const next = targetsOf(to).flatMap(
        (target) =>
          times.where`${FREE} AND notBefore IS NOT NULL AND target = ${target} AND ${SHOWN} ORDER BY notBefore LIMIT 1`,
      )
      return next.length === 0 ? undefined : Math.min(...next.flatMap(({ notBefore }) => notBefore ?? []))
    },
  }
}

/** Returns the operations on positions in the sending order. */
function placesIn(connection: DatabaseSync, rows: Rows, get: Get, list: SubmissionList) {
  const places = rows.only('position')
  const starts = rowsOf(connection, Starts)
  const change = changing(connection)
  const changed = noting(list)

  function atEnd(): (n: number) => number {
    const [last] = places.where`TRUE ORDER BY position DESC LIMIT 1`
    const [reserved] = starts.where`TRUE ORDER BY lastPosition DESC LIMIT 1`
    return (n) => Math.max(last?.position ?? 0, reserved?.lastPosition ?? 0) + 1 + n
  }

  /** Returns `count` new positions just before another one; undefined if the gap before it has too few distinct numbers. */
  function justBefore(to: number, count: number): readonly number[] | undefined {
    const [previous] = places.where`position < ${to} ORDER BY position DESC LIMIT 1`
    const from = previous?.position ?? to - count - 1
    const positions = Array.from({ length: count }, (_, n) => from + ((to - from) * (n + 1)) / (count + 1))
    const all = [from, ...positions, to]
    return all.every((position, n) => n === 0 || position > (all[n - 1] ?? to)) ? positions : undefined
  }

  /** Returns `count` new positions at a place. If a gap is too small, spaces all submissions out again first. */
  function positionsAt(place: RecordId | 'first' | 'last', count: number): readonly number[] {
    if (place === 'last') return Array.from({ length: count }, (_, n) => atEnd()(n))
    const find = () => {
      const [first] = places.where`TRUE ORDER BY position LIMIT 1`
      return justBefore((place === 'first' ? first : get(place))?.position ?? 0, count)
    }
    const found = find()
    if (found !== undefined) return found
    // Each move into a gap halves it. Positions after the last one may be reserved.
    void change`UPDATE submissions SET position = spaced.position FROM (
        SELECT id, max(position) OVER () - count(*) OVER () + row_number() OVER (ORDER BY position, id) AS position
        FROM submissions
      ) AS spaced WHERE spaced.id = submissions.id`
    list.outdated()
    return find() ?? []
  }

  return {
    /**
     * Creates a function that returns the nth of `count` new positions. These are at the end or, if a submission is replaced, at its
     * position.
     */
    positionsFor(replacing: RecordId | undefined, count: number): (n: number) => number {
      const replaced = replacing === undefined ? undefined : get(replacing)
      if (replaced === undefined) return atEnd()
      const { position } = replaced
      const [next] = places.where`position > ${position} ORDER BY position LIMIT 1`
      const step = ((next?.position ?? position + count + 1) - position) / (count + 1)
      return (n) => position + step * n
    },
    /** Moves submissions, in their order, just before another one, to the front or to the end. */
    place(ids: readonly RecordId[], place: RecordId | 'first' | 'last'): void {
      for (const [n, position] of positionsAt(place, ids.length).entries()) {
        const id = ids[n]
        if (id !== undefined)
          changed(id, change`UPDATE submissions SET position = ${position} WHERE id = ${id}`)
      }
    },
  }
}

/** Returns the operations on the keys of batches, and on batches that are written in slices. */
function startsIn(connection: DatabaseSync, onComplete: () => void) {
  const starts = rowsOf(connection, Starts)
  const keys = rowsOf(connection, Keys)
  const change = changing(connection)
  return {
    addKey: (key: string) => void keys.add({ key }),
    hasKey: (key: string) => keys.has({ key }),
    forgetKey: (key: string) => void keys.remove({ key }),

    /** @param lastPosition position of the batch's last submission; the positions up to it are reserved */
    beginStart: (lastPosition: number): StartId => starts.insert({ isComplete: false, lastPosition }),
    /** Makes all submissions of a batch visible. */
    completeStart(id: StartId): void {
      if (starts.update({ id }, { isComplete: true }) !== 1)
        throw new Error('The batch was removed before it was complete. No submissions were added.')
      onComplete()
    },
    incompleteStarts: () => starts.all({ isComplete: false }).map(({ id }) => id),
    /** Deletes up to `limit` rows of a batch, or the batch itself once it has no rows. @returns whether rows may remain */
    dropSomeOf(id: StartId, limit: number): boolean {
      const dropped = change`DELETE FROM submissions
        WHERE id IN (SELECT id FROM submissions WHERE start = ${id} LIMIT ${limit})`
      if (dropped === 0) starts.remove({ id })
      return dropped > 0
    },
    purgeStarts: () =>
      void change`DELETE FROM starts
        WHERE isComplete = 1 AND id NOT IN (SELECT start FROM submissions WHERE start IS NOT NULL)`,
  }
}

/** Returns the values of the `target` column for an addressee. The column is empty for submissions without an addressee. */
const targetsOf = ({ service, unaddressed }: Addressee): readonly string[] =>
  unaddressed ? [service, ''] : [service]

/**
 * Returns by how much a new state changes the number of attempts. Postponing resets the number to 0, because the submission isn't the
 * reason for the earlier failures.
 */
function attemptsAdded(to: DurableState, from: () => Submission | undefined): number {
  if (to.kind === 'sending') return 1
  return to.kind === 'waiting' && to.unsaved !== undefined ? -(from()?.attempts ?? 0) : 0
}
