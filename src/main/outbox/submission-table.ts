import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { createSubmissionList, PAGE, type SubmissionListDeps } from './submission-list.ts'
import {
  byPosition,
  prepareStatements,
  START,
  submissionIn,
  type Addressee,
  type Place,
  type Statements,
  type StoredSubmission,
} from './submission-rows.ts'
import { writeState, type DurableState } from './submission-state.ts'

const Last = z.object({ last: z.number() })
const Position = z.object({ position: z.number().nullable() })
const Time = z.object({ time: z.number() })
const PlaceRow = z.object({ id: z.string().transform(asRecordId), position: z.number() })
const IdRow = z.object({ id: z.string().transform(asRecordId) })
const StartRow = z.object({ id: z.number() })

/** ID of a batch of submissions that is written in parts. */
export type StartId = number

/** Reads and writes the rows of the outbox. Each change is a single statement; the outbox combines statements into transactions. */
export type SubmissionTable = ReturnType<typeof submissionTable>

export function submissionTable(
  connection: DatabaseSync,
  reading: Omit<SubmissionListDeps, 'pageAfter' | 'get'>,
) {
  const sql = prepareStatements(connection)
  const list = createSubmissionList({ pageAfter, get, ...reading })

  function get(id: RecordId): StoredSubmission | undefined {
    const row = sql.get.get(id)
    return row === undefined ? undefined : submissionIn(row)
  }

  function pageAfter({ position, id }: Place): readonly StoredSubmission[] {
    return sql.page.all({ position, id, limit: PAGE }).map(submissionIn)
  }

  function* pages(): Generator<readonly StoredSubmission[]> {
    for (let from: Place | undefined = START; from !== undefined;) {
      const page: readonly StoredSubmission[] = pageAfter(from)
      yield page
      from = page.length < PAGE ? undefined : page.at(-1)
    }
  }

  /** @returns whether the statement changed this row */
  function changed(id: RecordId, { changes }: { changes: number | bigint }): boolean {
    if (changes === 0) return false
    list.changed(id)
    return true
  }

  /** Replaces a submission's state if it is one of `from` and the submission hasn't been removed. */
  function move(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): boolean {
    const { notBefore, isHeld } = to.kind === 'waiting' ? to : { notBefore: null, isHeld: false }
    return changed(
      id,
      sql.move.run({
        id,
        from: JSON.stringify(from),
        kind: to.kind,
        notBefore,
        held: isHeld ? 1 : 0,
        begun: attemptsAdded(to, () => get(id)),
        state: writeState(to),
      }),
    )
  }

  const inState = (...kinds: readonly DurableState['kind'][]): readonly StoredSubmission[] =>
    sql.attempted.all(JSON.stringify(kinds)).map(submissionIn)

  return {
    /** @param start the batch whose completion makes the row visible; null makes it visible immediately */
    insert({ id, title, target, position, state, plan }: StoredSubmission, start: StartId | null): void {
      const { createdAt } = title
      const notBefore = state.kind === 'waiting' ? state.notBefore : null
      const texts = [target ?? '', plan.group?.id ?? null, JSON.stringify(plan), writeState(state)]
      sql.insert.run(id, position, createdAt, state.kind, notBefore, ...texts, start)
      if (start === null) list.changed(id)
    },

    get,
    /** Returns the parts of a group that are here and not accepted yet, in sending order. */
    partsOf: (group: RecordId): readonly RecordId[] =>
      sql.partsHere.all(group).map((row) => IdRow.parse(row).id),
    pages,
    listSoFar: list.soFar,
    accepted: () => inState('accepted'),
    unresolved: () => inState('sending', 'unknown'),
    held: () => sql.held.all().map(submissionIn),
    ...dueQueries(sql, get),
    ...startQueries(sql, list.outdated),

    move,
    retryPostponed: () => retryPostponed(sql.postponed.all().map(submissionIn), move),
    moveToFront: (id: RecordId) => changed(id, sql.moveToFront.run(id)),

    /**
     * Returns a function that returns the nth of `count` new positions. They are at the end or, if a submission is replaced, at its
     * position.
     */
    positionsFor(replacing: RecordId | undefined, count: number): (n: number) => number {
      const replaced = replacing === undefined ? undefined : get(replacing)
      if (replaced === undefined) {
        const { last } = Last.parse(sql.last.get())
        return (n) => last + 1 + n
      }
      const { position } = replaced
      const next = Position.parse(sql.after.get(position)).position
      const step = ((next ?? position + count + 1) - position) / (count + 1)
      return (n) => position + step * n
    },

    deleteReplaced: (id: RecordId) => changed(id, sql.replace.run(id)),
    renamePreset(from: string, to: string, at: Addressee): void {
      sql.renamePreset.run({ from, to, targets: JSON.stringify(targetsOf(at)) })
      list.outdated()
    },
    readdress: (from: string): void => void (sql.readdress.run(from).changes > 0 && list.outdated()),
    remove: (id: RecordId, now: number) => changed(id, sql.remove.run(now, id)),
    /** Restores a submission and the parts of its group that were removed together with it. */
    restore(id: RecordId): readonly RecordId[] {
      const together = sql.removedWith.all({ id }).map((row) => IdRow.parse(row).id)
      return [...new Set([id, ...together])].filter((one) => changed(one, sql.restore.run(one)))
    },
    /**
     * Deletes up to `limit` submissions that were removed before a time, in milliseconds since 1970.
     * @returns whether rows may remain
     */
    purgeRemoved: (before: number, limit: number): boolean =>
      sql.purgeRemoved.run(before, limit).changes === limit,
    forgetAccepted: (id: RecordId) => void changed(id, sql.forget.run(id)),

    addKey: (key: string) => void sql.addKey.run(key),
    /** Keys are in a separate table and are deleted immediately. */
    hasKey: (key: string) => sql.hasKey.get(key) !== undefined,
    forgetKey: (key: string) => void sql.forgetKey.run(key),
  }
}

