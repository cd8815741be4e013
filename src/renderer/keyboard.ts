import { asRecordId, type RecordId } from '../shared/model/ids.ts'
import { hasModifier, type App } from './store/app.ts'
import { isField } from './store/focus.ts'
import {
  backToList,
  focusSearch,
  leaveSettings,
  leaveStudio,
  leaveSubpage,
  showNewJob,
  showSettings,
} from './store/navigation.ts'
import { isOverlayOpen } from './store/overlays.ts'
import { addFiles } from './store/drops.ts'
import type { JobPaneRoute } from './store/route.ts'
import { findJob } from './store/job-signs.ts'
import { withViewWords } from './store/later.tsx'
import type { JobActionName } from './store/job-actions.ts'

/** Handles the shortcuts that work everywhere in the window, and pasting outside of fields. */
export function followKeyboard(app: App): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isOverlayOpen(app.overlays)) return
    const handled = hasModifier(app.facts, event) ? withModifier(app, event) : plain(app, event)
    if (handled) event.preventDefault()
  })
  addEventListener('paste', (event) => {
    if (isField(event.target)) return
    event.preventDefault()
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length > 0) void addFiles(app, files)
    else void app.attempt(app.bridge.draft.pasteFromClipboard()).then(() => showNewJob(app))
  })
}

/** What keys do together with the platform's modifier. A handler returns false if the key does nothing here. */
const WITH_MODIFIER: Readonly<Record<string, (app: App, event: KeyboardEvent) => unknown>> = {
  n: showNewJob,
  o(app, { repeat, shiftKey }) {
    // A key that is held down opens one dialog.
    if (repeat) return
    const { draft } = app.bridge
    showNewJob(app)
    void app.attempt(shiftKey ? draft.chooseFolder() : draft.chooseFiles())
  },
  f: focusSearch,
  ',': (app) => showSettings(app),
  enter(app, event) {
    if (app.route.view.peek() !== 'jobs') return false
    if (shownPane(app)?.kind !== 'newJob') return act(app, event, ['startAnyway'])
    if (!event.repeat) startWhenLoaded(app)
    return true
  },
  r: (app, event) => act(app, event, event.shiftKey ? ['retry'] : ['runAgain']),
  z: (app, event) => !event.shiftKey && !isField(event.target) && act(app, event, ['undoAll']),
  backspace: (app, event) => !isField(event.target) && act(app, event, REMOVING),
}

function withModifier(app: App, event: KeyboardEvent): boolean {
  const handle = WITH_MODIFIER[event.key.toLowerCase()]
  return handle !== undefined && handle(app, event) !== false
}

function startWhenLoaded(app: App): void {
  void withViewWords(app, import('./store/start-status.ts')).then((loaded) => {
    // While this was loading, the user may have gone elsewhere.
    if (shownPane(app)?.kind === 'newJob' && !isOverlayOpen(app.overlays)) void loaded?.pressStart(app)
  })
}

/** Returns what the visible job pane shows; null if it is hidden, as in a narrow window with the list. */
const shownPane = ({ route }: App): JobPaneRoute | null =>
  route.view.peek() === 'jobs' && !route.listOnly.peek() ? route.jobPane.peek() : null

const REMOVING: readonly JobActionName[] = ['cancel', 'removeWaiting', 'removeRecord']

function plain(app: App, event: KeyboardEvent): boolean {
  if (event.key === 'Escape') return leave(app, event)
  if (event.key === 'F6') return nextRegion(event.shiftKey)
  if (isField(event.target) || event.altKey || event.ctrlKey || event.metaKey) return false
  if (event.key === '/') {
    focusSearch(app)
    return true
  }
  if (/^[1-5]$/.test(event.key)) return event.repeat || pressTile(app, event.key)
  return leavesSubpage(app, event) || (event.key === 'Delete' && act(app, event, REMOVING))
}

/** Controls that use the arrow keys themselves. */
const USES_ARROWS = 'input[type="radio"], input[type="range"], [role="combobox"], [role="listbox"] *'

/** Goes back from a subpage of the settings with the arrow key that points to the start of the line. */
function leavesSubpage(app: App, { key, target }: KeyboardEvent): boolean {
  const { view, subpage } = app.route
  if (view.peek() !== 'settings' || subpage.peek() === null || !(target instanceof Element)) return false
  const isRtl = getComputedStyle(target).direction === 'rtl'
  if (key !== (isRtl ? 'ArrowRight' : 'ArrowLeft') || target.closest(USES_ARROWS) !== null) return false
  leaveSubpage(app)
  return true
}

