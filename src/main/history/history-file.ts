import type { Log } from '../../node/log.ts'
import {
  type DatabaseFileOptions,
  inTransaction,
  isMissingTable,
  isSearchDamage,
  openGuardedFile,
} from '../database/index.ts'
import { ContentHashes, Ledger, SCHEMA } from './schema.ts'
import { rebuildIndex } from './search-index.ts'
import { tablesIn, type Tables } from './tables.ts'

export type HistoryFileOptions = Pick<
  DatabaseFileOptions,
  'file' | 'clock' | 'writes' | 'openWal' | 'keepsLogSmall'
> & {
  /** Called when a list of records changes for any reason other than a job update. */
  readonly onChange?: () => void
  /** Called when a damaged file was moved aside while in use. New records go to a new file. */
  readonly onSetAside?: (keptAs: string) => void
  readonly log: Log
}

export type HistoryFile = ReturnType<typeof openHistoryFile>

export function openHistoryFile({ onChange, onSetAside, ...options }: HistoryFileOptions) {
  let version = 1
  const file = openGuardedFile({
    ...options,
    schema: SCHEMA,
    checkWhole: false,
    storeIn: (connection) => tablesIn(connection),
    repair,
    onSetAside(keptAs) {
      listChanged()
      if (keptAs !== null) onSetAside?.(keptAs)
    },
  })

  function listChanged(): void {
    version += 1
    onChange?.()
  }

  function recorded<T>(result: T): T {
    version += 1
    return result
  }

  return {
    ...file,
    /** Increases with every change that affects a page or a record. */
    version: () => version,
    /** Like `write`, for changes of records, which increase the version. */
    record: <T>(work: (tables: Tables) => T): T => recorded(file.write(work)),
    recordLater: <T>(work: (tables: Tables) => T): T => recorded(file.writeLater(work)),
    /** Like `record`, but also calls `onChange`. If nothing has changed, `work` returns false or 0. */
    change: <T>(work: (tables: Tables) => T): T => {
      const result = file.write(work)
      if (result !== false && result !== 0) listChanged()
      return result
    },
  }
}

/** Repairs what can be replaced without losing records: the search index and the ledger. */
function repair(tables: Tables, error: unknown): boolean {
  if (!isSearchDamage(error)) return isMissingTable(error) && restoreLedger(tables)
  inTransaction(tables.connection, () => rebuildIndex(tables))
  return true
}

/** Creates the ledger's tables if the file has lost them. @returns whether any was missing */
function restoreLedger({ connection, sql }: Tables): boolean {
  const missing = [Ledger, ContentHashes].filter(
    ({ name }) => sql('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) === undefined,
  )
  for (const table of missing) connection.exec(table.sql)
  return missing.length > 0
}
