/** Computes rotation, crop and size of a video's frames, in pixels of the upright frame. */
import type { Extent } from '../../shared/extent.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'

export type UprightFrame = Extent & {
  /** Dimensions of a pixel as shown. One of them is 1. */
  readonly pixel: Extent
}

export type Geometry = ReturnType<typeof planGeometry>

type Box = Extent & { readonly x: number; readonly y: number }

/** The encoder's constraints: sides must be multiples of `step`, and `least` or more. */
export type SizeRule = { readonly step: 1 | 2; readonly least: number; readonly squarePixels: boolean }

export function planGeometry(
  frame: UprightFrame,
  recipe: Pick<VideoRecipe, 'height' | 'crop'>,
  variation: VariationValues | undefined,
  rule: SizeRule,
) {
  const whole: Box = { x: 0, y: 0, width: frame.width, height: frame.height }
  const pixelAspect = frame.pixel.width / frame.pixel.height
  const wanted = cropToAspect(whole, recipe.crop?.aspect, pixelAspect)
  // A variation crops more, but all variations have the same size.
  const size = fitSize(wanted, recipe.height, rule.squarePixels ? frame.pixel : SQUARE, rule)
  const kept = cropToAspect(cropByShares(whole, variation), recipe.crop?.aspect, pixelAspect)
  const crop = snap(kept, rule.step, sameSize(kept, size, rule.step))
  return {
    /** The area to keep, in pixels of the upright frame before it is scaled; undefined: the whole frame. */
    crop: crop.width === whole.width && crop.height === whole.height ? undefined : crop,
    /** Size after cropping the empty corners of a slightly rotated frame; undefined: no such rotation. */
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

const SQUARE: Extent = { width: 1, height: 1 }

function fitSize(box: Box, shortSide: number | undefined, pixel: Extent, rule: SizeRule): Extent {
  const [width, height] = [box.width * pixel.width, box.height * pixel.height]
  const shrink = Math.min(1, (shortSide ?? Infinity) / Math.min(width, height))
  // At full size, crop an odd row or column, because scaling would blur the whole frame.
  const round = shrink === 1 && pixel.width === pixel.height ? Math.floor : Math.round
  const side = (length: number) =>
    Math.max(rule.least, round(length / rule.step + ROUNDING_NOISE) * rule.step)
  return { width: side(width * shrink), height: side(height * shrink) }
}

const even = (length: number): number => Math.max(2, Math.round(length / 2) * 2)

/** Maximum difference in aspect ratio to remove by stretching. Stretching this little is invisible and avoids a thin bar. */
const INVISIBLE_STRETCH = 0.02

/**
 * Returns the dimensions at which a frame fits into another frame, without visible distortion.
 * @param pixelAspect of the frame
 */
export function sizeWithin(
  other: Extent & { readonly pixelAspect: number },
  { width, height }: Extent,
  pixelAspect: number,
): Extent {
  const ratio = (width * pixelAspect * other.height) / (height * other.width * other.pixelAspect)
  if (Math.abs(ratio - 1) <= INVISIBLE_STRETCH) return { width: other.width, height: other.height }
  return ratio > 1
    ? { width: other.width, height: Math.min(other.height, even(other.height / ratio)) }
    : { width: Math.min(other.width, even(other.width * ratio)), height: other.height }
}

const ROUNDING_NOISE = 1e-6

function sameSize(box: Box, size: Extent, step: number): boolean {
  const within = (length: number, target: number) => length >= target && length - target < step
  return within(box.width, size.width) && within(box.height, size.height)
}

/**
 * Rounds to whole pixels without splitting a chroma sample.
 * Rounds the size down to a multiple of the step only if the frame isn't scaled afterwards.
 */
function snap(box: Box, step: number, unscaled: boolean): Box {
  const down = (length: number) => Math.floor(length / step + ROUNDING_NOISE) * step
  const unit = unscaled ? down : (length: number) => Math.max(1, Math.round(length))
  return { x: down(box.x), y: down(box.y), width: unit(box.width), height: unit(box.height) }
}

/** Returns the size of the largest area of the same aspect ratio that has no empty corners after a rotation by `degrees`. */
function cutOfRotation(box: Box, degrees: number, step: number): Extent | undefined {
  if (degrees === 0) return undefined
  const angle = (Math.abs(degrees) * Math.PI) / 180
  const longToShort = Math.max(box.width, box.height) / Math.min(box.width, box.height)
  const share = 1 / (Math.cos(angle) + longToShort * Math.sin(angle))
  const side = (length: number) =>
    Math.min(length, Math.max(step, Math.floor((length * share) / step) * step))
  return { width: side(box.width), height: side(box.height) }
}

/** Filters that rotate or mirror a frame, and whether they swap width and height. */
export type Rotation = { readonly filters: readonly string[]; readonly swapsSides: boolean }

export const NO_ROTATION: Rotation = { filters: [], swapsSides: false }

const DISPLAY_MATRIX_BYTES = 36

/**
 * Reads a display matrix: nine 32-bit numbers in this computer's byte order. The upper left four rotate and mirror.
 * Rounds angles to the nearest multiple of 90°.
 */
export function rotationOfDisplayMatrix(matrix: Buffer | null): Rotation {
  if (matrix === null || matrix.length < DISPLAY_MATRIX_BYTES) return NO_ROTATION
  const entries = new Int32Array(new Uint8Array(matrix.subarray(0, DISPLAY_MATRIX_BYTES)).buffer)
  const [a = 0, b = 0, , c = 0, d = 0] = entries
  if (Math.abs(b) + Math.abs(c) > Math.abs(a) + Math.abs(d)) return sideways(b > 0, c > 0)
  const filters = [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])]
  return { filters, swapsSides: false }
}

