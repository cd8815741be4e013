/** Builds an ICC profile (ICC.1:2022) for colors that a file specifies only by numbers, so that sharp can convert them. */
import {
  AVCOL_PRI_BT2020,
  AVCOL_PRI_BT709,
  AVCOL_PRI_SMPTE432,
  AVCOL_TRC_BT2020_10,
  AVCOL_TRC_BT2020_12,
  AVCOL_TRC_BT709,
  AVCOL_TRC_GAMMA22,
  AVCOL_TRC_GAMMA28,
  AVCOL_TRC_IEC61966_2_1,
  AVCOL_TRC_LINEAR,
  AVCOL_TRC_SMPTE170M,
  AVCOL_TRC_SMPTE428,
  type AVColorPrimaries,
  type AVColorTransferCharacteristic,
} from 'node-av/constants'

type Triple = readonly [number, number, number]

/** XYZ values of red, green and blue, relative to D50, the profile illuminant. */
const COLORANTS = new Map<AVColorPrimaries, readonly [Triple, Triple, Triple]>([
  [
    AVCOL_PRI_BT709,
    [
      [0.43607, 0.22249, 0.01392],
      [0.38515, 0.71687, 0.09708],
      [0.14307, 0.06061, 0.7141],
    ],
  ],
  [
    AVCOL_PRI_SMPTE432,
    [
      [0.51512, 0.2412, -0.00105],
      [0.29198, 0.69225, 0.04189],
      [0.1571, 0.06657, 0.78407],
    ],
  ],
  [
    AVCOL_PRI_BT2020,
    [
      [0.67348, 0.27904, -0.00194],
      [0.16566, 0.67534, 0.02998],
      [0.12505, 0.04561, 0.79686],
    ],
  ],
])
const D50: Triple = [0.9642, 1, 0.8249]

/**
 * Curve parameters g, a, b, c, d: `(a·x + b)^g` for x of at least d and `c·x` below. A single value is the exponent of a pure power
 * curve.
 */
const STRAIGHT_THEN_709 = [1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081]
const CURVES = new Map<AVColorTransferCharacteristic, readonly number[]>([
  [AVCOL_TRC_IEC61966_2_1, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]],
  [AVCOL_TRC_BT709, STRAIGHT_THEN_709],
  [AVCOL_TRC_SMPTE170M, STRAIGHT_THEN_709],
  [AVCOL_TRC_BT2020_10, STRAIGHT_THEN_709],
  [AVCOL_TRC_BT2020_12, STRAIGHT_THEN_709],
  [AVCOL_TRC_LINEAR, [1]],
  [AVCOL_TRC_GAMMA22, [2.2]],
  [AVCOL_TRC_GAMMA28, [2.8]],
  [AVCOL_TRC_SMPTE428, [2.6]],
])

export type NamedColors = {
  readonly primaries: AVColorPrimaries
  readonly transfer: AVColorTransferCharacteristic
}

/** @returns undefined for sRGB, which needs no profile, and for unknown colors */
export function profileFor({ primaries, transfer }: NamedColors): Buffer | undefined {
  const colorants = COLORANTS.get(primaries)
  const curve = CURVES.get(transfer)
  if (colorants === undefined || curve === undefined) return undefined
  if (primaries === AVCOL_PRI_BT709 && transfer === AVCOL_TRC_IEC61966_2_1) return undefined
  const [red, green, blue] = colorants
  const response = curveTag(curve)
  const tags: readonly (readonly [string, Buffer])[] = [
    ['desc', textTag(`Primaries ${primaries}, transfer ${transfer}`)],
    ['cprt', textTag('No copyright')],
    ['wtpt', xyzTag(D50)],
    ['rXYZ', xyzTag(red)],
    ['gXYZ', xyzTag(green)],
    ['bXYZ', xyzTag(blue)],
    ['rTRC', response],
    ['gTRC', response],
    ['bTRC', response],
  ]
  return assemble(tags)
}

function assemble(tags: readonly (readonly [string, Buffer])[]): Buffer {
  const table = Buffer.alloc(4 + tags.length * 12)
  table.writeUInt32BE(tags.length, 0)
  let end = 128 + table.length
  for (const [index, [name, content]] of tags.entries()) {
    const at = 4 + index * 12
    table.write(name, at, 'latin1')
    table.writeUInt32BE(end, at + 4)
    table.writeUInt32BE(content.length, at + 8)
    end += content.length
  }
  const head = Buffer.alloc(128)
  head.writeUInt32BE(end, 0)
  head.writeUInt32BE(0x04300000, 8)
  head.write('mntrRGB XYZ ', 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  xyzTag(D50).copy(head, 68, 8)
  return Buffer.concat([head, table, ...tags.map(([, content]) => content)])
}

function xyzTag(values: Triple): Buffer {
  const tag = Buffer.alloc(20)
  tag.write('XYZ ', 0, 'latin1')
  for (const [index, value] of values.entries()) tag.writeInt32BE(fixed(value), 8 + index * 4)
  return tag
}

function curveTag(parameters: readonly number[]): Buffer {
  const tag = Buffer.alloc(12 + parameters.length * 4)
  tag.write('para', 0, 'latin1')
  tag.writeUInt16BE(parameters.length === 1 ? 0 : 3, 8)
  for (const [index, value] of parameters.entries()) tag.writeInt32BE(fixed(value), 12 + index * 4)
  return tag
}

function textTag(words: string): Buffer {
  const text = Buffer.from(words, 'utf16le').swap16()
  const tag = Buffer.alloc(28 + text.length + (text.length % 4))
  tag.write('mluc', 0, 'latin1')
  tag.writeUInt32BE(1, 8)
  tag.writeUInt32BE(12, 12)
  tag.write('enUS', 16, 'latin1')
  tag.writeUInt32BE(text.length, 20)
  tag.writeUInt32BE(28, 24)
  text.copy(tag, 28)
  return tag
}

const fixed = (value: number): number => Math.round(value * 65_536)
