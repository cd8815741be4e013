/**
 * Maps JPEG's quality scale to every format.
 * The same number gives about the same visual quality in every format, and newer formats need fewer bytes. The values were measured
 * so that the median SSIMULACRA 2 score of a set of photos matches JPEG's.
 */

export type Points = readonly (readonly [at: number, value: number])[]

/** Lossy WebP stores chroma at half resolution, so its best quality is below JPEG's. */
const WEBP: Points = [
  [1, 1],
  [10, 2],
  [25, 30],
  [40, 50],
  [60, 73],
  [75, 82],
  [82, 86],
  [90, 96],
  [96, 100],
]
const AVIF: Points = [
  [1, 1],
  [10, 6],
  [25, 31],
  [40, 43],
  [60, 51],
  [75, 59],
  [82, 65],
  [90, 86],
  [96, 93],
  [100, 100],
]
/** Butteraugli distance. At the same distance, efforts 3 and 7 score the same. */
const JPEG_XL: Points = [
  [1, 25],
  [10, 20],
  [25, 8.5],
  [40, 5],
  [60, 3.35],
  [75, 2.15],
  [82, 1.8],
  [90, 0.8],
  [96, 0.4],
  [100, 0.1],
]

/** FFmpeg's maximum. libjxl itself supports distances up to 25. */
const MOST_DISTANCE = 15

const SCALES = {
  jpeg: (quality: number) => Math.round(quality),
  webp: (quality: number) => Math.round(valueAt(WEBP, quality)),
  avif: (quality: number) => Math.round(valueAt(AVIF, quality)),
  jxl: (quality: number) => Math.min(MOST_DISTANCE, Math.round(valueAt(JPEG_XL, quality) * 100) / 100),
}

export const hasQuality = (format: string): format is keyof typeof SCALES => Object.hasOwn(SCALES, format)

/** @returns the encoder's own quality setting, or the distance for JPEG XL */
export const encoderValue = (format: keyof typeof SCALES, quality: number): number => SCALES[format](quality)

/** Interpolates linearly between the points, and clamps outside them. */
export function valueAt(points: Points, at: number): number {
  const next = points.findIndex(([start]) => start >= at)
  const [upper, lower] = [points.at(next === -1 ? points.length - 1 : next), points.at(Math.max(0, next - 1))]
  if (upper === undefined || lower === undefined) throw new RangeError('The scale has no points.')
  if (upper[0] === lower[0] || at >= upper[0]) return upper[1]
  return lower[1] + ((at - lower[0]) / (upper[0] - lower[0])) * (upper[1] - lower[1])
}
