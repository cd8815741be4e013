import { computed, signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'

export type StagePlace = { readonly kind: 'newJob' } | { readonly kind: 'details'; readonly id: RecordId }

export const SETTINGS_SECTIONS = [
  'connection',
  'jobs',
  'presets',
  'watch',
  'notifications',
  'general',
] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]

/** Where in the window a person is. In a narrow window only one pane of a view is on show. */
export type Place = {
  readonly view: Signal<'jobs' | 'settings'>
  readonly stage: Signal<StagePlace>
  readonly section: Signal<SettingsSection>
  readonly pane: Signal<'list' | 'stage'>
  /** One column is on show, and it is the list: then that is the main part of the page. */
  readonly listOnly: ReadonlySignal<boolean>
}

/** Where the style sheet changes to one column. */
const ONE_COLUMN = '(max-width: 679px)'

export function createPlace(): Place {
  const query = matchMedia(ONE_COLUMN)
  const narrow = signal(query.matches)
  query.addEventListener('change', () => {
    narrow.value = query.matches
  })
  const pane = signal<'list' | 'stage'>('list')
  return {
    view: signal('jobs'),
    stage: signal({ kind: 'newJob' }),
    section: signal('connection'),
    pane,
    listOnly: computed(() => narrow.value && pane.value === 'list'),
  }
}
