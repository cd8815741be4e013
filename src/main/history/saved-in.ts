import { setImmediate as breathe } from 'node:timers/promises'
import type { Saved } from '../../shared/model/saved.ts'
import type { HistoryQuery } from '../../shared/model/work.ts'
import type { GuardedStore } from './guarded-store.ts'

/** Adds up what the matching finished records saved. Yields to the event loop after each slice. */
export async function savedIn(store: GuardedStore, query: HistoryQuery): Promise<Saved> {
  if (Object.values(query).every((filter) => filter === undefined))
    return store.use((records) => records.totals().saved)
  let files = 0
  let bytes = 0
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; await breathe()) {
    const from: number = before
    const { saved, next } = store.use((records) => records.savedIn(query, from))
    files += saved.files
    bytes += saved.bytes
    before = next
  }
  return { files, bytes }
}
