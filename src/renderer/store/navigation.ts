import { batch } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'
import type { App } from './app.ts'
import type { SettingsSection } from './route.ts'

/** Puts the focus on what a region begins with, once it is drawn. */
export const focusSoon = (selector: string): void => {
  requestAnimationFrame(() => {
    const element = document.querySelector<HTMLElement>(selector)
    element?.focus()
  })
}

/** To be called before something is asked: whoever has gone elsewhere when the answer comes is left there. */
export function unlessGone(app: App): (show: () => void) => void {
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

/** @param into the narrow window changes to the details; without it only the wide one shows them */
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
    if (section !== undefined) app.route.section.value = section
  })
}

export function leaveSettings(app: App): void {
  batch(() => {
    app.route.view.value = 'jobs'
    app.route.pane.value = 'list'
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

/** @param preset null for a new one */
export function showStudio(app: App, preset: string | null): void {
  batch(() => {
    app.route.studio.value = { preset, from: app.route.view.peek() === 'jobs' ? 'jobs' : 'settings' }
    app.route.view.value = 'studio'
  })
}

/** Back to the list of presets, or to the new job that it was opened from. */
export function leaveStudio(app: App): void {
  const { from, preset } = app.route.studio.peek()
  batch(() => {
    app.route.view.value = from
    app.route.pane.value = 'main'
  })
  focusSoon(from === 'jobs' ? '#edit-preset' : `[data-preset=${JSON.stringify(preset ?? '')}]`)
}
