import {
  copyAside,
  type DatabaseOptions,
  inTransaction,
  isInPlace,
  openDatabase,
  reportWrite,
  type WriteListener,
  writeNothing,
} from './database.ts'
import { onUnreadable } from './unreadable-rows.ts'
import { createFlushLater, type OpenWal } from './flush-later.ts'

export type DatabaseFileOptions = DatabaseOptions & {
  /** How writes are flushed to disk; by default with the system's fsync. */
  readonly openWal?: OpenWal | undefined
  readonly writes?: WriteListener | undefined
  /** Called with the path of a copy after damaged rows have been removed from the open file. */
  readonly onSetAside?: ((keptAs: string) => void) | undefined
}

export type DatabaseFile = ReturnType<typeof openDatabaseFile>

/** Opens a database. @throws see `openDatabase` */
export function openDatabaseFile(options: DatabaseFileOptions) {
  const { file, openWal, writes, clock, onSetAside } = options
  const database = openDatabase(options)
  const { connection, identity } = database
  const flush = createFlushLater(connection, file, openWal)
  let { setAside } = database
  onUnreadable(connection, (remove) => {
    // Copy the file only once, because the first copy has all damaged rows.
    const keptAs = setAside === null ? copyAside(file, clock()) : null
    setAside ??= keptAs
    remove()
    if (keptAs !== null) onSetAside?.(keptAs)
  })
  const write = <T>(work: () => T): T => reportWrite(writes, () => inTransaction(connection, work))
  return {
    connection,
    identity,
    /**
     * Returns the path of the damaged file that was moved aside, or of a copy if only some rows were damaged; null if there was no damage.
     */
    setAside: () => setAside,
    /** Runs `work` in a transaction, which is on disk when this returns. */
    write,
    /** Like `write`, but a power failure may revert the transaction until `flushed` has resolved. */
    writeLater: <T>(work: () => T): T => flush.write(() => write(work)),
    /** Resolves when everything written so far is on disk. */
    flushed: () => flush.flushed(),
    /**
     * Checks that the file is writable by writing without changing anything.
     * @throws if it can't be written
     */
    tryWriting: () => reportWrite(writes, () => writeNothing(connection)),
    /** Returns false if the file was deleted or moved. Later changes would then be lost when the app exits. */
    isInPlace: () => isInPlace(file, identity),
    close: (): void => {
      flush.close()
      connection.close()
    },
  }
}
