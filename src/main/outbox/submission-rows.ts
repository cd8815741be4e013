import { asRecordId } from '../../shared/model/ids.ts'
import type { PartTitle } from '../../shared/model/job.ts'
import {
  flag,
  integer,
  json,
  nullable,
  fragment,
  real,
  type RowOf,
  serial,
  table,
  text,
  textAs,
} from '../database/index.ts'
import { PlannedSubmission, titleOf } from './planned-submission.ts'
import { DurableState } from './submission-state.ts'

/** Identifies the submissions that may be sent, by their service. */
export type Addressee = {
  readonly service: string
  /** Whether submissions without an addressee are included. */
  readonly unaddressed: boolean
}

/** Whether a service may handle a submission. After an attempt, only the service that received it knows its outcome. */
export function isFor(
  { service, unaddressed }: Addressee,
  { title, state }: Pick<Submission, 'title' | 'state'>,
): boolean {
  if (state.kind === 'sending' || state.kind === 'unknown') return state.attempt.service === service
  return title.service === undefined ? unaddressed : title.service === service
}

/** Batches that are written in slices. */
export const Starts = table('starts', { id: serial, isComplete: flag, lastPosition: real }, { key: ['id'] })

/** Selects rows of complete batches, and rows written in a single transaction. */
export const SHOWN = fragment`(start IS NULL OR EXISTS (SELECT 1 FROM starts WHERE starts.id = start AND isComplete = 1))`

/** Selects submissions that may be sent once they are due. */
export const FREE = fragment`kind = 'waiting' AND isEdited = 0 AND removedAt IS NULL`

/** Selects submissions that are being sent, may have been sent, or were accepted. */
export const ATTEMPTED = fragment`kind IN ('sending', 'unknown', 'accepted')`

/** `target` is empty for submissions without an addressee. Times are in ms since 1970. */
export const Submissions = table(
  'submissions',
  {
    id: textAs(asRecordId),
    position: real,
    createdAt: integer,
    removedAt: nullable(integer),
    attempts: integer,
    kind: text,
    notBefore: nullable(integer),
    isEdited: flag,
    plan: json(PlannedSubmission),
    state: json(DurableState),
    start: nullable(integer),
    target: text,
    /** The job that the submission is a part of; null if the submission is a whole job. */
    job: nullable(textAs(asRecordId)),
  },
  {
    key: ['id'],
    also: ['FOREIGN KEY (start) REFERENCES starts (id)'],
    // `order`, `ready`, `timed` and `times` contain all columns that their queries use, so that SQLite needn't read the rows.
    indexes: {
      edited: '(id) WHERE isEdited = 1',
      removed: '(id) WHERE removedAt IS NOT NULL',
      start: '(start) WHERE start IS NOT NULL',
      attempted: `(kind, position) WHERE ${ATTEMPTED.sql}`,
      order: '(position, id, start, removedAt)',
      ready: `(target, position, id, start, kind, isEdited, removedAt, notBefore) WHERE ${FREE.sql} AND notBefore IS NULL`,
      timed: `(target, position, id, start, notBefore, kind, isEdited, removedAt) WHERE ${FREE.sql} AND notBefore IS NOT NULL`,
      times: `(target, notBefore, start, kind, isEdited, removedAt) WHERE ${FREE.sql} AND notBefore IS NOT NULL`,
      job: '(job, position) WHERE job IS NOT NULL',
    },
  },
)

/** Idempotency keys of callers. */
export const Keys = table('keys', { key: text }, { key: ['key'] })

/** The columns of a submission. The other columns repeat parts of these for queries, except `removedAt` and `start`. */
export const STORED = ['id', 'createdAt', 'position', 'attempts', 'state', 'plan'] as const

type Row = Pick<RowOf<typeof Submissions>, (typeof STORED)[number]>

/** One part of a job in the outbox: its row, and its title. */
export type Submission = Row & { readonly title: PartTitle }

export const submissionOf = (row: Row): Submission => ({
  ...row,
  title: titleOf(row.id, row.plan, row.createdAt),
})

export type Place = Pick<Submission, 'position' | 'id'>

/** A position before all submissions. */
export const START: Place = { position: -Infinity, id: asRecordId('') }

/** Compares by sending order. */
export const byPosition = (one: Place, other: Place): number =>
  one.position - other.position || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** Whether only the user can decide what happens to the submission. */
export const needsUser = ({ state }: Pick<Submission, 'state'>): boolean =>
  state.kind === 'refused' || (state.kind === 'unknown' && state.leftToUser)
