import { computed, signal } from '@preact/signals'
import type { ReadonlySignal, Signal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'

/** What the job pane shows. */
export type JobPaneRoute = { readonly kind: 'newJob' } | { readonly kind: 'details'; readonly id: RecordId }

export const SETTINGS_SECTIONS = [
  'connection',
  'jobs',
  'presets',
  'watch',
  'notifications',
  'general',
] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]

/** `preset`: its name; null for a new one. */
export type StudioRoute = { readonly preset: string | null; readonly from: 'settings' | 'jobs' }

/** Where in the window a person is. In a narrow window only one pane of a view is on show. */
export type Route = {
  readonly view: Signal<'jobs' | 'settings' | 'studio'>
  /** What the studio is open with, and where Back leads. */
  readonly studio: Signal<StudioRoute>
  readonly jobPane: Signal<JobPaneRoute>
  readonly section: Signal<SettingsSection>
  readonly pane: Signal<'list' | 'main'>
  /** One column is on show, and it is the list: then that is the main part of the page. */
  readonly listOnly: ReadonlySignal<boolean>
}

/** Where the style sheet changes to one column. */
const ONE_COLUMN = '(max-width: 679px)'

export function createRoute(): Route {
  const query = matchMedia(ONE_COLUMN)
  const narrow = signal(query.matches)
  query.addEventListener('change', () => {
    narrow.value = query.matches
  })
  const pane = signal<'list' | 'main'>('list')
  return {
    view: signal('jobs'),
    studio: signal({ preset: null, from: 'settings' }),
    jobPane: signal({ kind: 'newJob' }),
    section: signal('connection'),
    pane,
    listOnly: computed(() => narrow.value && pane.value === 'list'),
  }
}
