import type { DatabaseSync } from 'node:sqlite'
import { changing, preparing, rowsOf } from '../database/index.ts'
import {
  ContentHashes,
  Details,
  EndedJobs,
  Hooks,
  Ledger,
  Measured,
  Records,
  Refusals,
  RenamedPresets,
  SearchTerms,
  Totals,
  Unmeasured,
} from './schema.ts'

export type Tables = ReturnType<typeof tablesIn>

/** Returns the tables of a file, with statements that are prepared once. Reads nothing, because the file may be damaged. */
export const tablesIn = (connection: DatabaseSync, sql = preparing(connection)) => ({
  connection,
  sql,
  records: rowsOf(connection, Records),
  details: rowsOf(connection, Details),
  hooks: rowsOf(connection, Hooks),
  unmeasured: rowsOf(connection, Unmeasured),
  measured: rowsOf(connection, Measured),
  totals: rowsOf(connection, Totals),
  endedJobs: rowsOf(connection, EndedJobs),
  ledger: rowsOf(connection, Ledger),
  contentHashes: rowsOf(connection, ContentHashes),
  refusals: rowsOf(connection, Refusals),
  renamedPresets: rowsOf(connection, RenamedPresets),
  searchTerms: rowsOf(connection, SearchTerms),
  change: changing(connection),
})
