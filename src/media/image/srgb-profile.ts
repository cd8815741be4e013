/** Recognizes sRGB by the colors that a profile defines (ICC.1:2022), because some profiles for other colors have sRGB in their name. */
import type { Triple } from './color-matrix.ts'
import { unlessTooShort } from './image-failure.ts'

/** XYZ values of red, green and blue, relative to the profile illuminant. */
const COLORANTS = {
  rXYZ: [0.4361, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7139],
} as const
const COLORS = ['rXYZ', 'gXYZ', 'bXYZ'] as const
const CURVES = ['rTRC', 'gTRC', 'bTRC'] as const
/** Accepted differences from sRGB, because profiles round its colors and its curve differently. */
const [ROUNDING, CURVE_ROUNDING] = [0.003, 0.004]
const SAMPLES = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9] as const

/** The inverse of `curveOfSrgb`. */
export const lightOfSrgb = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4

/** Returns the stored level for an amount of light. Both are from 0 to 1. */
export function curveOfSrgb(light: number): number {
  const share = Math.max(0, Math.min(1, light))
  return share <= 0.003_130_8 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055
}

const [TABLE, ENTRY] = [128, 12]
const MOST_TAGS = 100

const isNear = (light: (level: number) => number): boolean =>
  SAMPLES.every((x) => Math.abs(light(x) - lightOfSrgb(x)) <= CURVE_ROUNDING)

/** Returns whether the profile is equivalent to sRGB, or to gray with sRGB's curve. */
export const isSrgbProfile = (icc: Buffer): boolean =>
  unlessTooShort(() => {
    const tags = tagsOf(icc)
    const gray = lightOfGray(icc)
    if (gray !== undefined) return isNear(gray)
    const colorants = Object.entries(COLORANTS).every(([name, xyz]) =>
      xyz.every((value, index) => {
        const stored = (tags.get(name)?.readInt32BE(8 + index * 4) ?? NaN) / 65_536
        return Math.abs(stored - value) <= ROUNDING
      }),
    )
    const curves = CURVES.map((name) => tags.get(name))
    return colorants && curves.every((curve) => curve !== undefined && isNear((x) => curveAt(curve, x)))
  }) ?? false

type Light = (level: number) => number

/**
 * Returns the XYZ values of red, green and blue, and a function from a stored level to its light for each.
 * @returns undefined unless it is an RGB profile without tables
 */
export const lightOfColors = (icc: Buffer) =>
  unlessTooShort(() => {
    const tags = tagsOf(icc)
    const isPlain = icc.toString('latin1', 16, 24) === 'RGB XYZ ' && !tags.has('A2B0') && !tags.has('A2B1')
    const curves = CURVES.flatMap((name): readonly Light[] => {
      const curve = tags.get(name)
      return curve === undefined || Number.isNaN(curveAt(curve, 1)) ? [] : [(level) => curveAt(curve, level)]
    })
    const colorants = COLORS.flatMap((name): readonly Triple[] => {
      const tag = tags.get(name)
      const value = (index: number) => (tag?.readInt32BE(8 + index * 4) ?? 0) / 65_536
      return tag === undefined ? [] : [[value(0), value(1), value(2)]]
    })
    const [red, green, blue] = colorants
    if (!isPlain || curves.length < 3 || !red || !green || !blue) return undefined
    return { curves, colorants: [red, green, blue] as const }
  })

/**
 * Creates a function that maps a stored level to its light, both from 0 to 1.
 * @returns undefined if it isn't a gray profile with a known type of curve
 */
export function lightOfGray(icc: Buffer): ((level: number) => number) | undefined {
  return unlessTooShort((): ((level: number) => number) | undefined => {
    const curve = tagsOf(icc).get('kTRC')
    if (icc.toString('latin1', 16, 20) !== 'GRAY' || curve === undefined) return undefined
    // Throws here rather than later if the curve is cut off. An unknown type of curve has no values.
    if (Number.isNaN(curveAt(curve, 1))) return undefined
    if (icc.toString('latin1', 20, 24) !== 'Lab ') return (level) => curveAt(curve, level)
    return (level) => lightOfLab(curveAt(curve, level))
  })
}

/** @param lightness L* as a share of 100 */
const lightOfLab = (lightness: number): number =>
  lightness > 0.08 ? ((lightness * 100 + 16) / 116) ** 3 : lightness / 9.033

function tagsOf(icc: Buffer): ReadonlyMap<string, Buffer> {
  const tags = new Map<string, Buffer>()
  const count = Math.min(MOST_TAGS, icc.readUInt32BE(TABLE))
  for (let at = TABLE + 4; at < TABLE + 4 + count * ENTRY; at += ENTRY) {
    const offset = icc.readUInt32BE(at + 4)
    tags.set(icc.toString('latin1', at, at + 4), icc.subarray(offset, offset + icc.readUInt32BE(at + 8)))
  }
  return tags
}

/** Returns the linear light for a stored value, both from 0 to 1. */
function curveAt(curve: Buffer, x: number): number {
  if (curve.toString('latin1', 0, 4) === 'para') return parametric(curve, x)
  const count = curve.readUInt32BE(8)
  if (count === 0) return x
  if (count === 1) return x ** (curve.readUInt16BE(12) / 256)
  const place = x * (count - 1)
  const [low, high] = [Math.floor(place), Math.ceil(place)].map(
    (at) => curve.readUInt16BE(12 + at * 2) / 0xffff,
  )
  return (low ?? 0) + ((high ?? 0) - (low ?? 0)) * (place % 1)
}

/** Number of parameters of each type of function. */
const PARAMETERS = [1, 3, 4, 5, 7] as const

/** Returns the value of a parametric curve. All types are special cases of the last one (10.18). */
function parametric(curve: Buffer, x: number): number {
  const type = curve.readUInt16BE(8)
  const count = PARAMETERS[type] ?? 0
  const [g = NaN, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(
    { length: count },
    (_, index) => curve.readInt32BE(12 + index * 4) / 65_536,
  )
  if (type < 3) return x >= -b / a ? (a * x + b) ** g + c : c
  return x >= d ? (a * x + b) ** g + e : c * x + f
}
