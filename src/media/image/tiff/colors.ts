/** Converts samples to colors that libvips reads: gray, RGB, and CMYK. */
import { curveOfSrgb } from '../srgb-profile.ts'
import { BRADFORD, type Matrix, times, type Triple } from '../color-matrix.ts'
import type { Samples } from './samples.ts'

/** Pixels with their channels interleaved. Transparency is the last channel. */
export type Canvas = { readonly samples: Samples; readonly channels: number }

const most = (samples: Samples): number => (samples instanceof Uint16Array ? 0xffff : 0xff)

/** Inverts gray that stores white as 0 (WhiteIsZero), in place. */
export function invert({ samples, channels }: Canvas): void {
  const top = most(samples)
  for (let at = 0; at < samples.length; at += channels) samples[at] = top - (samples[at] ?? 0)
}

/**
 * Replaces the first channel, whose values were indices before they were scaled, by the colors of the palette.
 * @param palette all red values of 16 bits, then all green, then all blue
 */
export function fromPalette({ samples, channels }: Canvas, palette: readonly number[]): Canvas {
  const size = palette.length / 3
  const top = most(samples)
  const colors = Uint8Array.from(palette, (value) => Math.round(value / 257))
  const pixels = samples.length / channels
  const rgb = new Uint8Array(pixels * (channels + 2))
  for (let pixel = 0, to = 0; pixel < pixels; pixel++) {
    const index = Math.round(((samples[pixel * channels] ?? 0) * (size - 1)) / top)
    for (let color = 0; color < 3; color++) rgb[to++] = colors[color * size + index] ?? 0
    if (channels > 1) rgb[to++] = Math.round(((samples[pixel * channels + 1] ?? top) * 255) / top)
  }
  return { samples: rgb, channels: channels + 2 }
}

export type YcbcrCoding = {
  /** Luma coefficients of red, green and blue. */
  readonly weights: readonly number[]
  /** Stored values of black and white in each channel, on a scale to 255. */
  readonly range: readonly number[]
}

/** Converts YCbCr to RGB in place (TIFF 6.0, section 21). */
export function fromYcbcr({ samples, channels }: Canvas, { weights, range }: YcbcrCoding): void {
  const [redShare = 0.299, greenShare = 0.587, blueShare = 0.114] = weights
  const [black = 0, white = 255, noBlue = 128, mostBlue = 255, noRed = 128, mostRed = 255] = range
  const scale = most(samples) / 255
  const clamped = (value: number) => Math.max(0, Math.min(255, value)) * scale + 0.5
  for (let at = 0; at < samples.length; at += channels) {
    const light = (((samples[at] ?? 0) / scale - black) * 255) / (white - black)
    const toBlue = (((samples[at + 1] ?? 0) / scale - noBlue) * 127) / (mostBlue - noBlue)
    const toRed = (((samples[at + 2] ?? 0) / scale - noRed) * 127) / (mostRed - noRed)
    const red = light + toRed * (2 - 2 * redShare)
    const blue = light + toBlue * (2 - 2 * blueShare)
    samples[at] = clamped(red)
    samples[at + 1] = clamped((light - redShare * red - blueShare * blue) / greenShare)
    samples[at + 2] = clamped(blue)
  }
}

/** How L*, a* and b* are stored. The functions return L* from 0 to 100, and a* and b* around 0. */
export type LabCoding = {
  readonly light: (stored: number) => number
  readonly a: (stored: number) => number
  readonly b: (stored: number) => number
  /** CIE xy coordinates of white. */
  readonly white: readonly [x: number, y: number]
}

/** The inverse of the Bradford transform. */
const FROM_CONES: Matrix = [
  [0.9869929, -0.1470543, 0.1599627],
  [0.4323053, 0.5183603, 0.0492912],
  [-0.0085287, 0.0400428, 0.9684867],
]
const TO_SRGB: Matrix = [
  [3.2404542, -1.5371385, -0.4985314],
  [-0.969266, 1.8760108, 0.041556],
  [0.0556434, -0.2040259, 1.0572252],
]
const WHITE_OF_SRGB = [0.3127, 0.329] as const

const xyzOf = ([x, y]: readonly [number, number]): Triple => [x / y, 1, (1 - x - y) / y]

/** Converts L*a*b* to sRGB in place. */
export function fromLab({ samples, channels }: Canvas, { light, a, b, white }: LabCoding): void {
  const whiteOfFile = xyzOf(white)
  const cones = times(BRADFORD, whiteOfFile)
  const wanted = times(BRADFORD, xyzOf(WHITE_OF_SRGB))
  const curve = tableOfSrgb(most(samples))
  const stored = (share: number) => curve[Math.max(0, Math.min(STEPS, Math.round(share * STEPS)))] ?? 0
  for (let at = 0; at < samples.length; at += channels) {
    const y = (light(samples[at] ?? 0) + 16) / 116
    const x = y + a(samples[at + 1] ?? 0) / 500
    const z = y - b(samples[at + 2] ?? 0) / 200
    const seen = times(BRADFORD, [
      linear(x) * whiteOfFile[0],
      linear(y) * whiteOfFile[1],
      linear(z) * whiteOfFile[2],
    ])
    const adapted: Triple = [
      (seen[0] * wanted[0]) / cones[0],
      (seen[1] * wanted[1]) / cones[1],
      (seen[2] * wanted[2]) / cones[2],
    ]
    const [red, green, blue] = times(TO_SRGB, times(FROM_CONES, adapted))
    samples[at] = stored(red)
    samples[at + 1] = stored(green)
    samples[at + 2] = stored(blue)
  }
}

/** The inverse of the cube root with a straight part near black. */
const linear = (value: number): number => (value > 6 / 29 ? value ** 3 : 3 * (6 / 29) ** 2 * (value - 4 / 29))

const STEPS = 2 ** 16

const tableOfSrgb = (top: number): Uint16Array =>
  Uint16Array.from({ length: STEPS + 1 }, (_, step) => Math.round(curveOfSrgb(step / STEPS) * top))

export function toEightBits({ samples, channels }: Canvas): Canvas {
  if (!(samples instanceof Uint16Array)) return { samples, channels }
  return { samples: Uint8Array.from(samples, (sample) => Math.round(sample / 257)), channels }
}