const ONE = 0x1_00_00
const LAST_ENTRY = 0x40_00_00_00
/** A smaller difference from a multiple of 90°, in degrees, is only a rounding error. */
const NO_ANGLE = 1

/**
 * Returns a display matrix with only the rotation and the mirroring of another one. Matroska can't hold any other matrix: FFmpeg would
 * ignore the whole matrix.
 */
export function onlyRotation(matrix: Buffer): Buffer {
  const [a = 0, b = 0, , c = 0, d = 0] = new Int32Array(new Uint8Array(matrix).buffer)
  const mirror = a * d - b * c < 0 ? -1 : 1
  const exact = (Math.atan2(b - mirror * c, a + mirror * d) * 180) / Math.PI
  const right = Math.round(exact / 90) * 90
  const angle = ((Math.abs(exact - right) < NO_ANGLE ? right : exact) * Math.PI) / 180
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)].map((value) => Math.round(value * ONE))
  const [across, down] = [cosine ?? 0, sine ?? 0]
  const entries = [across, down, 0, -mirror * down, mirror * across, 0, 0, 0, LAST_ENTRY]
  return Buffer.from(new Int32Array(entries).buffer)
}

function sideways(rightBecomesDown: boolean, downBecomesRight: boolean): Rotation {
  const direction = rightBecomesDown
    ? downBecomesRight
      ? 'cclock_flip'
      : 'clock'
    : downBecomesRight
      ? 'cclock'
      : 'clock_flip'
  return { filters: [`transpose=${direction}`], swapsSides: true }
}

const ROTATIONS = {
  0: NO_ROTATION,
  90: { filters: ['transpose=clock'], swapsSides: true },
  180: { filters: ['hflip', 'vflip'], swapsSides: false },
  270: { filters: ['transpose=cclock'], swapsSides: true },
} as const satisfies Record<number, Rotation>

export function rotationOfDegrees(degrees: keyof typeof ROTATIONS): Rotation {
  return ROTATIONS[degrees]
}

/** Combines two rotations. Opposite quarter turns cancel out, which saves two filters per frame. */
export function combineRotations(first: Rotation, second: Rotation): Rotation {
  const both = [...first.filters, ...second.filters]
  const cancels = both.length === 2 && both.includes('transpose=clock') && both.includes('transpose=cclock')
  return { filters: cancels ? [] : both, swapsSides: first.swapsSides !== second.swapsSides }
}
