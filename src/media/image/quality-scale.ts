/**
 * One scale of quality for every format: that of JPEG. The same number gives about the same look everywhere, and so fewer bytes
 * in the newer formats. The tables were measured: where the median of the SSIMULACRA2 score over photos is that of JPEG.
 */
/** Those whose quality can be chosen. */
export type LossyFormat = 'jpeg' | 'webp' | 'avif' | 'jxl'

export const hasQuality = (format: string): format is LossyFormat =>
  format === 'jpeg' || format === 'webp' || format === 'avif' || format === 'jxl'

export type Points = readonly (readonly [at: number, value: number])[]

/** WebP's best with loss, which has half the colour resolution, stays behind JPEG's best. */
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
/** Butteraugli's distance. At efforts 3 and 7, the same one scores the same. */
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

/** FFmpeg hands no larger one on, although libjxl knows some up to 25. */
const MOST_DISTANCE = 15

/** @returns what the encoder takes: its own quality, or the distance of JPEG XL */
export function encoderValue(format: LossyFormat, quality: number): number {
  switch (format) {
    case 'jpeg':
      return Math.round(quality)
    case 'webp':
      return Math.round(valueAt(WEBP, quality))
    case 'avif':
      return Math.round(valueAt(AVIF, quality))
    case 'jxl':
      return Math.min(MOST_DISTANCE, Math.round(valueAt(JPEG_XL, quality) * 100) / 100)
  }
}

/** In straight lines from point to point. */
export function valueAt(points: Points, at: number): number {
  const next = points.findIndex(([start]) => start >= at)
  const [upper, lower] = [points.at(next === -1 ? points.length - 1 : next), points.at(Math.max(0, next - 1))]
  if (upper === undefined || lower === undefined) throw new RangeError('A scale needs points.')
  if (upper[0] === lower[0] || at >= upper[0]) return upper[1]
  return lower[1] + ((at - lower[0]) / (upper[0] - lower[0])) * (upper[1] - lower[1])
}
