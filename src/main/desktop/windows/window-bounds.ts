/** Restores the window's last position, adjusted so that it is on screen. */
import type { Rectangle } from 'electron'
import * as z from 'zod'

const WindowBounds = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  maximized: z.boolean(),
})
export type WindowBounds = Readonly<z.infer<typeof WindowBounds>>

export const DEFAULT_SIZE = { width: 880, height: 640 } as const
/**
 * Minimum size of the window. It fits a display of 1366 × 768 pixels with text at 200%, which makes all pixels of the app twice as large.
 */
export const MINIMUM_SIZE = { width: 420, height: 320 } as const

/** Part of the title bar by which the window can be dragged, in pixels. Its full width and half of its height must be visible. */
const GRIP = { width: 120, height: 40 } as const

const between = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(least, most))

function overlap(a: Rectangle, b: Rectangle): { width: number; height: number } {
  return {
    width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  }
}

const canBeGrabbed = (bounds: Rectangle, area: Rectangle): boolean => {
  const titleBar = { ...bounds, height: GRIP.height }
  const { width, height } = overlap(titleBar, area)
  return width >= GRIP.width && height >= GRIP.height / 2
}

const centered = (size: { width: number; height: number }, area: Rectangle): Rectangle => ({
  ...size,
  x: Math.round(area.x + (area.width - size.width) / 2),
  y: Math.round(area.y + (area.height - size.height) / 2),
})

const sizeWithin = (size: { width: number; height: number }, area: Rectangle) => ({
  width: Math.round(between(size.width, MINIMUM_SIZE.width, area.width)),
  height: Math.round(between(size.height, MINIMUM_SIZE.height, area.height)),
})

/**
 * @param saved last bounds; undefined on first launch
 * @param areas work areas of the displays, the primary one first
 */
export function boundsOnScreen(saved: WindowBounds | undefined, areas: readonly Rectangle[]): WindowBounds {
  const primary = areas[0] ?? { x: 0, y: 0, ...DEFAULT_SIZE }
  if (saved === undefined)
    return { ...centered(sizeWithin(DEFAULT_SIZE, primary), primary), maximized: false }
  for (const area of areas) {
    const bounds = { x: Math.round(saved.x), y: Math.round(saved.y), ...sizeWithin(saved, area) }
    if (canBeGrabbed(bounds, area)) return { ...bounds, maximized: saved.maximized }
  }
  return { ...centered(sizeWithin(saved, primary), primary), maximized: saved.maximized }
}

const KEY = 'window'

export type BoundsStore = { get(key: string): unknown; set(key: string, value: unknown): void }

/** Stores the bounds with the settings. An invalid stored value counts as missing. */
export const boundsKeeper = (store: BoundsStore) => ({
  read: (): WindowBounds | undefined => WindowBounds.safeParse(store.get(KEY)).data,
  write: (bounds: WindowBounds): void => store.set(KEY, bounds),
})
