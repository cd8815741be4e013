import { batch } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'
import type { App } from './app.ts'
import type { SettingsSection } from './route.ts'

/** Focuses the first matching element once it is rendered. */
export const focusSoon = (selector: string): void => {
  requestAnimationFrame(() => {
    const element = document.querySelector<HTMLElement>(selector)
    element?.focus()
  })
}

/** Whether the target uses letter keys and pasting itself. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select')

/** Returns a function that navigates unless the user has navigated elsewhere since this call. Call this before an asynchronous step. */
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

export function showSettings(app: App, section?: SettingsSection): void {
  batch(() => {
    app.route.view.value = 'settings'
    app.route.pane.value = section === undefined ? 'list' : 'main'
    app.route.rulesOf.value = null
    if (section !== undefined) app.route.section.value = section
  })
  if (section === undefined) focusSoon('.settings-nav [aria-current="page"], .settings-nav button')
}

/** Shows the rules of a watched folder. */
export function showRules(app: App, folder: string): void {
  app.route.rulesOf.value = folder
}

/** Goes back to the watched folders. The focus returns to what opened the rules. */
export function leaveRules(app: App): void {
  const folder = app.route.rulesOf.peek()
  app.route.rulesOf.value = null
  requestAnimationFrame(() => {
    // Focus the link to the rules, or the menu if the folder has no rules. Narrow windows show a different link.
    const row = document.querySelector(`[data-watched=${JSON.stringify(folder ?? '')}]`)
    const buttons = [...(row?.querySelectorAll<HTMLElement>('button.link, button.icon-only') ?? [])]
    buttons.find((button) => button.checkVisibility())?.focus()
  })
}

export function leaveSettings(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusSoon('[data-record][tabindex="0"]')
}

/** Shows only the jobs that assistants submitted. */
export function showAssistantsJobs(app: App): void {
  batch(() => {
    app.searchText.value = ''
    app.filters.value = { by: 'assistant' }
    leaveSettings(app)
  })
}

/** Shows only the jobs that replaced originals. */
export function showReplacingJobs(app: App): void {
  batch(() => {
    app.searchText.value = ''
    app.filters.value = { replaced: true }
    leaveSettings(app)
  })
}

export function backToList(app: App): void {
  app.route.pane.value = 'list'
  focusSoon('[data-record][tabindex="0"]')
}

export function focusSearch(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
  })
  focusSoon('#search')
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
  focusSoon(from === 'jobs' ? '#edit-preset' : `[data-preset=${JSON.stringify(preset ?? '')}]`)
}
