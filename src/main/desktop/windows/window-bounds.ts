/** Where the window was, brought back to where it can be seen. */
import * as z from 'zod'

export type Rectangle = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
export type WindowBounds = Rectangle & { readonly maximized: boolean }

export const DEFAULT_SIZE = { width: 880, height: 640 } as const
export const MINIMUM_SIZE = { width: 420, height: 560 } as const

/** Enough of the title bar to take hold of, in pixels. */
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

const centred = (size: { width: number; height: number }, area: Rectangle): Rectangle => ({
  ...size,
  x: Math.round(area.x + (area.width - size.width) / 2),
  y: Math.round(area.y + (area.height - size.height) / 2),
})

const sizeWithin = (size: { width: number; height: number }, area: Rectangle) => ({
  width: Math.round(between(size.width, MINIMUM_SIZE.width, area.width)),
  height: Math.round(between(size.height, MINIMUM_SIZE.height, area.height)),
})

/**
 * @param saved where the window was last, undefined at first start
 * @param areas the work areas of the displays, the primary one first
 */
export function boundsOnScreen(saved: WindowBounds | undefined, areas: readonly Rectangle[]): WindowBounds {
  const primary = areas[0] ?? { x: 0, y: 0, ...DEFAULT_SIZE }
  if (saved === undefined) return { ...centred(sizeWithin(DEFAULT_SIZE, primary), primary), maximized: false }
  for (const area of areas) {
    const bounds = { x: Math.round(saved.x), y: Math.round(saved.y), ...sizeWithin(saved, area) }
    if (canBeGrabbed(bounds, area)) return { ...bounds, maximized: saved.maximized }
  }
  return { ...centred(sizeWithin(saved, primary), primary), maximized: saved.maximized }
}

const SavedBounds = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  maximized: z.boolean(),
})
const KEY = 'window'

export type BoundsStore = { get(key: string): unknown; set(key: string, value: unknown): void }

/** Kept beside the settings; what does not make sense counts as never saved. */
export const boundsKeeper = (store: BoundsStore) => ({
  read: (): WindowBounds | undefined => SavedBounds.safeParse(store.get(KEY)).data,
  write: (bounds: WindowBounds): void => store.set(KEY, bounds),
})
