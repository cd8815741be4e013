import { batch } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'
import type { App } from './app.ts'
import { folderOf, isSettingsPage, pageOf, type SettingsPage, type Subpage } from './route.ts'

/** Focuses the first matching element in the next frame, after pending changes have been rendered. */
export const focusSoon = (selector: string): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus())
}

/** Number of frames to wait for a control: about half a second. Some controls appear only after texts or a response have arrived. */
export const FRAMES = 30

/** Focuses the first matching element as soon as it is rendered and enabled. Gives up after `FRAMES` frames. */
export function focusOnceShown(selector: string, frames = FRAMES): void {
  requestAnimationFrame(() => {
    const element = document.querySelector<HTMLElement>(selector)
    element?.focus()
    const isFocused = element !== null && document.activeElement === element
    if (!isFocused && frames > 0) focusOnceShown(selector, frames - 1)
  })
}

/** Whether the target uses letter keys and pasting itself. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select')

/**
 * Whether the user may be typing in an element. An empty search field doesn't count, because it gets the focus when the settings close
 * and there are no jobs.
 */
export const isTypedIn = (element: Element | null): boolean =>
  isField(element) &&
  !(element instanceof HTMLInputElement && element.id === 'search' && element.value === '')

/** Creates a function that navigates unless the user has navigated elsewhere since this call. Call this before an asynchronous step. */
export function unlessNavigated(app: App): (show: () => void) => void {
  const place = () => [app.route.view.peek(), app.route.jobPane.peek(), app.route.pane.peek()]
  const before = place()
  return (show) => {
    if (place().every((part, index) => part === before[index])) show()
  }
}

export function showNewJob(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.jobPane.value = { kind: 'newJob' }
    app.route.pane.value = 'main'
  })
}

/** Shows the details of a job. @param into whether to switch a narrow window to the details */
export function showDetails(app: App, id: RecordId, into: boolean): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.jobPane.value = { kind: 'details', id }
    if (into) app.route.pane.value = 'main'
  })
}

export function showSettings(app: App, page?: SettingsPage): void {
  batch(() => {
    app.route.view.value = 'settings'
    app.route.pane.value = page === undefined ? 'list' : 'main'
    app.route.subpage.value = null
    app.route.settingsSearch.value = ''
    if (page !== undefined) app.route.settingsPage.value = page
  })
  if (page === undefined) focusSoon('.settings-nav [aria-current="page"], .settings-nav button')
}

/**
 * Shows a page or subpage of the settings from elsewhere in the window, and focuses a control there.
 * @param selector of the control
 */
export function showSetting(app: App, place: SettingsPage | Subpage, selector: string): void {
  const isPage = isSettingsPage(place)
  batch(() => {
    showSettings(app, isPage ? place : pageOf(place))
    app.route.subpage.value = isPage ? null : place
  })
  focusOnceShown(selector)
}

/** Maximum number of watched folders on their page. The others are on a subpage. */
export const FOLDERS_ON_PAGE = 4

/** Goes back to the page, or to the other watched folders. The focus returns to the row that opened the subpage. */
export function leaveSubpage(app: App): void {
  const left = app.route.subpage.peek()
  const folder = folderOf(left)
  const { watchFolders } = app.state.settings.peek()
  const isOther = watchFolders.findIndex(({ id }) => id === folder) >= FOLDERS_ON_PAGE
  app.route.subpage.value = isOther ? 'folders' : null
  const opener =
    left === 'importSettings' ? '#import-settings' : `[data-subpage=${JSON.stringify(left ?? '')}]`
  focusSoon(opener)
}

export function leaveSettings(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusSoon('[data-record][tabindex="0"]')
}

/** Leaves the settings and shows only the jobs that match these filters. */
export function showFiltered(app: App, filters: App['filters']['value']): void {
  batch(() => {
    app.searchText.value = ''
    app.filters.value = filters
    leaveSettings(app)
  })
}

export function backToList(app: App): void {
  app.route.pane.value = 'list'
  focusSoon('[data-record][tabindex="0"]')
}

/** Focuses the search in the settings, or the search in the list of jobs. */
export function focusSearch(app: App): void {
  const isInSettings = app.route.view.peek() === 'settings'
  batch(() => {
    if (!isInSettings) app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusSoon(isInSettings ? '#settings-search' : '#search')
}

/** Shows a preset in the studio. @param preset null for a new one */
export function showStudio(app: App, preset: string | null): void {
  batch(() => {
    app.route.studio.value = { preset, from: app.route.view.peek() === 'jobs' ? 'jobs' : 'settings' }
    app.route.view.value = 'studio'
  })
}

/** Goes back to the presets, or to the new job that the studio was opened from. */
export function leaveStudio(app: App): void {
  const { from, preset } = app.route.studio.peek()
  batch(() => {
    app.route.view.value = from
    app.route.pane.value = 'main'
  })
  focusSoon(
    from === 'jobs'
      ? '#edit-preset, body:not(:has(#edit-preset)) #preset'
      : `[data-preset=${JSON.stringify(preset ?? '')}]`,
  )
}
