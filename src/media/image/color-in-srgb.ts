/**
 * Converts pixels with 16 bits to sRGB. libvips converts through rounded and clipped Lab values, so colors outside sRGB differ by up to 35
 * of 255 levels.
 */
import { matrixToSrgb, srgbProfile } from './matrix-profile.ts'
import { deepSamples, type RawImage } from './raw-image.ts'
import { curveOfSrgb, lightOfColors } from './srgb-profile.ts'

const MOST = 0xffff
/** More steps than levels, because dark levels are close to each other. */
const STEPS = 2 ** 18

/**
 * Converts the image to sRGB in place. Returns undefined unless it is a color image with 16 bits and its profile consists of three colors
 * and their curves.
 */
export function inSrgb(raw: RawImage): RawImage | undefined {
  const { pixels, channels, metadata, depth } = raw
  const colors = metadata.icc && lightOfColors(metadata.icc)
  const matrix = colors && matrixToSrgb(colors.colorants)
  if (colors === undefined || matrix === undefined || channels < 3 || depth !== 16) return undefined
  const [reds, greens, blues] = colors.curves.map((curve) =>
    Float64Array.from({ length: MOST + 1 }, (_, level) => curve(level / MOST)),
  )
  const levels = Uint16Array.from({ length: STEPS + 1 }, (_, step) => curveOfSrgb(step / STEPS) * MOST + 0.5)
  const samples = deepSamples(pixels)
  for (let at = 0; at < samples.length; at += channels) {
    const red = reds?.[samples[at] ?? 0] ?? 0
    const green = greens?.[samples[at + 1] ?? 0] ?? 0
    const blue = blues?.[samples[at + 2] ?? 0] ?? 0
    for (const [channel, [a, b, c]] of matrix.entries()) {
      const light = Math.max(0, Math.min(1, a * red + b * green + c * blue))
      samples[at + channel] = levels[Math.round(light * STEPS)] ?? 0
    }
  }
  return { ...raw, metadata: { icc: srgbProfile() } }
}
