import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'

/** The content of the job pane. */
export type JobPaneRoute = { readonly kind: 'newJob' } | { readonly kind: 'details'; readonly id: RecordId }

export const SETTINGS_SECTIONS = [
  'connection',
  'jobs',
  'presets',
  'watch',
  'quiet',
  'afterJob',
  'assistants',
  'notifications',
  'general',
] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]

/** `preset`: its name; null for a new one. */
export type StudioRoute = { readonly preset: string | null; readonly from: 'settings' | 'jobs' }

/** The location in the window. A narrow window shows only one pane of a view. */
export type Route = {
  readonly view: Signal<'jobs' | 'settings' | 'studio'>
  /** The preset in the studio, and where Back leads. */
  readonly studio: Signal<StudioRoute>
  readonly jobPane: Signal<JobPaneRoute>
  readonly section: Signal<SettingsSection>
  /** The watched folder whose rules are shown; null for the list of folders. */
  readonly rulesOf: Signal<string | null>
  readonly pane: Signal<'list' | 'main'>
  /** Whether the window has a single column. */
  readonly narrow: ReadonlySignal<boolean>
  /** Whether only the list is visible, which makes it the main landmark. */
  readonly listOnly: ReadonlySignal<boolean>
}

/** The breakpoint at which the style sheets switch to a single column. */
const ONE_COLUMN = '(width < 42.5rem)'

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
    rulesOf: signal(null),
    pane,
    narrow,
    listOnly: computed(() => narrow.value && pane.value === 'list'),
  }
}
