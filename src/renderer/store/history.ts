import { effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { HistoryQuery, RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import type { RecordId } from '../../shared/model/ids.ts'

export const PAGE_SIZE = 100

/** What is known of the history: how long it is, and the pages that were asked for. */
export type HistoryView = {
  /** null before the first answer. */
  readonly total: number | null
  /** By page number; a page that is missing was never needed. */
  readonly pages: ReadonlyMap<number, readonly RecordSummary[]>
  /** The query that this answers. */
  readonly query: HistoryQuery
  /** The version of the history that the last page was read from; 0 before the first answer. */
  readonly version: number
}

export type HistoryPages = {
  readonly view: ReadonlySignal<HistoryView>
  readonly query: ReadonlySignal<HistoryQuery>
  ask(query: HistoryQuery): void
  /** Sees to it that the records from `first` to `last` (inclusive) are there and fresh. */
  need(first: number, last: number): void
}

/**
 * Pages of the history, kept by range. A new version of the history makes all of them stale: those on show are fetched
 * again, the others stay as they are until they come into view, so that nothing jumps.
 */
export function createHistoryPages(
  bridge: Pick<Bridge, 'history'>,
  version: ReadonlySignal<number>,
  failed: (reason: unknown) => void,
): HistoryPages {
  const query = signal<HistoryQuery>({})
  const view = signal<HistoryView>({ total: null, pages: new Map(), query: {}, version: 0 })
  let generation = 0
  let fresh = new Set<number>()
  const fetching = new Set<number>()
  let needed = { first: 0, last: 0 }

  const put = (page: number, records: readonly RecordSummary[], answer: Omit<HistoryView, 'pages'>): void => {
    const { total, query: of } = answer
    const pages = new Map(view.value.query === of ? view.value.pages : [])
    for (const number of pages.keys()) if (number * PAGE_SIZE >= (total ?? 0)) pages.delete(number)
    pages.set(page, records)
    view.value = { ...answer, pages }
  }

  const fetchPage = async (page: number): Promise<void> => {
    const asked = query.value
    const [askedGeneration, askedVersion] = [generation, version.value]
    fetching.add(page)
    try {
      const { outcomes, ...others } = asked
      const answer = await bridge.history.page({
        query: outcomes === undefined ? others : { ...others, outcomes: [...outcomes] },
        offset: page * PAGE_SIZE,
        limit: PAGE_SIZE,
      })
      if (askedGeneration !== generation) return
      if (askedVersion === version.value) fresh.add(page)
      put(page, answer.records, { total: answer.total, query: asked, version: askedVersion })
    } catch (reason) {
      if (askedGeneration === generation) fresh.add(page)
      failed(reason)
    } finally {
      if (askedGeneration === generation) {
        fetching.delete(page)
        fetchNeeded()
      }
    }
  }

  const fetchNeeded = (): void => {
    const last = Math.min(needed.last, (view.value.total ?? 1) - 1)
    for (let page = Math.floor(needed.first / PAGE_SIZE); page * PAGE_SIZE <= Math.max(0, last); page += 1) {
      if (!fresh.has(page) && !fetching.has(page)) void fetchPage(page)
    }
  }

  version.subscribe(() => {
    fresh = new Set()
    fetchNeeded()
  })

  return {
    view,
    query,
    ask(next) {
      generation += 1
      query.value = next
      fresh = new Set()
      fetching.clear()
      needed = { first: 0, last: 0 }
      fetchNeeded()
    },
    need(first, last) {
      needed = { first, last }
      fetchNeeded()
    },
  }
}

export type DetailsReading =
  | { readonly kind: 'reading'; readonly id: RecordId }
  | { readonly kind: 'read'; readonly id: RecordId; readonly details: RecordDetails }
  /** Removed, or never there. */
  | { readonly kind: 'gone'; readonly id: RecordId }

/**
 * Keeps the details of the work in the job pane as fresh as the history: they are read again with each of its versions, and
 * what was read before stays on show meanwhile.
 *
 * @param revision changes whenever the details may have changed
 */
export function followDetails(
  bridge: Pick<Bridge, 'work'>,
  id: ReadonlySignal<RecordId | null>,
  revision: ReadonlySignal<unknown>,
  failed: (reason: unknown) => void,
): ReadonlySignal<DetailsReading | null> {
  const reading = signal<DetailsReading | null>(null)
  let asked = 0

  const read = async (wanted: RecordId): Promise<void> => {
    asked += 1
    const mine = asked
    try {
      const details = await bridge.work.details(wanted)
      if (mine !== asked) return
      reading.value = details === null ? { kind: 'gone', id: wanted } : { kind: 'read', id: wanted, details }
    } catch (reason) {
      if (mine === asked) failed(reason)
    }
  }

  effect(() => {
    const wanted = id.value
    void revision.value
    if (wanted === null) {
      reading.value = null
      return
    }
    if (reading.peek()?.id !== wanted) reading.value = { kind: 'reading', id: wanted }
    void read(wanted)
  })
  return reading
}
