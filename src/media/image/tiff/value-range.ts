/** Decides which floating-point values are black and white, because TIFF doesn't define them. */

export type ValueRange = readonly [black: number, white: number]

/** Range of a photo in which values beyond 1 are brighter than white. */
const UNIT: ValueRange = [0, 1]
/**
 * Highest value that fits the range `UNIT`. If the file doesn't state its lowest and highest value, higher values fit it too, unless more
 * values are above 1 than between 0 and 1.
 */
const MOST_LIGHT = 16
/** Maximum value that resizing may cause at edges. Higher values are highlights. */
const BRIGHT = 1.05
const BRIGHT_SHARE = 0.001
/** If all values are below this, they are measurements in another unit. The range `UNIT` would make the image black. */
const FAINT = 1 / 32
/** Limit for the magnitude of values. Larger numbers stand for missing values. */
const MOST_VALUE = 1e30
/** Numbers that map software writes for missing values, even if the file doesn't state them. */
const MISSING: readonly number[] = [-9999, -32_767, -32_768]
/**
 * Samples were once integers of 8 bits if their highest value is at most `EIGHT_BITS`, or of 16 bits if it is above `LEAST_SIXTEEN_BITS`
 * and at most `SIXTEEN_BITS`.
 */
const [EIGHT_BITS, LEAST_SIXTEEN_BITS, SIXTEEN_BITS] = [255, 2 ** 14, 65_535]

export type FoundRange = {
  readonly range: ValueRange
  /** Whether more than 0.1% of the values are brighter than white, as in HDR. */
  readonly hasHighlights: boolean
}

/**
 * Collects the values of the colors and chooses black and white.
 * @param missing the number that stands for a missing value, NaN if the file doesn't state one
 */
export function createRangeFinder(missing: number) {
  const ignored = new Set([...MISSING, missing, Math.fround(missing)])
  let [least, most] = [Infinity, -Infinity]
  const counts = { all: 0, negative: 0, light: 0, beyond: 0, bright: 0 }
  return {
    add(value: number): void {
      // Also excludes NaN.
      if (!(Math.abs(value) < MOST_VALUE) || ignored.has(value)) return
      if (value < least) least = value
      if (value > most) most = value
      counts.all++
      if (value < 0) counts.negative++
      else if (value > 1) counts.beyond++
      else if (value > 0) counts.light++
      if (value > BRIGHT) counts.bright++
    },
    /**
     * Chooses black and white by the collected values.
     * @param stated the lowest and the highest value, if the file states them
     */
    found(stated: ValueRange | undefined): FoundRange {
      const [from, to] = stated ?? [least, most]
      const isStatedLight = from >= 0 && to <= MOST_LIGHT
      const isLight = most <= MOST_LIGHT || counts.light >= counts.beyond
      if (stated === undefined && most < FAINT && most > Math.max(0, least))
        return { range: [Math.min(0, least), most], hasHighlights: false }
      const isUnit = stated === undefined ? isLight && counts.negative <= counts.light : isStatedLight
      if (!isUnit && to > from) return { range: usualRange(from, to), hasHighlights: false }
      return { range: UNIT, hasHighlights: counts.bright > counts.all * BRIGHT_SHARE }
    },
  }
}

function usualRange(least: number, most: number): ValueRange {
  if (least < 0) return [least, most]
  if (most <= EIGHT_BITS) return [0, EIGHT_BITS]
  return most > LEAST_SIXTEEN_BITS && most <= SIXTEEN_BITS ? [0, SIXTEEN_BITS] : [least, most]
}
