/** The keys of what is compared, outside of fields: P, 1, 2, 0 and Esc, and Space for what moves. */
import { useEffect } from 'preact/hooks'
import type { App } from '../store/app.ts'
import { toggleAloud } from './film-controls.tsx'
import type { FilmPlayer } from './film-player.ts'
import { flick, type PaneView, type Zoom } from './pane-view.ts'

const ZOOM_KEYS: Readonly<Record<string, Zoom>> = { '0': 'fit', '1': '100', '2': '200' }

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches(
    'textarea, select, [role="textbox"], input:not([type="range"], [type="radio"], [type="checkbox"])',
  )

/** Whatever Space presses already. */
const isPressed = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, input, select, textarea, summary, a') !== null

/** @param playerNow of the film that is shown, where it is one */
export function usePreviewKeys(
  app: App,
  view: PaneView,
  isShown: () => boolean,
  playerNow: () => FilmPlayer | null,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isBusy = app.overlays.dialog.peek() !== null || app.overlays.menu.peek() !== null
      if (isBusy || !isShown()) return
      if (!answers(app, view, event) && !plays(app, playerNow(), event)) return
      event.preventDefault()
      // Whoever else waits for Esc would go back a step too many.
      event.stopPropagation()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [])
}

function plays(app: App, player: FilmPlayer | null, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (player === null || key !== ' ' || ctrlKey || metaKey || altKey || isPressed(target)) return false
  toggleAloud(app, player)
  return true
}

function answers(app: App, view: PaneView, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false
  if (event.key === 'Escape') {
    if (view.flicked.peek() === null) return false
    view.flicked.value = null
    return true
  }
  if (event.key.toLowerCase() === 'p') {
    flickAloud(app, view)
    return true
  }
  const zoom = ZOOM_KEYS[event.key]
  if (zoom !== undefined) view.zoom.value = zoom
  return zoom !== undefined
}

export function flickAloud(app: App, view: PaneView): void {
  const { before, after } = app.t.peek().preview
  app.announcer.say(flick(view) === 'before' ? before : after)
}
