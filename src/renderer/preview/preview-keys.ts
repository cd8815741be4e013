/** Shortcuts of a comparison while no field has the focus: P, 1, 2, 0, Esc, and Space for videos. */
import { useLayoutEffect } from 'preact/hooks'
import { type App, viewTranslation } from '../store/app.ts'
import { isField } from '../store/focus.ts'
import { isOverlayOpen } from '../store/overlays.ts'
import { toggleAloud } from './video-controls.tsx'
import type { VideoPlayer } from './video-player.ts'
import { flick, type PaneView, type Zoom } from './pane-view.ts'

const ZOOM_KEYS: Readonly<Record<string, Zoom>> = { '0': 'fit', '1': 'full', '2': 'double' }

/** Whether the target handles Space. */
const isPressed = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, input, select, textarea, summary, a') !== null

/**
 * @param playerNow returns the player of the video shown, if any
 * @param onEscape called for Esc, even in a field; by default, Esc shows both sides again
 */
export function usePreviewKeys(
  app: App,
  view: PaneView,
  isShown: () => boolean,
  playerNow: () => VideoPlayer | null,
  onEscape?: () => void,
): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isOverlayOpen(app.overlays) || !isShown()) return
      if (onEscape !== undefined && event.key === 'Escape') onEscape()
      else if (!answers(app, view, event) && !plays(app, playerNow(), event)) return
      event.preventDefault()
      // Stop the event, because other handlers of Escape would also go back one level.
      event.stopPropagation()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [])
}

function plays(app: App, player: VideoPlayer | null, event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (player === null || key !== ' ' || ctrlKey || metaKey || altKey || isPressed(target)) return false
  toggleAloud(app, player)
  return true
}

function answers(app: App, view: PaneView, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return false
  if (event.key === 'Escape') {
    if (view.flicked.peek() === null) return false
    view.flicked.value = null
    return true
  }
  if (event.key.toLowerCase() === 'p') {
    flickAndAnnounce(app, view)
    return true
  }
  const zoom = ZOOM_KEYS[event.key]
  if (zoom !== undefined) view.zoom.value = zoom
  return zoom !== undefined
}

export function flickAndAnnounce(app: App, view: PaneView): void {
  const { before, after } = viewTranslation(app).preview
  app.announcer.say(flick(view) === 'before' ? before : after)
}
