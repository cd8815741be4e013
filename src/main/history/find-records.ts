import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import {
  MOST_COUNTED,
  type HistoryExtent,
  type HistoryPage,
  type HistoryQuery,
} from '../../shared/model/work.ts'
import type { Saved } from '../../shared/model/saved.ts'
import { listedOf, SUMMARY_COLUMNS, SummaryRow } from './record-row.ts'
import { conditionFor, facets } from './search-index.ts'
import { searchTerms, type SearchTerms } from './search-terms.ts'

export type PageRequest = {
  /** Only records older than the one with this key; absent for all. */
  readonly before?: number | undefined
  /** Number of records to skip. Skipping many takes long, so use `before` to read on. */
  readonly offset?: number
  readonly limit: number
  /** Whether to include unfinished records, which the window lists separately. */
  readonly unfinished?: boolean
}

/**
 * Selects finished records, each group once: its first part is listed when all parts have ended. The index `records_listed` has the
 * same condition, which must not change.
 */
export const LISTED = 'iif(group_id IS NULL, outcome_kind, group_kind) IS NOT NULL'

/** Selects single records and the first parts of groups, finished or not. */
const LEADING = `(group_id IS NULL OR
  part = (SELECT min(other.part) FROM records AS other WHERE other.group_id = records.group_id))`

/** Without the hint, SQLite reads whole records to check the condition. */
const OVER = 'records INDEXED BY records_listed'

const Count = z.object({ total: z.number() })
const Oldest = z.object({ created_at: z.number() })

/** Finds records, newest first. All filters except the time span use the search index, which is already sorted that way. */
export function findRecords(connection: DatabaseSync) {
  const terms = searchTerms(connection)
  const indexed = statements(connection, 'search', 'search MATCH :match', 'rowid')
  const over = statements(connection, OVER, `removed_at IS NULL AND ${LISTED}`, 'seq')
  const all = statements(connection, 'records', `removed_at IS NULL AND ${LEADING}`, 'seq')
  const oldest = connection.prepare(
    `SELECT created_at FROM ${OVER} WHERE removed_at IS NULL AND ${LISTED} ORDER BY seq LIMIT 1`,
  )

  function search(query: HistoryQuery, unfinished: boolean, before?: number) {
    const match = matchFor(query, unfinished, terms)
    const { from, to } = spanOf(query)
    const where = { from, to: Math.min(to, before ?? to), ...(match === undefined ? {} : { match }) }
    return { where, sql: match === undefined ? (unfinished ? all : over) : indexed }
  }
  const countOf = (query: HistoryQuery, unfinished: boolean): number => {
    const { where, sql } = search(query, unfinished)
    return Count.parse(sql.count.get({ ...where, most: -1 })).total
  }

  return {
    find(query: HistoryQuery, { before, offset = 0, limit, unfinished = false }: PageRequest): HistoryPage {
      const { where, sql } = search(query, unfinished, before)
      const rows = sql.page.all({ ...where, offset, limit }).map((row) => SummaryRow.parse(row))
      // A page that isn't full is the last one and determines the total.
      const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
      const count = isLast
        ? offset + rows.length
        : Count.parse(sql.count.get({ ...where, most: MOST_COUNTED + 1 })).total
      return {
        records: rows.map(listedOf),
        total: Math.min(count, MOST_COUNTED),
        hasMore: count > MOST_COUNTED,
        last: rows.at(-1)?.seq ?? null,
      }
    },

    /** Counts all matches, which takes long if there are many. */
    countAll: (query: HistoryQuery): number => countOf(query, true),

    extent(): HistoryExtent {
      const first = oldest.get()
      return { total: countOf({}, false), since: first === undefined ? null : Oldest.parse(first).created_at }
    },
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
  const terms = searchTerms(connection)
  const sums = (table: string, condition: string, key: string, measured: string) =>
    connection.prepare(
      `SELECT coalesce(sum(saved_files), 0) AS files, coalesce(sum(saved_bytes), 0) AS bytes,
         min(found.seq) AS last, count(DISTINCT found.seq) AS count
       FROM (SELECT ${key} AS seq FROM ${table} WHERE ${condition} AND ${within(key)}
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
    const match = matchFor(query, false, terms)
    const { from, to } = spanOf(query)
    const span = { from, to: Math.min(to, before) }
    const row = match === undefined ? over.get(span) : indexed.get({ ...span, match })
    const { files, bytes, last, count } = SavedRow.parse(row)
    const next = count < SAVED_AT_ONCE ? undefined : (last ?? undefined)
    return { saved: { files, bytes }, next }
  }
}

/** The search index uses the limits only if they are integers, but JavaScript's numbers are passed as floating-point numbers. */
const within = (key: string): string => `${key} >= CAST(:from AS INTEGER) AND ${key} < CAST(:to AS INTEGER)`

function statements(connection: DatabaseSync, table: string, condition: string, key: string) {
  const found = `FROM ${table} WHERE ${condition} AND ${within(key)} ORDER BY ${key} DESC`
  return {
    count: connection.prepare(`SELECT count(*) AS total FROM (SELECT 1 ${found} LIMIT :most)`),
    page: connection.prepare(
      `SELECT ${SUMMARY_COLUMNS} FROM records WHERE seq IN (SELECT ${key} ${found} LIMIT :limit OFFSET :offset)
       ORDER BY seq DESC`,
    ),
  }
}

/** Returns the range of keys. The end is excluded. */
const spanOf = ({ from, to }: HistoryQuery): { readonly from: number; readonly to: number } => ({
  from: firstKey(from) ?? Number.MIN_SAFE_INTEGER,
  to: firstKey(to) ?? Number.MAX_SAFE_INTEGER,
})

/** @param time ms since 1970 */
export const firstKey = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : Math.max(0, Math.floor(time)) * 1000

/** Returns the full-text query for the filters; undefined if all records match. */
function matchFor(query: HistoryQuery, unfinished: boolean, terms: SearchTerms): string | undefined {
  const text = conditionFor(query.text ?? '', terms)
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
