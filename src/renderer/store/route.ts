import { computed, signal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'

export type JobPaneRoute = { readonly kind: 'newJob' } | { readonly kind: 'details'; readonly id: RecordId }

/** The pages of the settings, in the order of their list. */
export const SETTINGS_PAGES = ['general', 'jobs', 'presets', 'automation', 'originals', 'advanced'] as const
export type SettingsPage = (typeof SETTINGS_PAGES)[number]

export const isSettingsPage = (place: string): place is SettingsPage =>
  SETTINGS_PAGES.some((page) => page === place)

/** The subpages, each with the page that has a row for it. */
const PAGES_OF_SUBPAGES = {
  notifications: 'general',
  defaultPresets: 'presets',
  /** The watched folders that don't fit on their page. */
  folders: 'automation',
  quiet: 'automation',
  afterJob: 'automation',
  service: 'advanced',
  assistants: 'advanced',
  clipboard: 'advanced',
  /** What a settings file would change. Opens only after the user has chosen a file. */
  importSettings: 'advanced',
  about: 'advanced',
} as const satisfies Readonly<Record<string, SettingsPage>>

export type NamedSubpage = keyof typeof PAGES_OF_SUBPAGES
/** A subpage, or the page of the watched folder with this ID. */
export type Subpage = NamedSubpage | `folder ${string}`

const isNamed = (subpage: Subpage): subpage is NamedSubpage => Object.hasOwn(PAGES_OF_SUBPAGES, subpage)

export const pageOf = (subpage: Subpage): SettingsPage =>
  isNamed(subpage) ? PAGES_OF_SUBPAGES[subpage] : 'automation'

/** Returns the ID of the watched folder that a subpage is about; null for any other subpage. */
export const folderOf = (subpage: Subpage | null): string | null =>
  subpage === null || isNamed(subpage) ? null : subpage.slice('folder '.length)

/** `preset`: its name; null for a new one. */
type StudioRoute = { readonly preset: string | null; readonly from: 'settings' | 'jobs' }

/** The breakpoint at which the style sheets switch to a single column. */
const ONE_COLUMN = '(width < 42.5rem)'

/** Creates the location in the window. A narrow window shows only one pane of a view. */
export function createRoute() {
  const query = matchMedia(ONE_COLUMN)
  const narrow = signal(query.matches)
  query.addEventListener('change', () => (narrow.value = query.matches))
  const pane = signal<'list' | 'main'>('list')
  return {
    view: signal<'jobs' | 'settings' | 'studio'>('jobs'),
    studio: signal<StudioRoute>({ preset: null, from: 'settings' }),
    jobPane: signal<JobPaneRoute>({ kind: 'newJob' }),
    settingsPage: signal<SettingsPage>('general'),
    /** The open subpage of the settings' page; null for the page itself. */
    subpage: signal<Subpage | null>(null),
    settingsSearch: signal(''),
    pane,
    /** Whether the window has a single column. */
    narrow,
    /** Whether only the list is visible, which makes it the main landmark. */
    listOnly: computed(() => narrow.value && pane.value === 'list'),
  }
}
