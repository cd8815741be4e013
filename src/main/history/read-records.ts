import { serviceIdOf } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PartAt, PartDetails, PartTitle } from '../../shared/model/job.ts'
import type { JobScope } from '../../shared/model/job-sections.ts'
import { draftFromRecords } from './draft-from-record.ts'
import type { HistoryFile } from './history-file.ts'
import { sameJob } from './job-summary.ts'
import { currentPresetName } from './renamed-presets.ts'
import {
  DETAILS,
  END,
  FACTS,
  LISTING,
  NOTHING_MADE,
  pick,
  type StoredDetails,
  type StoredRecord,
  TITLE,
} from './schema.ts'
import type { Tables } from './tables.ts'

/** The columns that a list needs. */
export const SUMMARY = [...TITLE, ...END, ...LISTING] as const
type Summary = Pick<StoredRecord, (typeof SUMMARY)[number]>

export const titleIn = (row: Summary): PartTitle => ({
  ...pick(row, TITLE),
  place: { id: row.whole, part: row.part, ...row.place },
  ...(row.submittedBy === null ? {} : { by: row.submittedBy }),
  ...(row.service === null
    ? {}
    : { service: serviceIdOf({ kind: row.service, baseUrl: row.baseUrl ?? '' }) }),
})

const summaryOf = (row: Summary): PartAt<'history'> => ({ ...titleIn(row), at: 'history', ...pick(row, END) })

/** Returns a record as a page of the history lists it: the first part stands for the whole job. */
export const listedOf = (row: Summary): PartAt<'history'> => ({
  ...summaryOf(row),
  outcome: row.wholeOutcome,
  endedAt: row.wholeEndedAt,
  replaced: row.wholeReplaced,
})

function detailsOf(tables: Tables, row: StoredRecord): PartDetails {
  const { seq: _, facts, ...more } = tables.details.get({ seq: row.seq }) ?? LOST_DETAILS
  return {
    ...summaryOf(row),
    parts: [],
    replacements: [],
    ...pick(row, DETAILS),
    ...more,
    facts: { ...facts, ...pick(row, FACTS) },
  }
}

/** Used instead of the details if their row is lost. */
const LOST_DETAILS: StoredDetails = {
  seq: 0,
  inputs: [],
  forecast: null,
  resultBytes: null,
  ...NOTHING_MADE,
}

/** Drops the fields of a record that aren't part of its title. */
export const titleOf = (record: PartTitle): PartTitle => ({
  ...pick(record, [...TITLE, 'place']),
  ...('by' in record ? pick(record, ['by']) : {}),
  ...('service' in record ? pick(record, ['service']) : {}),
})

export function reads({ read }: HistoryFile) {
  const wholeJob = (id: RecordId, scope: JobScope = 'job'): readonly RecordId[] =>
    read((tables) => wholeJobOf(tables, id, scope))

  return {
    /** Returns a record without its files, which takes much less time if there are thousands. */
    summary: (id: RecordId): (PartAt<'history'> & { readonly jobId: string | null }) | undefined =>
      read(({ records }) => {
        const row = records.only(...SUMMARY, 'jobId').get({ id, removedAt: null })
        return row && { ...summaryOf(row), jobId: row.jobId }
      }),
    details: (id: RecordId): PartDetails | undefined => read((tables) => readDetails(tables, id)),
    /**
     * Like `details`, but also finds a job by its ID if the record of its first part was deleted. In that case, returns its first remaining
     * part.
     */
    jobDetails: (id: RecordId): PartDetails | undefined =>
      read(
        (tables) => readDetails(tables, id) ?? readDetails(tables, wholeJobOf(tables, id, 'job').at(0) ?? id),
      ),
    /** Returns up to `limit` records older than the key `before`, newest first, and the key to continue with. */
    detailsBefore: (before: number, limit: number) =>
      read((tables) => {
        const rows = tables.records
          .where`seq < ${before} AND removedAt IS NULL ORDER BY seq DESC LIMIT ${limit}`
        return { records: rows.map((row) => detailsOf(tables, row)), next: rows.at(-1)?.seq }
      }),
    /** Returns records with this output folder that have ended since a time in ms since 1970, including removed ones. */
    endedInto: (folder: string, since: number): readonly PartDetails[] =>
      read((tables) =>
        tables.records.where`output ->> 'path' = ${folder} AND endedAt >= ${since}`.map((row) =>
          detailsOf(tables, row),
        ),
      ),
    /** Returns records with files from watched folders that have ended since a time in ms since 1970, including removed ones. */
    endedWatched: (since: number): readonly PartDetails[] =>
      read((tables) =>
        tables.records.where`watched IS NOT NULL AND endedAt >= ${since}`.map((row) =>
          detailsOf(tables, row),
        ),
      ),
    has: (id: RecordId): boolean => read(({ records }) => records.has({ id })),
    /**
     * Returns the IDs of all parts of the given part's job, in order. With a smaller scope, returns only the parts in that scope. Returns
     * only the given ID if it isn't found.
     */
    wholeJob,
    /**
     * Creates a draft from the parts of a job, with all of their files or only the failed ones. Uses the current names of the presets.
     * @param scope which parts of the job; by default all
     */
    draftFrom: (id: RecordId, which: 'all' | 'failed', scope: JobScope = 'job'): Draft | undefined =>
      read((tables) => {
        const parts = wholeJobOf(tables, id, scope).flatMap((part) => readDetails(tables, part) ?? [])
        return draftFromRecords(
          parts.map((record) => ({ ...record, preset: currentPresetName(tables, record.id) })),
          which,
        )
      }),
    unseenCount: (): number =>
      read(({ records }) => records.only('seq').where`removedAt IS NULL AND unseen = 1`.length),
  }
}

function readDetails(tables: Tables, id: RecordId): PartDetails | undefined {
  const row = tables.records.get({ id, removedAt: null })
  if (row === undefined) return undefined
  const record = detailsOf(tables, row)
  if (row.place.parts === 1) return record
  const { whole } = row
  const isFirst =
    tables.records.only('seq').where`whole = ${whole} AND removedAt IS NULL AND part < ${row.part} LIMIT 1`
      .length === 0
  if (!isFirst) return record
  const parts = tables.records.only(...SUMMARY).where`whole = ${whole} AND removedAt IS NULL ORDER BY part`
  return { ...record, parts: parts.map(summaryOf) }
}

function wholeJobOf({ records }: Tables, id: RecordId, scope: JobScope): readonly RecordId[] {
  if (scope === 'part') return [id]
  const parts = records.only('id', 'preset').where`${sameJob(id)} AND removedAt IS NULL ORDER BY part`
  if (parts.length === 0) return [id]
  const preset = parts.find((part) => part.id === id)?.preset
  return parts.filter((part) => scope === 'job' || part.preset === preset).map((part) => part.id)
}
