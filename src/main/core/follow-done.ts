/** Keeps the comparison of the draft with earlier jobs up to date. */
import { messageOf } from '../../node/errors.ts'
import { serviceIdOf, type ConnectionView } from '../../shared/model/connection.ts'
import type { DoneFiles } from '../../shared/model/done-files.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { DoneCheck } from '../ledger/index.ts'
import type { Modules } from './modules.ts'

/** Delay in ms before a comparison is shown as running. Most comparisons take less time. */
const SHOWN_AFTER_MS = 200
/** How often to show the progress of a comparison, in ms. */
const PROGRESS_MS = 250
/** Delay in ms after a change to the history. Combines a series of changes into one comparison. */
const AFTER_CHANGE_MS = 500

/**
 * Compares the draft with the ledger after each change to the draft, its service or the history.
 * @returns a function that stops comparing
 */
export function followDone(
  deps: Pick<Modules, 'events' | 'drafts' | 'timing' | 'log'> & {
    readonly serviceOf: (draft: Draft) => ConnectionView
    readonly done: Pick<DoneCheck, 'find'>
    readonly show: (doneFiles: DoneFiles | null) => void
  },
): () => void {
  const { events, drafts, serviceOf, done, timing, show, log } = deps
  let running: AbortController | undefined
  let cancelSoon: (() => void) | undefined
  let compared = ''
  let comparedItems: unknown
  let shown: DoneFiles | null = null

  function put(next: DoneFiles | null): void {
    if (next === shown) return
    shown = next
    show(next)
  }

  function draftChanged(): void {
    const draft = drafts.store.view()
    const subject = subjectOf(draft, serviceIdOf(serviceOf(draft)))
    const items = draft.source.kind === 'files' ? draft.source.items : []
    if (subject === compared && items === comparedItems) return
    // Discard the results of the last comparison if the presets, the variations or the service have changed. If only files were added or
    // removed, keep the results of the remaining files.
    if (subject !== compared || shown?.kind !== 'known') put(null)
    else put(onlyOf(shown, items))
    compared = subject
    comparedItems = items
    compare(draft)
  }

  function compare(draft: Draft, isRepeated = false): void {
    running?.abort()
    cancelSoon?.()
    const { source } = draft
    if (source.kind !== 'files' || source.items.length === 0) return put(null)
    const stopping = new AbortController()
    running = stopping
    const files = source.items.length
    let checked = 0
    // After a change to the history alone, the results of the last comparison stay visible until the new ones are known.
    let cancelShowing = isRepeated ? () => undefined : timing.after(SHOWN_AFTER_MS, showProgress)
    function showProgress(): void {
      put({ kind: 'checking', files, checked })
      cancelShowing = timing.after(PROGRESS_MS, showProgress)
    }
    const { signal } = stopping
    signal.addEventListener('abort', () => cancelShowing(), { once: true })
    done
      .find(draft, { signal, target: draft.service, onProgress: (count) => void (checked = count) })
      .then((found) => {
        if (!signal.aborted) put({ kind: 'known', done: found })
      })
      .catch((error: unknown) => {
        log('files not compared with earlier results', { error: messageOf(error) })
        if (!signal.aborted) put({ kind: 'known', done: [] })
      })
      .finally(() => cancelShowing())
  }

  function ledgerChanged(): void {
    const draft = drafts.store.view()
    if (draft.source.kind !== 'files' || draft.source.items.length === 0) return
    cancelSoon?.()
    cancelSoon = timing.after(AFTER_CHANGE_MS, () => compare(drafts.store.view(), shown?.kind === 'known'))
  }

  const stops = [
    events.on('draftChanged', draftChanged),
    events.on('connectionChanged', draftChanged),
    events.on('historyChanged', ledgerChanged),
  ]
  draftChanged()
  return () => {
    for (const stop of stops) stop()
    cancelSoon?.()
    running?.abort()
  }
}

const subjectOf = ({ source, presets, variations }: Draft, serviceId: string): string =>
  JSON.stringify([source.kind, presets, variations, serviceId])

function onlyOf(
  known: DoneFiles & { kind: 'known' },
  items: readonly { readonly path: string }[],
): DoneFiles {
  const paths = new Set(items.map(({ path }) => path))
  return { kind: 'known', done: known.done.filter(({ path }) => paths.has(path)) }
}
