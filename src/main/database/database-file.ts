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
  /** How the write-ahead log is flushed to disk; by default with `fdatasync`. */
  readonly openWal?: OpenWal | undefined
  readonly writes?: WriteListener | undefined
  /** Called with the path of a copy after damaged rows of the open file have been repaired or removed. */
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
     * Returns the path of the damaged file that was moved aside, or of a copy if only its log or some rows were damaged; null if there was
     * no damage.
     */
    setAside: () => setAside,
    /** Runs `work` in a transaction, which is on disk when this returns. */
    write,
    /** Like `write`, but a power failure may revert the transaction until `flushed` has resolved. */
    writeLater: <T>(work: () => T): T => flush.write(() => write(work)),
    /** Resolves when everything written so far is on disk. */
    flushed: () => flush.flushed(),
    /** Rewrites the schema version to check that the file is writable. @throws the database's error if it isn't */
    tryWriting: () => reportWrite(writes, () => writeNothing(connection)),
    /** Returns false if the file was deleted or moved. Later changes would then be lost when the app exits. */
    isInPlace: () => isInPlace(file, identity),
    close: (): void => {
      flush.close()
      connection.close()
    },
  }
}
