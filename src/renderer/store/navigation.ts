import { batch } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'
import type { App } from './app.ts'
import { focusOnceShown } from './focus.ts'
import { folderOf, isSettingsPage, pageOf, type SettingsPage, type Subpage } from './route.ts'

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
  if (page === undefined)
    focusOnceShown('.settings-nav [aria-current="page"], .settings-nav:not(:has([aria-current])) button')
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
  focusOnceShown(opener)
}

export function leaveSettings(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusOnceShown('[data-record][tabindex="0"]')
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
  focusOnceShown('[data-record][tabindex="0"]')
}

/** Focuses the search in the settings, or the search in the list of jobs. */
export function focusSearch(app: App): void {
  const isInSettings = app.route.view.peek() === 'settings'
  batch(() => {
    if (!isInSettings) app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusOnceShown(isInSettings ? '#settings-search' : '#search')
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
  focusOnceShown(
    from === 'jobs'
      ? '#edit-preset, body:not(:has(#edit-preset)) #preset'
      : `[data-preset=${JSON.stringify(preset ?? '')}]`,
  )
}
