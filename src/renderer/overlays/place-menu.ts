import type { OpenMenu } from '../store/overlays.ts'

const GAP = 4
const EDGE = 8

/** Below what it belongs to, with equal near edges; moved so that it is wholly in the window. */
export function placeMenu(box: HTMLElement, { anchor, point }: OpenMenu): void {
  const at = anchor.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const rightToLeft = getComputedStyle(box).direction === 'rtl'
  // A context menu that a key opened has no pointer: it stands below its row.
  const byPointer = point !== undefined && (point.x !== 0 || point.y !== 0)
  const wantedX = byPointer ? point.x : endsBeyondMiddle(at, rightToLeft) ? at.right - width : at.left
  const below = byPointer ? point.y : at.bottom + GAP
  const above = byPointer ? point.y - height : at.top - GAP - height
  const y = below + height > innerHeight - EDGE && above >= EDGE ? above : below
  box.style.setProperty('--x', `${clamp(wantedX, innerWidth - width - EDGE)}px`)
  box.style.setProperty('--y', `${clamp(y, innerHeight - height - EDGE)}px`)
}

/** Menus of things near the far edge open towards the near one. */
const endsBeyondMiddle = (at: DOMRect, rightToLeft: boolean): boolean =>
  rightToLeft ? at.left > 280 : at.left + 280 > innerWidth

const clamp = (value: number, most: number): number => Math.max(EDGE, Math.min(value, most))
