/**
 * The small differences between variations. The values come from a generator seeded with the preset's seed, the file's name and the
 * variation's number. The same job therefore produces the same results on every computer.
 */
import type { VariationRanges } from './preset.ts'

export type VariationValues = {
  /** Multiplier, 1 = unchanged. */
  readonly brightness: number
  /** Multiplier, 1 = unchanged. */
  readonly saturation: number
  /** Degrees on the color wheel, 0 = unchanged. */
  readonly hue: number
  /** Degrees clockwise, 0 = unchanged. The caller has to crop the empty corners. */
  readonly rotation: number
  /** Fractions (0..0.2) of the upright image's width or height, cropped from each side before all other steps. */
  readonly cropLeft: number
  readonly cropTop: number
  readonly cropRight: number
  readonly cropBottom: number
  readonly mirror: boolean
}

/**
 * Draws the values of one variation.
 * @param fileName the input's base name, so that moving a folder doesn't change the values
 * @param variation 1-based
 */
export function drawVariation(ranges: VariationRanges, fileName: string, variation: number): VariationValues {
  const next = numbersFrom(`${ranges.seed}\n${fileName.normalize('NFC')}\n${variation}`)
  const around = (most: number) => (next() * 2 - 1) * most
  const upTo = (most: number) => next() * most
  // Don't change the order of these draws: every existing preset would produce different results.
  return {
    brightness: 1 + around(ranges.brightness),
    saturation: 1 + around(ranges.saturation),
    hue: around(ranges.hue),
    rotation: around(ranges.rotation),
    cropLeft: upTo(ranges.crop),
    cropTop: upTo(ranges.crop),
    cropRight: upTo(ranges.crop),
    cropBottom: upTo(ranges.crop),
    mirror: next() < 0.5 && ranges.mirror,
  }
}

/** Generates numbers in [0, 1): a mulberry32 generator seeded with FNV-1a over the text's UTF-8 bytes. */
function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
