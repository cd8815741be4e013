import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../node/log.ts'
import {
  type DatabaseOptions,
  inTransaction,
  isInPlace,
  openDatabase,
  reportWrite,
  type WriteListener,
  writeNothing,
} from './database.ts'
import { isDamage } from './errors.ts'
import { createFlushLater, type OpenWal } from './flush-later.ts'

export type GuardedFileOptions<Store> = Omit<DatabaseOptions, 'damaged'> & {
  /** Returns what callers use. It must not read anything yet, because the file may be damaged. */
  readonly storeIn: (connection: DatabaseSync) => Store
  /** Repairs what can be rebuilt from the rest of the file. @returns whether there was such damage */
  readonly repair: (store: Store, error: unknown) => boolean
  /** Called when a damaged file was moved aside while in use. */
  readonly onSetAside: (keptAs: string | null) => void
  readonly openWal?: OpenWal | undefined
  readonly writes?: WriteListener | undefined
  readonly log: Log
}

/** Opens a database that recovers from damage whenever it is discovered, because checking a large file at startup would take too long. */
export function openGuardedFile<Store>(options: GuardedFileOptions<Store>) {
  const { file, storeIn, repair, onSetAside, openWal, writes, log } = options
  const open = (database = openDatabase(options)) => ({
    ...database,
    store: storeIn(database.connection),
    flush: createFlushLater(database.connection, file, openWal),
  })
  let current = open()

  function close(): void {
    current.flush.close()
    current.connection.close()
  }

  function wasRepaired(error: unknown): boolean {
    try {
      return repair(current.store, error)
    } catch (failed) {
      if (isDamage(failed)) return false
      throw failed
    }
  }

  /** Runs `work`. If the file turns out to be damaged, runs it again with a repaired or a new file. */
  function read<T>(work: (store: Store) => T): T {
    try {
      return work(current.store)
    } catch (error) {
      if (wasRepaired(error)) {
        log('database repaired', { file })
        return work(current.store)
      }
      if (!isDamage(error)) throw error
    }
    close()
    current = open(openDatabase({ ...options, damaged: current.identity }))
    log('database was damaged', { file, keptAs: current.setAside })
    onSetAside(current.setAside)
    return work(current.store)
  }

  const transaction = <T>(work: (store: Store) => T): T =>
    read((store) => inTransaction(current.connection, () => work(store)))

  return {
    read,
    /** Runs `work` in a transaction, which is on disk when this returns. */
    write: <T>(work: (store: Store) => T): T => reportWrite(writes, () => transaction(work)),
    /** Like `write`, but a power failure may revert the transaction until `flushed` has resolved. */
    writeLater: <T>(work: (store: Store) => T): T =>
      reportWrite(writes, () => current.flush.write(() => transaction(work))),
    flushed: () => current.flush.flushed(),
    /**
     * Checks that the file can be written, without changing it.
     * @throws if it can't be written
     */
    tryWriting: () => reportWrite(writes, () => writeNothing(current.connection)),
    /** New path of a damaged file that was moved aside; null if it was undamaged. */
    setAside: () => current.setAside,
    identity: () => current.identity,
    /** Returns false if the file was deleted or moved. New data would then be lost when the app exits. */
    isInPlace: () => isInPlace(file, current.identity),
    close,
  }
}
