import type { Log } from '../../node/log.ts'
import {
  isDamage,
  isInPlace,
  isMissingTable,
  isSearchDamage,
  openDatabase,
  type Database,
  type FileIdentity,
  createFlushLater,
  type FlushLater,
  type OpenWal,
  writeNothing,
} from '../database/index.ts'
import type { HookRules } from './hook-queue.ts'
import { restoreLedger } from './ledger.ts'
import { recordStore, type RecordStore } from './record-store.ts'
import { schema } from './schema.ts'

export type GuardedStore = {
  /** Runs `work`. If the file turns out to be damaged, runs it again with a repaired or a new file. */
  readonly use: <T>(work: (store: RecordStore) => T) => T
  /** Like `use`, but the writes are on disk only after a flush. */
  readonly useLater: <T>(work: (store: RecordStore) => T) => T
  /**
   * Checks that the file can be written, without changing it.
   * @throws if it can't be written
   */
  tryWriting(): void
  flushed(): Promise<void>
  /** New path of a damaged file that was moved aside; null if it was undamaged. */
  setAside(): string | null
  /** Returns false if the file was deleted or moved. */
  isInPlace(): boolean
  close(): void
}

export type GuardedStoreOptions = {
  readonly file: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called when a damaged file was moved aside while in use. */
  readonly onSetAside: (keptAs: string | null) => void
  readonly openWal?: OpenWal | undefined
  /** What follows the end of jobs; absent for nothing. */
  readonly hooks?: HookRules
  readonly log: Log
}

/**
 * Opens a store that recovers from damage whenever it is discovered, because checking the whole history at startup would take too
 * long.
 */
export function openGuardedStore(options: GuardedStoreOptions): GuardedStore {
  const { file, clock, onSetAside, openWal, log } = options
  const open = (damaged?: FileIdentity): Database =>
    openDatabase({
      file,
      schema,
      checkWhole: false,
      keepsLogSmall: true,
      ...(damaged === undefined ? {} : { damaged }),
      clock,
    })
  const flushOf = ({ connection }: Database): FlushLater => createFlushLater(connection, file, openWal)
  let database = open()
  let flush = flushOf(database)
  let store: RecordStore | undefined

  const current = (): RecordStore => (store ??= recordStore(database.connection, options.hooks))

  /** Repairs what can be replaced without losing records: the search index and the ledger. */
  function repaired(error: unknown): boolean {
    try {
      if (isSearchDamage(error)) current().rebuildIndex()
      else if (!isMissingTable(error) || !restoreLedger(database.connection)) return false
      log('history repaired', {})
      return true
    } catch (failed) {
      if (isDamage(failed)) return false
      throw failed
    }
  }

  function replaceDamagedFile(): void {
    flush.close()
    database.connection.close()
    database = open(database.identity)
    flush = flushOf(database)
    store = undefined
    log('history was damaged', { keptAs: database.setAside })
    onSetAside(database.setAside)
  }

  function use<T>(work: (records: RecordStore) => T): T {
    try {
      return work(current())
    } catch (error) {
      if (repaired(error)) return work(current())
      if (!isDamage(error)) throw error
      replaceDamagedFile()
      return work(current())
    }
  }

  return {
    use,
    useLater: (work) => use((records) => flush.write(() => work(records))),
    tryWriting: () => writeNothing(database.connection),
    flushed: () => flush.flushed(),
    setAside: () => database.setAside,
    isInPlace: () => isInPlace(file, database.identity),
    close() {
      flush.close()
      database.connection.close()
    },
  }
}
