/**
 * How a stored picture becomes upright, which part of it is kept, and how large it comes out. Pure sums, in pixels of the
 * upright picture.
 */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'

/** The upright picture as decoded. `pixelAspect` is the width of a pixel over its height. */
export type UprightPicture = { readonly width: number; readonly height: number; readonly pixelAspect: number }

export type Geometry = {
  /** In stored pixels; undefined keeps everything. */
  readonly crop: Box | undefined
  /** The part that is left of each side, once the corners of a slight rotation are cut away. */
  readonly cutAfterRotation: { readonly width: number; readonly height: number } | undefined
  readonly width: number
  readonly height: number
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** What the encoder asks of a size: sides that are multiples of `step`, and at least `least`. */
export type SizeRule = { readonly step: 1 | 2; readonly least: number; readonly squarePixels: boolean }

export function planGeometry(
  picture: UprightPicture,
  recipe: Pick<VideoRecipe, 'height' | 'crop'>,
  variation: VariationValues | undefined,
  rule: SizeRule,
): Geometry {
  const whole: Box = { x: 0, y: 0, width: picture.width, height: picture.height }
  const pixelAspect = rule.squarePixels ? picture.pixelAspect : 1
  const wanted = cropToAspect(whole, recipe.crop?.aspect, picture.pixelAspect)
  // A variation is cut closer but comes out at the size of its siblings.
  const size = fitSize(wanted, recipe.height, pixelAspect, rule)
  const kept = cropToAspect(cropByShares(whole, variation), recipe.crop?.aspect, picture.pixelAspect)
  const crop = snap(kept, rule.step, sameSize(kept, size, rule.step))
  return {
    crop: crop.width === whole.width && crop.height === whole.height ? undefined : crop,
    cutAfterRotation: cutOfRotation(crop, variation?.rotation ?? 0, rule.step),
    ...size,
  }
}

function cropByShares(box: Box, variation: VariationValues | undefined): Box {
  if (variation === undefined) return box
  const { cropLeft, cropTop, cropRight, cropBottom } = variation
  return {
    x: box.width * cropLeft,
    y: box.height * cropTop,
    width: box.width * Math.max(0, 1 - cropLeft - cropRight),
    height: box.height * Math.max(0, 1 - cropTop - cropBottom),
  }
}

function cropToAspect(box: Box, aspect: number | undefined, pixelAspect: number): Box {
  if (aspect === undefined) return box
  const storedAspect = aspect / pixelAspect
  const width = Math.min(box.width, box.height * storedAspect)
  const height = Math.min(box.height, box.width / storedAspect)
  return { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height }
}

function fitSize(box: Box, shortSide: number | undefined, pixelAspect: number, rule: SizeRule): Size {
  const width = box.width * pixelAspect
  const shrink = Math.min(1, (shortSide ?? Infinity) / Math.min(width, box.height))
  // At full size an odd row or column is cut off instead of blurring all others by scaling.
  const round = shrink === 1 && pixelAspect === 1 ? Math.floor : Math.round
  const side = (length: number) =>
    Math.max(rule.least, round(length / rule.step + ROUNDING_NOISE) * rule.step)
  return { width: side(width * shrink), height: side(box.height * shrink) }
}

type Size = { readonly width: number; readonly height: number }

const ROUNDING_NOISE = 1e-6

function sameSize(box: Box, size: Size, step: number): boolean {
  const within = (length: number, target: number) => length >= target && length - target < step
  return within(box.width, size.width) && within(box.height, size.height)
}

/** Whole pixels, in steps that no chroma sample straddles; cut down to the step only where nothing is scaled later. */
function snap(box: Box, step: number, unscaled: boolean): Box {
  const down = (length: number) => Math.floor(length / step + ROUNDING_NOISE) * step
  const unit = unscaled ? down : (length: number) => Math.max(1, Math.round(length))
  return { x: down(box.x), y: down(box.y), width: unit(box.width), height: unit(box.height) }
}

/** The largest part with the same proportions that holds no empty wedge after turning by `degrees`. */
function cutOfRotation(box: Box, degrees: number, step: number): Geometry['cutAfterRotation'] {
  if (degrees === 0) return undefined
  const angle = (Math.abs(degrees) * Math.PI) / 180
  const longToShort = Math.max(box.width, box.height) / Math.min(box.width, box.height)
  const share = 1 / (Math.cos(angle) + longToShort * Math.sin(angle))
  const side = (length: number) =>
    Math.min(length, Math.max(step, Math.floor((length * share) / step) * step))
  return { width: side(box.width), height: side(box.height) }
}

/** The filters that make a stored picture upright, and whether width and height change places. */
export type Turn = { readonly filters: readonly string[]; readonly swapsSides: boolean }

export const NO_TURN: Turn = { filters: [], swapsSides: false }

const DISPLAY_MATRIX_BYTES = 36

/**
 * Reads a display matrix (nine 32-bit numbers in the byte order of this computer; the upper left four turn and mirror).
 * Angles between the right ones are taken for the nearest right one.
 */
export function turnOfDisplayMatrix(matrix: Buffer | null): Turn {
  if (matrix === null || matrix.length < DISPLAY_MATRIX_BYTES) return NO_TURN
  const entries = new Int32Array(new Uint8Array(matrix.subarray(0, DISPLAY_MATRIX_BYTES)).buffer)
  const [a = 0, b = 0, , c = 0, d = 0] = entries
  if (Math.abs(b) + Math.abs(c) > Math.abs(a) + Math.abs(d)) return sideways(b > 0, c > 0)
  const filters = [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])]
  return { filters, swapsSides: false }
}

function sideways(rightBecomesDown: boolean, downBecomesRight: boolean): Turn {
  const direction = rightBecomesDown
    ? downBecomesRight
      ? 'cclock_flip'
      : 'clock'
    : downBecomesRight
      ? 'cclock'
      : 'clock_flip'
  return { filters: [`transpose=${direction}`], swapsSides: true }
}

const TURNS = {
  0: NO_TURN,
  90: { filters: ['transpose=clock'], swapsSides: true },
  180: { filters: ['hflip', 'vflip'], swapsSides: false },
  270: { filters: ['transpose=cclock'], swapsSides: true },
} as const satisfies Record<number, Turn>

/** A quarter turn, or several, clockwise. */
export function turnOfDegrees(degrees: keyof typeof TURNS): Turn {
  return TURNS[degrees]
}

/** One turn after the other; two opposite quarter turns cancel out, which spares two passes over every picture. */
export function combineTurns(first: Turn, second: Turn): Turn {
  const both = [...first.filters, ...second.filters]
  const cancels = both.length === 2 && both.includes('transpose=clock') && both.includes('transpose=cclock')
  return { filters: cancels ? [] : both, swapsSides: first.swapsSides !== second.swapsSides }
}