/** Returns the queries for batches that are written in parts. */
function startQueries(sql: Statements, onComplete: () => void) {
  return {
    /** @param last position of the batch's last submission; the positions up to it are reserved */
    beginStart: (last: number): StartId => Number(sql.beginStart.run(last).lastInsertRowid),
    /** Makes all submissions of a batch visible. */
    completeStart(id: StartId): void {
      if (sql.completeStart.run(id).changes !== 1)
        throw new Error('An incomplete start was removed before it was finished. No submissions were added.')
      onComplete()
    },
    incompleteStarts: () => sql.incompleteStarts.all().map((row) => StartRow.parse(row).id),
    /** @returns whether rows may remain */
    dropSomeOf(id: StartId, limit: number): boolean {
      if (sql.dropSomeOf.run(id, limit).changes !== 0) return true
      sql.dropStart.run(id)
      return false
    },
    purgeStarts: () => void sql.purgeStarts.run(),
  }
}

/** Returns queries that find the next submissions to send without reading the others. */
function dueQueries(sql: Statements, get: (id: RecordId) => StoredSubmission | undefined) {
  /** The latest time that was found to be due, in milliseconds since 1970. It stays due even if the clock is set back. */
  let dueUntil = -Infinity

  function dueFor(target: string, now: number): readonly Place[] {
    const ready = sql.ready.all({ target })
    const latest = timeIn(sql.lastDue.get({ target, now: Math.max(now, dueUntil) }))
    dueUntil = Math.max(dueUntil, latest ?? dueUntil)
    const timed = latest === undefined ? [] : sql.timed.all({ target, now: latest })
    return [...ready, ...timed].map((row) => PlaceRow.parse(row))
  }

  return {
    nextDue: (now: number, to: Addressee): StoredSubmission | undefined => {
      const places = targetsOf(to).flatMap((target) => dueFor(target, now))
      const [first] = places.toSorted(byPosition)
      return first === undefined ? undefined : get(first.id)
    },
    nextTime: (to: Addressee): number | undefined => {
      const times = targetsOf(to).flatMap((target) => timeIn(sql.nextTime.get({ target })) ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    },
  }
}

/** Returns the values of the `target` column for an addressee. The column is empty for submissions without an addressee. */
const targetsOf = ({ service, unaddressed }: Addressee): readonly string[] =>
  unaddressed ? [service, ''] : [service]

const timeIn = (row: unknown): number | undefined => (row === undefined ? undefined : Time.parse(row).time)

/** Attempts after which the submission is postponed don't count, because they say nothing about the submission. */
function attemptsAdded(to: DurableState, from: () => StoredSubmission | undefined): number {
  if (to.kind === 'sending') return 1
  return to.kind === 'waiting' && to.unsaved !== undefined ? -(from()?.attempts ?? 0) : 0
}

/** Lets all submissions whose results couldn't be saved be sent again now. */
function retryPostponed(
  timed: readonly StoredSubmission[],
  move: (id: RecordId, from: readonly DurableState['kind'][], to: DurableState) => boolean,
): void {
  for (const { id, state } of timed)
    if (state.kind === 'waiting' && state.unsaved !== undefined)
      move(id, ['waiting'], { ...state, notBefore: null })
}
