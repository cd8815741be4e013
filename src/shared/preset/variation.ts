/**
 * The small changes that make one variation differ from the next. They are drawn from a generator seeded with the
 * preset's seed, the file's name and the variation's number: the same job gives the same results, on every computer.
 */
import type { VariationRanges } from './preset.ts'

export type VariationValues = {
  /** Multiplier, 1 = unchanged. */
  readonly brightness: number
  /** Multiplier, 1 = unchanged. */
  readonly saturation: number
  /** Degrees on the colour wheel, 0 = unchanged. */
  readonly hue: number
  /** Degrees clockwise, 0 = unchanged. The empty corners are to be cut away. */
  readonly rotation: number
  /** Shares (0..0.2) of the upright picture's width or height, cut off at each side before anything else. */
  readonly cropLeft: number
  readonly cropTop: number
  readonly cropRight: number
  readonly cropBottom: number
  /** Whether left and right change places. */
  readonly mirror: boolean
}

/**
 * @param fileName the base name of the input, so that moving a folder changes nothing
 * @param variation 1-based
 */
export function drawVariation(ranges: VariationRanges, fileName: string, variation: number): VariationValues {
  const next = numbersFrom(`${ranges.seed}\n${fileName.normalize('NFC')}\n${variation}`)
  const around = (most: number) => (next() * 2 - 1) * most
  const upTo = (most: number) => next() * most
  // The order of the draws is part of the promise: a change here changes everybody's results.
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

/** Numbers in [0, 1): FNV-1a over the text's UTF-8 bytes seeds a mulberry32 generator. */
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
