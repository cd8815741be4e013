import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { HistoryPage, HistoryQuery } from '../../shared/model/work.ts'
import type { Saved } from '../../shared/model/saved.ts'
import { listedOf, SUMMARY_COLUMNS, SummaryRow } from './record-row.ts'
import { conditionFor, facets } from './search-index.ts'

export type PageRequest = {
  readonly offset: number
  readonly limit: number
  /** Whether to include unfinished records, which the window lists separately. */
  readonly unfinished?: boolean
}

export type FindRecords = (query: HistoryQuery, request: PageRequest) => HistoryPage

/**
 * Selects finished records, each group once: its first part is listed when all parts have ended. The index `records_listed` has the
 * same condition, which must not change.
 */
export const LISTED = 'iif(group_id IS NULL, outcome_kind, group_kind) IS NOT NULL'

/** Selects single records and the first parts of groups, finished or not. */
const LEADING = `(group_id IS NULL OR
  part = (SELECT min(other.part) FROM records AS other WHERE other.group_id = records.group_id))`

const Count = z.object({ total: z.number() })

/** Returns records, newest first. All filters except the time span use the search index, which is already sorted that way. */
export function findRecords(connection: DatabaseSync): FindRecords {
  const indexed = statements(connection, 'search', 'search MATCH :match', 'rowid')
  const over = statements(connection, 'records', `removed_at IS NULL AND ${LISTED}`, 'seq')
  const all = statements(connection, 'records', `removed_at IS NULL AND ${LEADING}`, 'seq')

  return (query, { offset, limit, unfinished = false }) => {
    const match = matchFor(query, unfinished)
    const span = spanOf(query)
    const where = { ...span, ...(match === undefined ? {} : { match }) }
    const { ever, within } = match === undefined ? (unfinished ? all : over) : indexed
    const { count, page } = span === undefined ? ever : within
    const records = page.all({ ...where, offset, limit }).map((row) => listedOf(SummaryRow.parse(row)))
    // A page that isn't full is the last one and determines the total.
    const isLast = records.length < limit && (records.length > 0 || offset === 0)
    const total = isLast ? offset + records.length : Count.parse(count.get(where)).total
    return { records, total, offset }
  }
}

/** What one slice of the matching records saved, and the key below which the next slice starts; undefined after the last. */
export type SavedSlice = { readonly saved: Saved; readonly next: number | undefined }

/** Number of records to add up at once, which takes a few milliseconds. */
const SAVED_AT_ONCE = 2_000

const SavedRow = z.object({
  files: z.number(),
  bytes: z.number(),
  last: z.number().nullable(),
  count: z.number(),
})

/** Adds up what the matching finished records saved, slice by slice, newest first. */
export function savedInRecords(connection: DatabaseSync) {
  const sums = (table: string, condition: string, key: string, measured: string) =>
    connection.prepare(
      `SELECT coalesce(sum(saved_files), 0) AS files, coalesce(sum(saved_bytes), 0) AS bytes,
         min(found.seq) AS last, count(DISTINCT found.seq) AS count
       FROM (SELECT ${key} AS seq FROM ${table} WHERE ${condition} AND ${key} >= :from AND ${key} < :to
         ORDER BY ${key} DESC LIMIT ${SAVED_AT_ONCE}) AS found ${measured}`,
    )
  // The index finds the first part of a group, which stands for all parts.
  const ofAllParts = `JOIN records AS first ON first.seq = found.seq
    LEFT JOIN records AS part ON part.group_id = first.group_id
    LEFT JOIN measured ON measured.seq = coalesce(part.seq, found.seq)`
  const indexed = sums('search', 'search MATCH :match', 'rowid', ofAllParts)
  const over = sums(
    'records',
    'removed_at IS NULL AND outcome_kind IS NOT NULL',
    'seq',
    'LEFT JOIN measured USING (seq)',
  )
  return (query: HistoryQuery, before: number): SavedSlice => {
    const match = matchFor(query, false)
    const { from, to } = spanOf(query) ?? { from: 0, to: Number.MAX_SAFE_INTEGER }
    const span = { from, to: Math.min(to, before) }
    const row = match === undefined ? over.get(span) : indexed.get({ ...span, match })
    const { files, bytes, last, count } = SavedRow.parse(row)
    const next = count < SAVED_AT_ONCE ? undefined : (last ?? undefined)
    return { saved: { files, bytes }, next }
  }
}

/** Prepares queries with and without a time span. Without one, counting the index entries takes half the time. */
function statements(connection: DatabaseSync, table: string, condition: string, key: string) {
  const where = (wanted: string) => ({
    count: connection.prepare(`SELECT count(*) AS total FROM ${table} WHERE ${wanted}`),
    page: connection.prepare(
      `SELECT ${SUMMARY_COLUMNS} FROM records WHERE seq IN
         (SELECT ${key} FROM ${table} WHERE ${wanted} ORDER BY ${key} DESC LIMIT :limit OFFSET :offset)
       ORDER BY seq DESC`,
    ),
  })
  return { ever: where(condition), within: where(`${condition} AND ${key} >= :from AND ${key} < :to`) }
}

/** Returns a range of keys; undefined if the query has no time span. The end is excluded. */
function spanOf({ from, to }: HistoryQuery): { readonly from: number; readonly to: number } | undefined {
  if (from === undefined && to === undefined) return undefined
  return { from: firstKey(from) ?? 0, to: firstKey(to) ?? Number.MAX_SAFE_INTEGER }
}

/** @param time ms since 1970 */
export const firstKey = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : Math.max(0, Math.floor(time)) * 1000

/** Returns the full-text query for the filters; undefined if all records match. */
function matchFor(query: HistoryQuery, unfinished: boolean): string | undefined {
  const text = conditionFor(query.text ?? '')
  const chosen = [
    query.outcomes === undefined ? undefined : anyOf(query.outcomes.map(facets.outcome)),
    query.preset === undefined ? undefined : anyOf([facets.preset(query.preset)]),
    query.kind === undefined ? undefined : anyOf([facets[query.kind]]),
    query.replaced === undefined ? undefined : anyOf([facets.replaced]),
    query.by === undefined ? undefined : anyOf([facets.by(query.by)]),
  ].filter((condition) => condition !== undefined)
  const conditions = text === undefined ? chosen : [text, ...chosen]
  if (conditions.length === 0) return undefined
  const all = conditions.join(' AND ')
  // Records with an outcome are finished. Excluding the few unfinished records takes a third of the time needed to select the many
  // finished ones.
  return unfinished || query.outcomes !== undefined ? all : `(${all}) NOT ${anyOf([facets.open])}`
}

/** An empty list matches nothing. */
const anyOf = (words: readonly string[]): string =>
  `(facets : (${(words.length === 0 ? ['none'] : words).map((word) => `"${word}"`).join(' OR ')}))`
