/** Builds ICC profiles (ICC.1:2022) for colors that a file specifies only by numbers, so that sharp can convert them. */
import { int32, uint16, uint32 } from '../big-endian.ts'
import { BRADFORD, type Matrix, times, type Triple } from './color-matrix.ts'

/** CIE 1931 xy coordinates. */
type Chromaticity = readonly [x: number, y: number]
type Primaries = {
  readonly white: Chromaticity
  readonly red: Chromaticity
  readonly green: Chromaticity
  readonly blue: Chromaticity
}

const D65: Chromaticity = [0.3127, 0.329]
const ILLUMINANT_C: Chromaticity = [0.31, 0.316]

const primaries = (
  red: Chromaticity,
  green: Chromaticity,
  blue: Chromaticity,
  white: Chromaticity = D65,
): Primaries => ({ red, green, blue, white })

export const SRGB_PRIMARIES = primaries([0.64, 0.33], [0.3, 0.6], [0.15, 0.06])
const SMPTE_C = primaries([0.63, 0.34], [0.31, 0.595], [0.155, 0.07])
/** Primaries by their numbers in ITU-T H.273. */
const PRIMARIES = new Map<number, Primaries>([
  [1, SRGB_PRIMARIES],
  [4, primaries([0.67, 0.33], [0.21, 0.71], [0.14, 0.08], ILLUMINANT_C)],
  [5, primaries([0.64, 0.33], [0.29, 0.6], [0.15, 0.06])],
  [6, SMPTE_C],
  [7, SMPTE_C],
  [8, primaries([0.681, 0.319], [0.243, 0.692], [0.145, 0.049], ILLUMINANT_C)],
  [9, primaries([0.708, 0.292], [0.17, 0.797], [0.131, 0.046])],
  [10, primaries([1, 0], [0, 1], [0, 0], [1 / 3, 1 / 3])],
  [11, primaries([0.68, 0.32], [0.265, 0.69], [0.15, 0.06], [0.314, 0.351])],
  [12, primaries([0.68, 0.32], [0.265, 0.69], [0.15, 0.06])],
  [22, primaries([0.63, 0.34], [0.295, 0.605], [0.155, 0.077])],
])

/**
 * Curve parameters g, a, b, c, d: `(a·x + b)^g` for x of at least d and `c·x` below. A single value is the exponent of a pure power
 * curve.
 */
type Curve = readonly [number] | readonly [number, number, number, number, number]

const SRGB_CURVE: Curve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
/** Curves by their numbers in ITU-T H.273. */
const CURVES = new Map<number, Curve>([
  [4, [2.2]],
  [5, [2.8]],
  [7, [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4, 4 * 0.0228]],
  [8, [1]],
  [13, SRGB_CURVE],
  // White is brighter than the reference of this curve.
  [17, [2.6, (52.37 / 48) ** (1 / 2.6), 0, 0, 0]],
])

/** Camera curves of television standards: BT.709, BT.601, xvYCC, and BT.2020 in 10 and 12 bits. */
const TELEVISION: ReadonlySet<number> = new Set([1, 6, 11, 14, 15])

/** How formats interpret a television curve: as the camera's curve, as the different curve of a screen, or as sRGB. */
const TELEVISION_CURVES = {
  camera: [1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081],
  screen: [2.4],
  sRGB: SRGB_CURVE,
} as const satisfies Readonly<Record<string, Curve>>

/** Numbers from ITU-T H.273. */
export type NamedColors = { readonly primaries: number; readonly transfer: number }

/** How a file without a profile defines its colors. */
export type ColorNumbers = { readonly primaries: Primaries; readonly curve: Curve }

/**
 * Returns the primaries and the curve that numbers from ITU-T H.273 stand for.
 * @returns undefined for unknown colors
 */
export function numbersOf(
  named: NamedColors,
  television: keyof typeof TELEVISION_CURVES,
): ColorNumbers | undefined {
  const known = PRIMARIES.get(named.primaries)
  const { transfer } = named
  const curve = TELEVISION.has(transfer) ? TELEVISION_CURVES[television] : CURVES.get(transfer)
  return known && curve && { primaries: known, curve }
}

export const isSrgb = ({ primaries: named, curve }: ColorNumbers): boolean =>
  named === SRGB_PRIMARIES && curve === SRGB_CURVE

/** Largest difference that rounding explains: absolute for coordinates, relative for exponents. */
const ROUNDING = 0.01
const SRGB_GAMMA = 2.2

/**
 * Returns whether the numbers are those that programs write into sRGB files for older programs: sRGB's primaries, with the power curve
 * closest to sRGB's.
 */
export function isNearSrgb({ primaries: { white, red, green, blue }, curve }: ColorNumbers): boolean {
  const srgb = SRGB_PRIMARIES
  const same = (one: Chromaticity, other: Chromaticity) =>
    one.every((value, index) => Math.abs(value - (other[index] ?? 0)) <= ROUNDING)
  return (
    curve.length === 1 &&
    Math.abs(curve[0] - SRGB_GAMMA) <= SRGB_GAMMA * ROUNDING &&
    same(white, srgb.white) &&
    same(red, srgb.red) &&
    same(green, srgb.green) &&
    same(blue, srgb.blue)
  )
}

