/** The ledger of processed contents, as the history offers it. */
import { reportWrite, type WriteListener } from '../database/index.ts'
import type { GuardedStore } from './guarded-store.ts'
import type { LedgerRow } from './ledger.ts'
import type { RecordStore } from './record-store.ts'

/** Each method reads or writes a few rows and takes less than a millisecond. */
export type Ledger = {
  /** Returns the rows about the file at this path, including those about its earlier contents. */
  at(path: string): readonly LedgerRow[]
  /** Returns the newest rows about this content, a few of each preset, role and number of variations. */
  of(content: Uint8Array): readonly LedgerRow[]
  /** Returns the first rows of this size whose contents haven't been hashed. */
  pendingOfSize(size: number): readonly LedgerRow[]
  /** Returns the rows about the file with this print, at any path, whose contents haven't been hashed. */
  pendingWith(print: string): readonly LedgerRow[]
  nextPending(after: number): LedgerRow | undefined
  /**
   * Whether the ledger has a content of this size from another path, or from the file at this path with another print. Contents of
   * other sizes can't be equal.
   */
  hasSizeElsewhere(size: number, path: string, print: string): boolean
  /** Stores the content of a row. */
  putContent(row: LedgerRow, content: Uint8Array): void
  /** Removes a row whose file has changed or disappeared before its content was hashed. */
  drop(id: number): void
  cachedContent(path: string, print: string): Uint8Array | undefined
  cacheContent(path: string, print: string, content: Uint8Array): void
}

export function ledgerIn(store: GuardedStore, writes: WriteListener | undefined): Ledger {
  const write = (work: (records: RecordStore) => void): void =>
    reportWrite(writes, () => store.useLater(work))
  return {
    at: (path) => store.use((records) => records.ledgerAt(path)),
    of: (content) => store.use((records) => records.ledgerOf(content)),
    pendingOfSize: (size) => store.use((records) => records.pendingOfSize(size)),
    pendingWith: (print) => store.use((records) => records.pendingWith(print)),
    nextPending: (after) => store.use((records) => records.nextPending(after)),
    hasSizeElsewhere: (...file) => store.use((records) => records.hasSizeElsewhere(...file)),
    putContent: (row, content) => write((records) => records.putContent(row, content)),
    drop: (id) => write((records) => records.dropRow(id)),
    cachedContent: (path, print) => store.use((records) => records.cachedContent(path, print)),
    cacheContent: (path, print, content) => write((records) => records.cacheContent(path, print, content)),
  }
}
