import { createSortedList } from './sorted-list.ts'
import { byPosition, type Entry, type ListedSubmission, type Place } from './submission-rows.ts'
import { createWaitingLanes, type WaitingLanes } from './waiting-lanes.ts'

/** The rows that have been read, in every order in which they are asked for. */
export type KnownRows = {
  get(id: string): Entry | undefined
  put(entry: Entry): void
  drop(id: string): void
  /** Those between two places, the last one included, are these now; undefined: up to the end. */
  replace(after: Place, upTo: Place | undefined, entries: readonly Entry[]): void
  /** All that were neither removed nor accepted, in the order of sending. */
  unaccepted(): readonly ListedSubmission[]
  readonly lanes: WaitingLanes
}

export function createKnownRows(): KnownRows {
  const byId = new Map<string, Entry>()
  /** Removed and accepted ones too. */
  const all = createSortedList<Place>(byPosition)
  const unaccepted = createSortedList<ListedSubmission>(byPosition)
  const lanes = createWaitingLanes()

  function put(entry: Entry): void {
    const { submission, isRemoved } = entry
    const { id } = submission
    const before = byId.get(id)
    if (before?.submission === submission && before.isRemoved === isRemoved) return
    drop(id)
    byId.set(id, entry)
    all.add(submission)
    if (isRemoved || submission.state.kind === 'accepted') return
    unaccepted.add(submission)
    lanes.add(submission)
  }

  function drop(id: string): void {
    const entry = byId.get(id)
    if (entry === undefined) return
    byId.delete(id)
    all.delete(entry.submission)
    unaccepted.delete(entry.submission)
    lanes.delete(entry.submission)
  }

  return {
    get: (id) => byId.get(id),
    put,
    drop,
    replace(after, upTo, entries) {
      const there = new Set(entries.map(({ submission }) => submission.id))
      for (const { id } of all.between(after, upTo)) if (!there.has(id)) drop(id)
      for (const entry of entries) put(entry)
    },
    unaccepted: () => unaccepted.values(),
    lanes,
  }
}