const D50: Triple = [0.9642, 1, 0.8249]

/** Returns a profile for RGB or, if the image has no colors, for gray; undefined if the primaries don't span any colors. */
export function profileOf({ primaries: named, curve }: ColorNumbers, isGray = false): Buffer | undefined {
  const response = curveTag(curve)
  const common: readonly (readonly [string, Buffer])[] = [
    ['desc', textTag('Colors by numbers')],
    ['cprt', textTag('No copyright')],
    ['wtpt', xyzTag(D50)],
  ]
  if (isGray) return assemble('GRAY', [...common, ['kTRC', response]])
  const colorants = colorantsOf(named)
  if (colorants === undefined) return undefined
  const [red, green, blue] = colorants
  return assemble('RGB ', [
    ...common,
    ['rXYZ', xyzTag(red)],
    ['gXYZ', xyzTag(green)],
    ['bXYZ', xyzTag(blue)],
    ['rTRC', response],
    ['gTRC', response],
    ['bTRC', response],
  ])
}

export const srgbProfile = (): Buffer | undefined =>
  profileOf({ primaries: SRGB_PRIMARIES, curve: SRGB_CURVE })

/**
 * Returns the matrix that converts linear values of these colorants to linear sRGB; undefined if the colorants don't span any colors.
 * @param colorants XYZ values of red, green and blue
 */
export function matrixToSrgb(colorants: Matrix): Matrix | undefined {
  const srgb = colorantsOf(SRGB_PRIMARIES)
  const inverse = srgb && inverted(transposed(srgb))
  return (
    inverse &&
    inverted(colorants) &&
    transposed(colorants.map((one) => times(inverse, one)) as unknown as Matrix)
  )
}

/**
 * Returns the XYZ values of red, green and blue relative to D50, the profile illuminant.
 * @returns undefined if the primaries don't span any colors
 */
function colorantsOf({ white, red, green, blue }: Primaries): Matrix | undefined {
  const columns = transposed([xyzOf(red), xyzOf(green), xyzOf(blue)])
  const inverse = inverted(columns)
  const toEye = inverted(BRADFORD)
  if (white[1] <= 0 || inverse === undefined || toEye === undefined) return undefined
  const light = xyzOf(white).map((value) => value / white[1]) as unknown as Triple
  const amounts = times(inverse, light)
  const [from, to] = [times(BRADFORD, light), times(BRADFORD, D50)]
  return transposed(columns).map((column, index) => {
    const seen = times(BRADFORD, column).map(
      (value, eye) => (value * (amounts[index] ?? 0) * (to[eye] ?? 0)) / (from[eye] ?? 1),
    )
    return times(toEye, seen as unknown as Triple)
  }) as unknown as Matrix
}

const xyzOf = ([x, y]: Chromaticity): Triple => [x, y, 1 - x - y]

const transposed = ([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix => [
  [a, d, g],
  [b, e, h],
  [c, f, i],
]

function inverted([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix | undefined {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  if (Math.abs(determinant) < 1e-9) return undefined
  const scaled = (value: number) => value / determinant
  return [
    [scaled(e * i - f * h), scaled(c * h - b * i), scaled(b * f - c * e)],
    [scaled(f * g - d * i), scaled(a * i - c * g), scaled(c * d - a * f)],
    [scaled(d * h - e * g), scaled(b * g - a * h), scaled(a * e - b * d)],
  ]
}

function assemble(space: 'RGB ' | 'GRAY', tags: readonly (readonly [string, Buffer])[]): Buffer {
  let end = 128 + 4 + tags.length * 12
  const table = tags.map(([name, content]) => {
    const start = end
    end += content.length
    return Buffer.concat([Buffer.from(name), uint32(start, content.length)])
  })
  const head = Buffer.alloc(128)
  head.writeUInt32BE(end, 0)
  head.writeUInt32BE(0x04300000, 8)
  head.write(`mntr${space}XYZ `, 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  xyzTag(D50).copy(head, 68, 8)
  return Buffer.concat([head, uint32(tags.length), ...table, ...tags.map(([, content]) => content)])
}

const xyzTag = (values: Triple): Buffer =>
  Buffer.concat([Buffer.from('XYZ \0\0\0\0'), int32(...values.map(fixed))])

function curveTag(parameters: Curve): Buffer {
  const type = uint16(parameters.length === 1 ? 0 : 3, 0)
  return Buffer.concat([Buffer.from('para\0\0\0\0'), type, int32(...parameters.map(fixed))])
}

function textTag(words: string): Buffer {
  const text = Buffer.from(words, 'utf16le').swap16()
  const name = [Buffer.from('mluc\0\0\0\0'), uint32(1, 12), Buffer.from('enUS'), uint32(text.length, 28)]
  return Buffer.concat([...name, text, Buffer.alloc(text.length % 4)])
}

const fixed = (value: number): number => Math.round(value * 65_536)
