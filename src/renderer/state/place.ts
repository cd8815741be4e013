import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'

export type StagePlace =
  | { readonly kind: 'newJob' }
  | { readonly kind: 'details'; readonly id: RecordId }

export const SETTINGS_SECTIONS = ['connection', 'jobs', 'presets', 'watch', 'notifications', 'general'] as const
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number]

/** Where in the window a person is. In a narrow window only one pane of a view is on show. */
export type Place = {
  readonly view: Signal<'jobs' | 'settings'>
  readonly stage: Signal<StagePlace>
  readonly section: Signal<SettingsSection>
  readonly pane: Signal<'list' | 'stage'>
}

export const createPlace = (): Place => ({
  view: signal('jobs'),
  stage: signal({ kind: 'newJob' }),
  section: signal('connection'),
  pane: signal('list'),
})
