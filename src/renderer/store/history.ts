import { effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { HistoryPage, HistoryQuery } from '../../shared/model/history-page.ts'
import type { PartAt, PartDetails } from '../../shared/model/job.ts'
import type { Saved } from '../../shared/model/saved.ts'
import type { RecordId } from '../../shared/model/ids.ts'

export const PAGE_SIZE = 100

/** The loaded part of the history. */
export type HistoryView = {
  /** Length of the list; null before the first response. */
  readonly total: number | null
  /** Whether there may be more records. If so, the list gets longer as pages near its end are loaded. */
  readonly hasMore: boolean
  /** Loaded pages by number. */
  readonly pages: ReadonlyMap<number, readonly PartAt<'history'>[]>
  readonly query: HistoryQuery
  /** History version of the last page loaded; 0 before the first response. */
  readonly version: number
}

/**
 * Caches pages of the history. A new version of the history makes all pages stale. Visible pages are reloaded immediately. Other pages keep
 * their old content until they are visible, so that the list doesn't jump.
 *
 * A page is requested by the key of the last record before it. Loading the next page therefore takes the same time anywhere in the history.
 * After a jump, the page is requested by the key of the nearest loaded page above. The query then skips the records in between, which it
 * counts for its response anyway.
 */
export function createHistoryPages(
  bridge: Pick<Bridge, 'history'>,
  version: ReadonlySignal<number>,
  failed: (reason: unknown) => void,
) {
  const query = signal<HistoryQuery>({})
  const view = signal<HistoryView>({ total: null, hasMore: false, pages: new Map(), query: {}, version: 0 })
  let generation = 0
  let fresh = new Set<number>()
  let isFetching = false
  let needed = { first: 0, last: 0 }
  /** The key of the last record of each full page. */
  const ends = new Map<number, number>()

  const put = (page: number, answer: HistoryPage, asked: Asked): void => {
    const known = view.value.query === asked.query ? view.value : null
    const { total, hasMore } = lengthOf(answer, asked.from, known)
    const pages = new Map(known?.pages)
    for (const number of pages.keys()) if (number * PAGE_SIZE >= total) pages.delete(number)
    pages.set(page, answer.records)
    const end = answer.records.length < PAGE_SIZE ? null : answer.last
    // If the end of this page has changed, the next page has to be loaded again.
    if (end !== ends.get(page)) fresh.delete(page + 1)
    if (end !== null) ends.set(page, end)
    for (const number of ends.keys())
      if (!pages.has(number) || (number === page && end === null)) ends.delete(number)
    view.value = { total, hasMore, query: asked.query, version: asked.version, pages }
  }

  const fetchPage = async (page: number): Promise<void> => {
    const asked = { query: query.value, version: version.value, from: 0 }
    const askedGeneration = generation
    const above = Math.max(-1, ...[...ends.keys()].filter((number) => number < page))
    const before = ends.get(above)
    asked.from = (above + 1) * PAGE_SIZE
    isFetching = true
    try {
      const answer = await bridge.history.page({
        query: asked.query,
        ...(before === undefined ? {} : { before }),
        offset: page * PAGE_SIZE - asked.from,
        limit: PAGE_SIZE,
      })
      if (askedGeneration !== generation) return
      if (asked.version === version.value) fresh.add(page)
      put(page, answer, asked)
    } catch (reason) {
      if (askedGeneration === generation) fresh.add(page)
      failed(reason)
    } finally {
      if (askedGeneration === generation) {
        isFetching = false
        fetchNeeded()
      }
    }
  }

  /** Fetches one page at a time, because each needs the key of the page above it. */
  const fetchNeeded = (): void => {
    if (isFetching) return
    const isKnown = view.value.query === query.value
    const last = isKnown ? Math.min(needed.last, (view.value.total ?? 1) - 1) : 0
    const first = isKnown ? needed.first : 0
    for (let page = Math.floor(first / PAGE_SIZE); page * PAGE_SIZE <= Math.max(0, last); page += 1) {
      if (!fresh.has(page)) return void fetchPage(page)
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
    /** How much space the matching jobs saved; null until known. */
    saved,
    ask(next: HistoryQuery): void {
      generation += 1
      query.value = next
      fresh = new Set()
      ends.clear()
      isFetching = false
      needed = { first: 0, last: 0 }
      fetchNeeded()
    },
    /** Loads the records from `first` to `last` (inclusive) if they are missing or stale. */
    need(first: number, last: number): void {
      needed = { first, last }
      fetchNeeded()
    },
  }
}

type Asked = {
  readonly query: HistoryQuery
  readonly version: number
  /** Index of the first record that the response counts. */
  readonly from: number
}

/** Returns the length of the list. A response that stops counting before the known end doesn't shorten the list. */
function lengthOf(
  answer: HistoryPage,
  from: number,
  known: HistoryView | null,
): Pick<HistoryView, 'hasMore'> & { readonly total: number } {
  const total = from + answer.total
  if (!answer.hasMore || known === null || (known.total ?? 0) <= total)
    return { total, hasMore: answer.hasMore }
  return { total: known.total ?? total, hasMore: known.hasMore }
}

/**
 * Pause after a request, as a multiple of its duration. Adding up the savings therefore takes at most a tenth of the time, even in a
 * history of a million jobs that changes constantly.
 */
const REST = 9
/** Minimum pause in ms. Shorter pauses aren't worth a timer. */
const SHORTEST_REST = 100

/** After each change, requests how much the matching jobs saved. Makes one request at a time, because adding up many jobs takes a while. */
function followSaved(
  bridge: Pick<Bridge, 'history'>,
  query: ReadonlySignal<HistoryQuery>,
  version: ReadonlySignal<number>,
): ReadonlySignal<Saved | null> {
  const saved = signal<Saved | null>(null)
  let askedFor: HistoryQuery | undefined
  let isAsking = false
  let isStale = false
  let resting: ReturnType<typeof setTimeout> | undefined

  const ask = async (): Promise<void> => {
    clearTimeout(resting)
    resting = undefined
    isAsking = true
    isStale = false
    const asked = query.peek()
    const begun = performance.now()
    try {
      const answer = await bridge.history.saved(asked)
      if (asked === query.peek()) saved.value = answer
    } catch {
      // Loading the rows fails for the same reason and reports it.
    } finally {
      isAsking = false
      const rest = asked === query.peek() ? REST * (performance.now() - begun) : 0
      if (rest >= SHORTEST_REST) resting = setTimeout(rested, rest)
      else if (isStale) void ask()
    }
  }
  const rested = (): void => {
    resting = undefined
    if (isStale) void ask()
  }

  effect(() => {
    void version.value
    const isOther = query.value !== askedFor
    // Hide the number of the previous search.
    if (isOther) saved.value = null
    askedFor = query.value
    if (isAsking || (resting !== undefined && !isOther)) isStale = true
    else void ask()
  })
  return saved
}

type ShownDetails =
  | { readonly kind: 'loading'; readonly id: RecordId }
  | { readonly kind: 'read'; readonly id: RecordId; readonly details: PartDetails }
  /** The record was removed, or it never existed. */
  | { readonly kind: 'gone'; readonly id: RecordId }

/**
 * Reloads the details in the job pane when they may have changed, and shows the previous details of the job meanwhile.
 * @param revision changes when the details may have changed
 */
export function followDetails(
  bridge: Pick<Bridge, 'jobs'>,
  id: ReadonlySignal<RecordId | null>,
  revision: ReadonlySignal<unknown>,
  failed: (reason: unknown) => void,
): ReadonlySignal<ShownDetails | null> {
  const shown = signal<ShownDetails | null>(null)
  let asked = 0

  const read = async (wanted: RecordId): Promise<void> => {
    asked += 1
    const mine = asked
    try {
      const details = await bridge.jobs.details(wanted)
      if (mine !== asked) return
      shown.value = details === null ? { kind: 'gone', id: wanted } : { kind: 'read', id: wanted, details }
    } catch (reason) {
      if (mine === asked) failed(reason)
    }
  }

  effect(() => {
    const wanted = id.value
    void revision.value
    if (wanted === null) {
      shown.value = null
      return
    }
    if (shown.peek()?.id !== wanted) shown.value = { kind: 'loading', id: wanted }
    void read(wanted)
  })
  return shown
}
