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

export function showNewJob(app: App): void {
  batch(() => {
    app.place.view.value = 'jobs'
    app.place.stage.value = { kind: 'newJob' }
    app.place.pane.value = 'stage'
  })
}

/** @param into the narrow window changes to the details; without it only the wide one shows them */
export function showDetails(app: App, id: RecordId, into: boolean): void {
  batch(() => {
    app.place.view.value = 'jobs'
    app.place.stage.value = { kind: 'details', id }
    if (into) app.place.pane.value = 'stage'
  })
}

export function showSettings(app: App, section?: SettingsSection): void {
  batch(() => {
    app.place.view.value = 'settings'
    app.place.pane.value = section === undefined ? 'list' : 'stage'
    if (section !== undefined) app.place.section.value = section
  })
}

export function leaveSettings(app: App): void {
  batch(() => {
    app.place.view.value = 'jobs'
    app.place.pane.value = 'list'
  })
}

export function backToList(app: App): void {
  app.place.pane.value = 'list'
  focusSoon('.jobs .row[tabindex="0"]')
}

export function focusSearch(app: App): void {
  batch(() => {
    app.place.view.value = 'jobs'
    app.place.pane.value = 'list'
  })
  focusSoon('#search')
}
