/**
 * Converts gray, and colors with 16 bits, to sRGB.
 * sharp's library converts gray with a table of 33 steps, so that dark areas differ by up to 10 of 255 levels. Colors with 16 bits go
 * through a table too, and through Display P3, which cuts off others. It also ignores the profile of an image with 16 bits until its last
 * step.
 */
import sharp from 'sharp'
import { MAX_PIXELS } from './image-failure.ts'
import { toSrgb } from './matrix-profile.ts'
import { type RawImage, rawImageOf } from './raw-image.ts'
import type { SharpSource } from './source-image.ts'
import { lightOfColors, lightOfGray, type LightOfColors } from './srgb-profile.ts'
import { wrapAsPng } from './stored-png.ts'

type Samples = Uint16Array | Uint8Array
/** Colors of larger images are left to sharp, which holds only a few rows in memory. */
const MOST_PIXELS = 60_000_000

/**
 * @param source of an upright image, or with an option that makes it upright
 * @returns undefined if the profile is neither one for gray nor one for deep colors without a table
 */
export async function inSrgb({ input, options }: SharpSource): Promise<SharpSource | undefined> {
  const { icc, depth, width, height } = await sharp(input, options).metadata()
  const gray = icc && lightOfGray(icc)
  const isDeep = depth === 'ushort'
  const colors = icc !== undefined && isDeep && width * height <= MOST_PIXELS ? lightOfColors(icc) : undefined
  if (gray === undefined && colors === undefined) return undefined
  const space = gray === undefined ? 'rgb16' : isDeep ? 'grey16' : 'b-w'
  const raw = await rawImageOf(sharp(input, { ...options, ignoreIcc: true }).toColourspace(space))
  const hasColors = raw.channels > 2
  if (hasColors !== (gray === undefined)) return undefined
  if (gray !== undefined) convertGray(raw, gray)
  if (colors !== undefined && raw.depth === 16) convertColors(raw, colors)
  return { input: wrapAsPng({ ...raw, metadata: {} }), options: { limitInputPixels: MAX_PIXELS } }
}

const samplesOf = ({ pixels, depth }: RawImage): Samples =>
  depth === 16
    ? new Uint16Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 2)
    : new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength)

function convertGray(raw: RawImage, light: (level: number) => number): void {
  const samples = samplesOf(raw)
  const most = raw.depth === 16 ? WHITE : 0xff
  const levels = Uint16Array.from(
    { length: most + 1 },
    (_, level) => curveOfSrgb(light(level / most)) * most + 0.5,
  )
  for (let at = 0; at < samples.length; at += raw.channels) samples[at] = levels[samples[at] ?? 0] ?? 0
}

const WHITE = 0xffff

function convertColors(raw: RawImage, { curves, colorants }: LightOfColors): void {
  const samples = samplesOf(raw)
  const [[a, b, c], [d, e, f], [g, h, i]] = toSrgb(colorants)
  const steps = { length: WHITE + 1 }
  const [red, green, blue] = curves.map((light) =>
    Float32Array.from(steps, (_, level) => light(level / WHITE)),
  )
  const levels = Float32Array.from(steps, (_, level) => curveOfSrgb(level / WHITE) * WHITE + 0.5)
  const levelOf = (light: number): number => {
    const place = Math.max(0, Math.min(1, light)) * WHITE
    const below = Math.floor(place)
    const level = levels[below] ?? 0
    return level + ((levels[below + 1] ?? level) - level) * (place - below)
  }
  for (let at = 0; at < samples.length; at += raw.channels) {
    const r = red?.[samples[at] ?? 0] ?? 0
    const s = green?.[samples[at + 1] ?? 0] ?? 0
    const t = blue?.[samples[at + 2] ?? 0] ?? 0
    samples[at] = levelOf(a * r + b * s + c * t)
    samples[at + 1] = levelOf(d * r + e * s + f * t)
    samples[at + 2] = levelOf(g * r + h * s + i * t)
  }
}

function curveOfSrgb(light: number): number {
  const share = Math.max(0, Math.min(1, light))
  return share <= 0.003_130_8 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055
}
