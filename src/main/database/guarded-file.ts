import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../node/log.ts'
import { type DatabaseFileOptions, openDatabaseFile } from './database-file.ts'
import type { FileIdentity } from './database.ts'
import { isDamage } from './errors.ts'

/**
 * Opens a database that recovers from damage whenever a read or write discovers it. Checking a large file at startup would take too long.
 */
export function openGuardedFile<Store>(
  options: Omit<DatabaseFileOptions, 'damaged'> & {
    /** Creates the store that callers use. Must not read anything, because the file may be damaged. */
    readonly storeIn: (connection: DatabaseSync) => Store
    /** Repairs what can be rebuilt from the rest of the file. @returns whether there was such damage */
    readonly repair: (store: Store, error: unknown) => boolean
    /**
     * Called when damage to the file was found while it was in use. Gets the path of the damaged file that was moved aside, or of a copy if
     * only some rows were damaged; null if another file was already at its path.
     */
    readonly onSetAside: (keptAs: string | null) => void
    readonly log: Log
  },
) {
  const { file, storeIn, repair, onSetAside, log } = options
  function open(damaged?: FileIdentity) {
    const database = openDatabaseFile(damaged === undefined ? options : { ...options, damaged })
    return { ...database, store: storeIn(database.connection) }
  }
  let current = open()

  function wasRepaired(error: unknown): boolean {
    try {
      return repair(current.store, error)
    } catch (failed) {
      if (isDamage(failed)) return false
      throw failed
    }
  }

  /** Runs `work`. If the file turns out to be damaged, runs it again with a repaired or a new file. */
  function guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (wasRepaired(error)) {
        log('database repaired', { file })
        return work()
      }
      if (!isDamage(error)) throw error
    }
    current.close()
    current = open(current.identity)
    log('database was damaged', { file, keptAs: current.setAside() })
    onSetAside(current.setAside())
    return work()
  }

  return {
    read: <T>(work: (store: Store) => T): T => guarded(() => work(current.store)),
    write: <T>(work: (store: Store) => T): T => guarded(() => current.write(() => work(current.store))),
    writeLater: <T>(work: (store: Store) => T): T =>
      guarded(() => current.writeLater(() => work(current.store))),
    flushed: () => current.flushed(),
    tryWriting: () => current.tryWriting(),
    setAside: () => current.setAside(),
    identity: () => current.identity,
    isInPlace: () => current.isInPlace(),
    close: () => current.close(),
  }
}
