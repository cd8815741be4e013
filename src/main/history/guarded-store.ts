import {
  isDamage,
  isInPlace,
  isSearchDamage,
  openDatabase,
  type Database,
  type FileIdentity,
  createFlushLater,
  type FlushLater,
  type OpenWal,
} from '../database/index.ts'
import { recordStore, type RecordStore } from './record-store.ts'
import { migrations } from './schema.ts'

export type GuardedStore = {
  /** Does it once more where damage came to light, on a new search index or in a new file. */
  readonly use: <T>(work: (store: RecordStore) => T) => T
  /** As `use`, for writes that are on the disk when they are flushed. */
  readonly useLater: <T>(work: (store: RecordStore) => T) => T
  flushed(): Promise<void>
  /** Where a damaged file was put; null if all was well. */
  setAside(): string | null
  /** False where its file was deleted or moved. */
  isInPlace(): boolean
  close(): void
}

export type GuardedStoreOptions = {
  readonly file: string
  /** ms since 1970. */
  readonly clock: () => number
  /** A damaged file was set aside while it was in use. */
  readonly onSetAside: (keptAs: string | null) => void
  readonly openWal?: OpenWal | undefined
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

/** A file as large as a history is not read through when it is opened, so damage may come to light at any time. */
export function openGuardedStore(options: GuardedStoreOptions): GuardedStore {
  const { file, clock, onSetAside, openWal, log } = options
  const open = (damaged?: FileIdentity): Database =>
    openDatabase({
      file,
      migrations,
      synchronous: 'full',
      checkWhole: false,
      ...(damaged === undefined ? {} : { damaged }),
      clock,
    })
  const flushOf = ({ connection }: Database): FlushLater => createFlushLater(connection, file, openWal)
  let database = open()
  let flush = flushOf(database)
  let store: RecordStore | undefined

  const current = (): RecordStore => (store ??= recordStore(database.connection))

  function rebuilt(): boolean {
    try {
      current().rebuildIndex()
      log('search index made anew', {})
      return true
    } catch (error) {
      if (isDamage(error)) return false
      throw error
    }
  }

  function startAnew(): void {
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
      if (isSearchDamage(error) && rebuilt()) return work(current())
      if (!isDamage(error)) throw error
      startAnew()
      return work(current())
    }
  }

  return {
    use,
    useLater: (work) => use((records) => flush.write(() => work(records))),
    flushed: () => flush.flushed(),
    setAside: () => database.setAside,
    isInPlace: () => isInPlace(file, database.identity),
    close() {
      flush.close()
      database.connection.close()
    },
  }
}
