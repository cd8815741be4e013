import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { createSubmissionLine, type SubmissionLineDeps } from './submission-line.ts'
import {
  hashOf,
  isShown,
  prepareStatements,
  Row,
  submissionIn,
  type Addressee,
  type StoredSubmission,
} from './submission-rows.ts'
import { writeState, type DurableState } from './submission-state.ts'

const Ends = z.object({ first: z.number().nullable(), last: z.number() })
const Position = z.object({ position: z.number().nullable() })

const Id = z.object({ id: z.string() })
const StartRow = z.object({ id: z.number(), holder: z.string() })

/** One start that is written in slices. */
export type StartId = number

/** The rows of the outbox. Each change is one statement; what has to happen together is put together by the outbox. */
export type SubmissionTable = ReturnType<typeof submissionTable>

export function submissionTable(connection: DatabaseSync, reading: Omit<SubmissionLineDeps, 'sql'>) {
  const sql = prepareStatements(connection)
  const line = createSubmissionLine({ sql, ...reading })

  /** @returns whether the statement has changed this row */
  function changed(id: RecordId, { changes }: { changes: number | bigint }): boolean {
    if (changes === 0) return false
    line.reread(id)
    return true
  }

  const inState = (...kinds: readonly DurableState['kind'][]): readonly StoredSubmission[] =>
    sql.ofKind.all(JSON.stringify(kinds)).map(wholeOf)

  const whole = (id: RecordId): StoredSubmission | undefined =>
    sql.get.all(id).filter(isThere).map(wholeOf)[0]

  const ends = () => Ends.parse(sql.ends.get())

  return {
    /** What was written may have been taken back: everything is read again when it is asked for. */
    reread: () => line.distrust(),

    /** @param start it is seen only once this start is complete; null: at once */
    insert({ plan, ...submission }: StoredSubmission, start: StartId | null): void {
      const { id, title, position, state } = submission
      const notBefore = state.kind === 'waiting' ? state.notBefore : null
      const texts = { plan: JSON.stringify(plan), state: writeState(state) }
      sql.insert.run(id, position, title.createdAt, notBefore, texts.plan, texts.state, start)
      if (start === null) line.add({ submission, isRemoved: false, planHash: hashOf(texts.plan) })
    },

    /** @param last the position of its last submission, which no other will get */
    beginStart: (holder: string, last: number): StartId =>
      Number(sql.beginStart.run(holder, last).lastInsertRowid),
    /** All of its submissions are seen from now on. @param from the position of its first one */
    completeStart(id: StartId, from: number): void {
      if (sql.completeStart.run(id).changes !== 1)
        throw new Error('A start that was being written was swept.')
      line.unread(from)
    },
    incompleteStarts: () => sql.incompleteStarts.all().map((row) => StartRow.parse(row)),
    /** @returns whether anything may be left of it */
    dropSomeOf(id: StartId, limit: number): boolean {
      if (sql.dropSomeOf.run(id, limit).changes !== 0) return true
      sql.dropStart.run(id)
      return false
    },

    get: line.get,
    whole,
    list: line.unaccepted,
    listSoFar: line.unacceptedSoFar,
    isListWhole: line.isWhole,
    pages: line.pages,
    accepted: () => inState('accepted'),
    unresolved: () => inState('sending', 'unknown'),
    held: () => sql.held.all().map(wholeOf),
    due(now: number, to: Addressee | undefined): StoredSubmission | undefined {
      const first = line.due(now, to)
      return first === undefined ? undefined : whole(first.id)
    },
    nextTime: line.nextTime,

    /** Replaces a state if it is one of `from` and the submission is still wanted. */
    move(id: RecordId, from: readonly DurableState['kind'][], to: DurableState): boolean {
      const { notBefore, heldBy } = to.kind === 'waiting' ? to : { notBefore: null, heldBy: null }
      return changed(
        id,
        sql.move.run({
          id,
          from: JSON.stringify(from),
          kind: to.kind,
          notBefore,
          held: heldBy === null ? 0 : 1,
          begun: to.kind === 'sending' ? 1 : 0,
          state: writeState(to),
        }),
      )
    },
    moveToFront: (id: RecordId) => changed(id, sql.reposition.run((ends().first ?? 0) - 1, id)),

    /** Where the nth of `count` new ones goes: to the end, or into the position of the one they replace. */
    positionsFor(replacing: RecordId | undefined, count: number): (n: number) => number {
      const replaced = replacing === undefined ? undefined : line.get(replacing)
      if (replaced === undefined) {
        const { last } = ends()
        return (n) => last + 1 + n
      }
      const { position } = replaced
      const next = Position.parse(sql.after.get(position)).position
      const step = ((next ?? position + count + 1) - position) / (count + 1)
      return (n) => position + step * n
    },

    deleteReplaced: (id: RecordId) => changed(id, sql.replace.run(id)),
    renamePreset(from: string, to: string, { service, unaddressed }: Addressee): void {
      sql.renamePreset.run({ from, to, service, unaddressed: unaddressed ? 1 : 0 })
      line.distrust()
    },
    remove: (id: RecordId, now: number) => changed(id, sql.remove.run(now, id)),
    restore: (id: RecordId) => changed(id, sql.restore.run(id)),
    removed: () => sql.removed.all().map((row) => asRecordId(Id.parse(row).id)),
    /** It is gone for good, unless it was put back meanwhile. */
    purge: (id: RecordId) => void changed(id, sql.purge.run(id)),
    purgeStarts: () => void sql.purgeStarts.run(),
    forgetAccepted: (id: RecordId) => void changed(id, sql.forget.run(id)),

    addKey: (key: string) => sql.addKey.run(key).changes === 1,
    /** A row of its own, which is gone at once. */
    writeNothing(): void {
      sql.addKey.run('')
      sql.forgetKey.run('')
    },
    hasKey: (key: string) => sql.hasKey.get(key) !== undefined,
    forgetKey: (key: string) => void sql.forgetKey.run(key),
  }
}

function isThere(found: unknown): boolean {
  const row = Row.parse(found)
  return row.removed_at === null && isShown(row)
}

const wholeOf = (row: unknown): StoredSubmission => submissionIn(Row.parse(row))
