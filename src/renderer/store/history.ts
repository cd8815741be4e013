import { effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { HistoryQuery, RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import type { Saved } from '../../shared/model/saved.ts'
import type { RecordId } from '../../shared/model/ids.ts'

export const PAGE_SIZE = 100

/** The loaded part of the history. */
export type HistoryView = {
  /** null before the first response. */
  readonly total: number | null
  /** Loaded pages by number. */
  readonly pages: ReadonlyMap<number, readonly RecordSummary[]>
  /** The query that returned these pages. */
  readonly query: HistoryQuery
  /** History version of the last page loaded; 0 before the first response. */
  readonly version: number
}

export type HistoryPages = {
  readonly view: ReadonlySignal<HistoryView>
  readonly query: ReadonlySignal<HistoryQuery>
  /** What the matching jobs saved; null until it is known. */
  readonly saved: ReadonlySignal<Saved | null>
  ask(query: HistoryQuery): void
  /** Loads the records from `first` to `last` (inclusive) if they are missing or stale. */
  need(first: number, last: number): void
}

/**
 * Caches pages of the history. A new version of the history makes all pages stale. Visible pages are reloaded immediately. Other
 * pages keep their old content until they are visible, so that the list doesn't jump.
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
      const answer = await bridge.history.page({
        query: sendable(asked),
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

  const saved = followSaved(bridge, query, version)

  version.subscribe(() => {
    fresh = new Set()
    fetchNeeded()
  })

  return {
    view,
    query,
    saved,
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

function sendable({ outcomes, ...others }: HistoryQuery) {
  return outcomes === undefined ? others : { ...others, outcomes: [...outcomes] }
}

/** Asks again after each change, but only once at a time, because adding up many jobs takes a while. */
function followSaved(
  bridge: Pick<Bridge, 'history'>,
  query: ReadonlySignal<HistoryQuery>,
  version: ReadonlySignal<number>,
): ReadonlySignal<Saved | null> {
  const saved = signal<Saved | null>(null)
  let askedFor: HistoryQuery | undefined
  let isAsking = false
  let isStale = false

  const ask = async (): Promise<void> => {
    isAsking = true
    isStale = false
    const asked = query.peek()
    try {
      const answer = await bridge.history.saved(sendable(asked))
      if (asked === query.peek()) saved.value = answer
    } catch {
      // Loading the rows fails for the same reason and reports it.
    } finally {
      isAsking = false
      if (isStale) void ask()
    }
  }

  effect(() => {
    void version.value
    // A number about another search would be wrong.
    if (query.value !== askedFor) saved.value = null
    askedFor = query.value
    if (isAsking) isStale = true
    else void ask()
  })
  return saved
}

export type DetailsReading =
  | { readonly kind: 'reading'; readonly id: RecordId }
  | { readonly kind: 'read'; readonly id: RecordId; readonly details: RecordDetails }
  /** The record was removed, or it never existed. */
  | { readonly kind: 'gone'; readonly id: RecordId }

/**
 * Reloads the details in the job pane for each version of the history, and shows the previous details meanwhile.
 * @param revision changes when the details may have changed
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
