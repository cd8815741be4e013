import { effect } from '@preact/signals'
import type { HistoryQuery } from '../../shared/model/history-page.ts'
import type { Outcome } from '../../shared/model/job.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { App } from './app.ts'

type Filters = Omit<HistoryQuery, 'text'>

/** Debounce of the search field, ms. */
const TYPING_PAUSE_MS = 150

/** Queries the history when the search or the filters change. */
export function followSearch(app: Pick<App, 'searchText' | 'filters' | 'history'>): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = { text: '', filters: app.filters.peek() }
  effect(() => {
    const text = app.searchText.value.trim()
    const filters = app.filters.value
    if (text === asked.text && filters === asked.filters) return
    clearTimeout(timer)
    const ask = (): void => {
      asked = { text, filters }
      app.history.ask({ ...(text === '' ? {} : { text }), ...filters })
    }
    if (filters === asked.filters) timer = setTimeout(ask, TYPING_PAUSE_MS)
    else ask()
  })
}

export const isNarrowed = (query: HistoryQuery): boolean => Object.keys(query).length > 0

/** Returns the search words in lower case, for highlighting. */
export const wordsOf = (query: HistoryQuery): readonly string[] =>
  (query.text ?? '').toLocaleLowerCase().split(/\s+/).filter(Boolean)

export function toggleOutcome(filters: Filters, outcome: Outcome['kind']): Filters {
  const { outcomes = [], ...others } = filters
  const next = outcomes.includes(outcome)
    ? outcomes.filter((other) => other !== outcome)
    : [...outcomes, outcome]
  return next.length === 0 ? others : { ...others, outcomes: next }
}

const SINGLE = ['kind', 'replaced', 'by', 'preset'] as const
/** The filters that have at most one value. */
type SingleFilter = (typeof SINGLE)[number]

/** Sets a filter, or removes it if it has this value already. */
export function toggle<Name extends SingleFilter>(
  filters: Filters,
  name: Name,
  value: Filters[Name],
): Filters {
  const { [name]: before, ...others } = filters
  return before === value ? others : { ...others, [name]: value }
}

export type Chip = { readonly label: string; readonly without: Filters }

export function chipsOf(filters: Filters, t: WindowTranslation): readonly Chip[] {
  const labels: Readonly<Record<SingleFilter, string | undefined>> = {
    kind: filters.kind && t.list[filters.kind],
    replaced: filters.replaced && t.list.replaced,
    by: filters.by && t.list.fromAssistants,
    preset: filters.preset && presetName(filters.preset, t),
  }
  return [
    ...(filters.outcomes ?? []).map((outcome) => ({
      label: t.outcomes[outcome],
      without: toggleOutcome(filters, outcome),
    })),
    ...SINGLE.flatMap((name) => {
      const label = labels[name]
      return label === undefined ? [] : [{ label, without: toggle(filters, name, filters[name]) }]
    }),
  ]
}
