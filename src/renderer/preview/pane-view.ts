/** The view of a comparison: zoom, position, divider, and which side is shown alone. */
import type { Extent } from '../../shared/extent.ts'
import { signal, type Signal } from '@preact/signals'
import type { Spot } from '../../shared/model/preview.ts'

export type Zoom = 'fit' | 'full' | 'double'
export type Side = 'before' | 'after'

export type PaneView = ReturnType<typeof createPaneView>

export const createPaneView = (zoom: Zoom, middle: Signal<Spot | null> = signal(null)) => ({
  zoom: signal(zoom),
  middle,
  /** Percentage of the pane's width that shows the original. */
  split: signal(50),
  /** The side shown alone; null for both with the divider. */
  flicked: signal<Side | null>(null),
  /** Size of the pane in CSS pixels. */
  pane: signal<Extent>({ width: 1, height: 1 }),
})

/** Returns the CSS pixels per pixel of the result. At 100 %, each pixel of the result is one device pixel. */
export function scaleOf({ zoom, pane }: PaneView, extent: Extent): number {
  const exact = 1 / devicePixelRatio
  if (zoom.value === 'full') return exact
  if (zoom.value === 'double') return 2 * exact
  const { width, height } = pane.value
  return Math.min(width / extent.width, height / extent.height, exact)
}

/** Returns the center of the visible area. Images larger than the pane leave no gap at its edges; smaller ones are centered. */
export function centerOf(view: PaneView, extent: Extent): Spot {
  const { x, y } = view.middle.value ?? { x: 0.5, y: 0.5 }
  const scale = scaleOf(view, extent)
  const { width, height } = view.pane.value
  return { x: held(x, width / (extent.width * scale)), y: held(y, height / (extent.height * scale)) }
}

/** Limits the center so that no gap appears at the edges. @param seen size of the pane as a fraction of the image's; may exceed 1 */
function held(middle: number, seen: number): number {
  if (seen >= 1) return 0.5
  return Math.min(1 - seen / 2, Math.max(seen / 2, middle))
}

/** Moves the view. @param by distance in CSS pixels */
export function pan(view: PaneView, extent: Extent, by: { readonly x: number; readonly y: number }): void {
  const scale = scaleOf(view, extent)
  const { x, y } = centerOf(view, extent)
  view.middle.value = { x: x - by.x / (extent.width * scale), y: y - by.y / (extent.height * scale) }
  view.middle.value = centerOf(view, extent)
}

const ZOOMS: readonly Zoom[] = ['fit', 'full', 'double']

/** Zooms by one step. @param direction 1 zooms in */
export function zoomBy({ zoom }: PaneView, direction: 1 | -1): void {
  const next = ZOOMS[ZOOMS.indexOf(zoom.peek()) + direction]
  if (next !== undefined) zoom.value = next
}

export function flick({ flicked }: PaneView): Side {
  flicked.value = flicked.peek() === 'after' ? 'before' : 'after'
  return flicked.value
}