/** Number of frames to wait for tiles: half a second at 60 Hz. */
const TILE_FRAMES = 30

/**
 * Chooses the visible tile with this key. If the new job is still loading its tiles, chooses the tile as soon as it is visible.
 * @returns whether a visible tile has this key
 */
function pressTile(app: App, key: string, frames = TILE_FRAMES): boolean {
  const tile = [...document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`)].find((element) =>
    element.checkVisibility(),
  )
  tile?.focus()
  tile?.click()
  const isLoading = document.querySelector('.tile') === null && shownPane(app)?.kind === 'newJob'
  if (isLoading && frames > 0) {
    requestAnimationFrame(() => {
      const isLeft = isField(document.activeElement) || isOverlayOpen(app.overlays)
      if (!isLeft) pressTile(app, key, frames - 1)
    })
  }
  return tile !== undefined
}

/** Returns the ID of the focused row. If no row is focused, returns the ID of the job shown in the details; null if none is shown. */
function currentRecord(app: App): RecordId | null {
  if (app.route.view.peek() !== 'jobs') return null
  const row = document.activeElement?.closest<HTMLElement>('[data-record]')?.dataset['record']
  if (row !== undefined) return asRecordId(row)
  const shown = shownPane(app)
  return shown?.kind === 'details' ? shown.id : null
}

/**
 * Performs the first of these actions that is possible for the current job. A key that is held down performs only one action.
 * @returns whether there is a current job
 */
function act(app: App, { repeat }: KeyboardEvent, names: readonly JobActionName[]): boolean {
  const id = currentRecord(app)
  if (id === null || findJob(app, id) === undefined) return false
  if (repeat) return true
  void withViewWords(app, import('./store/job-actions.ts')).then((loaded) => {
    // While the actions were loading, an earlier key may have changed the job or opened an overlay.
    const item = findJob(app, id)
    if (loaded === undefined || item === undefined || isOverlayOpen(app.overlays)) return
    const { actionsFor, perform } = loaded
    const shown = app.details.peek()
    const details = shown?.kind === 'read' && shown.id === id ? shown.details : null
    const possible = actionsFor(item, details)
    const name = names.find((candidate) => possible.includes(candidate))
    if (name !== undefined) perform(app, name, item, details)
  })
  return true
}

/** Handles Escape: clears a search and then goes back to the list, or leaves the details, a subpage, the settings or the studio. */
function leave(app: App, event: KeyboardEvent): boolean {
  // If a select is open, Escape closes it.
  if (event.target instanceof HTMLElement && event.target.closest('select:open') !== null) return false
  if (event.target instanceof HTMLElement && event.target.id === 'search') {
    if (app.searchText.peek() === '') backToList(app)
    else app.searchText.value = ''
    return true
  }
  if (app.route.view.peek() === 'settings' && app.route.settingsSearch.peek() !== '') {
    app.route.settingsSearch.value = ''
    return true
  }
  if (app.route.view.peek() === 'studio') {
    leaveStudio(app)
    return true
  }
  if (app.route.view.peek() === 'settings') {
    if (app.route.subpage.peek() === null) leaveSettings(app)
    else leaveSubpage(app)
    return true
  }
  backToList(app)
  return true
}

const REGIONS = ['side', 'main', 'notice'] as const
export type Region = (typeof REGIONS)[number]

/** Selectors for the element in each region that gets the focus first. The first visible match wins. */
const ENTRIES: Readonly<Record<Region, readonly string[]>> = {
  side: [
    'input[name="goal"]:checked',
    'textarea',
    '[data-record][tabindex="0"]',
    'nav [aria-current="page"]',
    'nav button',
    '#search',
  ],
  main: ['[data-scroller][tabindex="0"]', '[data-scroller] [tabindex="0"]', 'button', 'input'],
  notice: ['input', 'button'],
}

/** Moves the focus to the next or previous region: the list, the main pane or the notice. Skips hidden regions. */
function nextRegion(backwards: boolean): boolean {
  const stops = REGIONS.map(entryOf).filter((element) => element !== undefined)
  const at = stops.findIndex((element) => element.closest('[data-region]')?.contains(document.activeElement))
  const next = stops.at((at + (backwards ? -1 : 1) + stops.length) % stops.length)
  next?.focus()
  return next !== undefined
}

/** Returns the element of a region that gets the focus first; undefined if the region is hidden. */
export const entryOf = (region: Region): HTMLElement | undefined =>
  ENTRIES[region]
    .flatMap((entry) => [...document.querySelectorAll<HTMLElement>(`[data-region="${region}"] ${entry}`)])
    .find((element) => element.checkVisibility())
