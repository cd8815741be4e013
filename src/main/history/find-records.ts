/** Finds jobs. Each job is found once, as its first part. */
import { setImmediate as breathe } from 'node:timers/promises'
import {
  MOST_COUNTED,
  type HistoryExtent,
  type HistoryPage,
  type HistoryQuery,
} from '../../shared/model/history-page.ts'
import type { Saved } from '../../shared/model/saved.ts'
import { integer, nullable, fragment, type Fragment, selecting } from '../database/index.ts'
import type { HistoryFile } from './history-file.ts'
import { LEADING, replaceLostParts } from './job-summary.ts'
import { totalsIn } from './measured-results.ts'
import { listedOf, SUMMARY } from './read-records.ts'
import { LISTED } from './schema.ts'
import { anyOf, conditionFor, facets } from './search-index.ts'
import type { Tables } from './tables.ts'

export type PageRequest = {
  /** Key of a record. Only older records are returned; absent for all. */
  readonly before?: number | undefined
  /** Number of records to skip. Skipping many takes long, so use `before` to continue. */
  readonly offset?: number
  readonly limit: number
  /** Whether to include unfinished records, which the window lists separately. */
  readonly unfinished?: boolean
}

export const findings = ({ read, change }: HistoryFile) => ({
  page(query: HistoryQuery, request: PageRequest): HistoryPage {
    const { page, isComplete } = read((tables) => pageOf(tables, query, request))
    if (isComplete) return page
    try {
      change(replaceLostParts)
    } catch {
      // The disk may be full. The next search tries again.
      return page
    }
    return read((tables) => pageOf(tables, query, request)).page
  },

  /** Counts all matches, which is slow if there are many. */
  countAll: (query: HistoryQuery): number =>
    read((tables) => countOf(tables, matching(tables, query, { unfinished: true }))),

  extent: (): HistoryExtent =>
    read((tables) => {
      const [first] = tables.records.only('createdAt').indexedBy('listed')
        .where`${LISTED} ORDER BY seq LIMIT 1`
      return { total: countOf(tables, matching(tables, {})), since: first?.createdAt ?? null }
    }),

  /** Returns what the matching finished jobs saved. Without filters, includes deleted jobs. Yields to the event loop after each slice. */
  async saved(query: HistoryQuery): Promise<Saved> {
    if (Object.values(query).every((filter) => filter === undefined)) return read(totalsIn).saved
    let files = 0
    let bytes = 0
    for (let before: number | undefined; ; await breathe()) {
      const slice = read((tables) => savedIn(tables, matching(tables, query, { before })))
      files += slice.files
      bytes += slice.bytes
      if (slice.count < SAVED_AT_ONCE || slice.last === null) return { files, bytes }
      before = slice.last
    }
  },
})

/** `isComplete` is false if the search index has found parts whose records are lost. */
function pageOf(
  tables: Tables,
  query: HistoryQuery,
  { before, offset = 0, limit, unfinished = false }: PageRequest,
) {
  const found = matching(tables, query, { unfinished, before })
  const rows = tables.records.only(...SUMMARY)
    .where`seq IN (${found} LIMIT ${limit} OFFSET ${offset}) ORDER BY seq DESC`
  // A page that isn't full is the last one and determines the total.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0)
  const count = isLast ? offset + rows.length : countOf(tables, found, MOST_COUNTED + 1)
  const page: HistoryPage = {
    records: rows.map(listedOf),
    total: Math.min(count, MOST_COUNTED),
    hasMore: count > MOST_COUNTED,
    last: rows.at(-1)?.seq ?? null,
  }
  return { page, isComplete: !isLast || countOf(tables, found, count + 1) === count }
}

/**
 * Returns the query for the keys of matching jobs, newest first. All filters except the time span use the search index, which is already
 * sorted that way. Without `INDEXED BY`, SQLite reads whole records to check the condition.
 */
function matching(
  tables: Tables,
  query: HistoryQuery,
  { unfinished = false, before }: Pick<PageRequest, 'unfinished' | 'before'> = {},
): Fragment {
  const match = matchFor(query, unfinished, tables)
  const to = Math.min(firstKey(query.to) ?? Number.MAX_SAFE_INTEGER, before ?? Number.MAX_SAFE_INTEGER)
  // The search index uses the limits only if they are integers, but JavaScript's numbers are passed as floating-point numbers.
  const within = [BigInt(firstKey(query.from) ?? Number.MIN_SAFE_INTEGER), BigInt(to)] as const
  if (match !== undefined)
    return fragment`SELECT rowid AS seq FROM search
      WHERE search MATCH ${match} AND rowid >= ${within[0]} AND rowid < ${within[1]} ORDER BY rowid DESC`
  const from = unfinished
    ? fragment`records WHERE removedAt IS NULL AND ${LEADING}`
    : fragment`records INDEXED BY records_listed WHERE ${LISTED}`
  return fragment`SELECT seq FROM ${from} AND seq >= ${within[0]} AND seq < ${within[1]} ORDER BY seq DESC`
}

function countOf({ sql }: Tables, found: Fragment, most = -1): number {
  const [row] = selecting(sql, { total: integer })`SELECT count(*) AS total FROM (${found} LIMIT ${most})`
  return row?.total ?? 0
}

/** Number of jobs to add up in one query, which takes a few milliseconds. */
const SAVED_AT_ONCE = 2_000

/** Adds up what the first `SAVED_AT_ONCE` of these jobs saved, with all their parts. */
function savedIn({ sql }: Tables, found: Fragment) {
  const sums = { files: integer, bytes: integer, last: nullable(integer), count: integer }
  const [row] = selecting(sql, sums)`
    SELECT coalesce(sum(savedFiles), 0) AS files, coalesce(sum(savedBytes), 0) AS bytes,
      min(found.seq) AS last, count(DISTINCT found.seq) AS count
    FROM (${found} LIMIT ${SAVED_AT_ONCE}) AS found
      JOIN records INDEXED BY records_listed ON records.seq = found.seq AND ${LISTED}
      LEFT JOIN measured ON measured.whole = records.whole`
  return row ?? { files: 0, bytes: 0, last: null, count: 0 }
}

/** @param time ms since 1970 */
export const firstKey = (time: number | undefined): number | undefined =>
  time === undefined ? undefined : Math.max(0, Math.floor(time)) * 1000

/** Returns the full-text query for the filters; undefined if all records match. */
function matchFor(query: HistoryQuery, unfinished: boolean, tables: Tables): string | undefined {
  const text = conditionFor(query, tables)
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
