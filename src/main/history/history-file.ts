import type { Log } from '../../node/log.ts'
import {
  type DatabaseFileOptions,
  inTransaction,
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
  /** Called after changes to the records that the history lists. Not called for new submissions and updates of unfinished jobs. */
  readonly onChange?: () => void
  /**
   * Called when damage was found while the file was in use. Gets the path of the damaged file that was moved aside, or of a copy if only
   * some rows were damaged.
   */
  readonly onSetAside?: (keptAs: string) => void
  readonly log: Log
}

export type HistoryFile = ReturnType<typeof openHistoryFile>

export function openHistoryFile({ onChange, onSetAside, ...options }: HistoryFileOptions) {
  let version = 1
  const file = openGuardedFile({
    ...options,
    schema: SCHEMA,
    collectable: [Ledger.name, ContentHashes.name],
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
    /** Like `write`, but also increases the version. For changes to records. */
    record: <T>(work: (tables: Tables) => T): T => recorded(file.write(work)),
    recordLater: <T>(work: (tables: Tables) => T): T => recorded(file.writeLater(work)),
    /** Like `record`, but also calls `onChange`. Does neither if `work` returns false or 0 because nothing has changed. */
    change: <T>(work: (tables: Tables) => T): T => {
      const result = file.write(work)
      if (result !== false && result !== 0) listChanged()
      return result
    },
  }
}

/** Rebuilds the search index if it is damaged. */
function repair(tables: Tables, error: unknown): boolean {
  if (!isSearchDamage(error)) return false
  inTransaction(tables.connection, () => rebuildIndex(tables))
  return true
}
