/**
 * Maps JPEG's quality scale to every format.
 * The same number gives about the same visual quality in every format, and newer formats need fewer bytes. The values were measured
 * so that the median SSIMULACRA 2 score of a set of photos matches JPEG's.
 */

/**
 * By JPEG quality: the qualities of WebP and AVIF, the Butteraugli distance of JPEG XL, and the median score of JPEG.
 * Lossy WebP stores chroma at half resolution, so its best quality is below JPEG's. At the same distance, efforts 3 and 7 of JPEG XL score
 * the same.
 */
const SCALE = [
  { jpeg: 1, webp: 1, avif: 1, distance: 25, score: -80 },
  { jpeg: 10, webp: 2, avif: 6, distance: 20, score: 0 },
  { jpeg: 25, webp: 30, avif: 31, distance: 8.5, score: 48 },
  { jpeg: 40, webp: 50, avif: 43, distance: 5, score: 62 },
  { jpeg: 60, webp: 73, avif: 51, distance: 3.35, score: 71 },
  { jpeg: 75, webp: 82, avif: 59, distance: 2.15, score: 78 },
  { jpeg: 82, webp: 86, avif: 65, distance: 1.8, score: 81 },
  { jpeg: 90, webp: 96, avif: 86, distance: 0.8, score: 89 },
  { jpeg: 96, webp: 100, avif: 93, distance: 0.4, score: 93 },
  { jpeg: 100, webp: 100, avif: 100, distance: 0.1, score: 96 },
] as const

type Column = keyof (typeof SCALE)[number]

/** Interpolates linearly between the rows, and clamps outside them. */
function convert(value: number, from: Column, to: Column): number {
  const next = SCALE.findIndex((row) => row[from] >= value)
  const upper = SCALE.at(next) ?? SCALE[0]
  const lower = SCALE[Math.max(0, next - 1)] ?? upper
  if (lower === upper || value >= upper[from]) return upper[to]
  return lower[to] + ((value - lower[from]) / (upper[from] - lower[from])) * (upper[to] - lower[to])
}

/** Returns the JPEG quality that has this median score. */
export const likelyQuality = (score: number): number => convert(score, 'score', 'jpeg')

/** FFmpeg's maximum. libjxl itself supports distances up to 25. */
const MOST_DISTANCE = 15

const SCALES = {
  jpeg: (quality: number) => Math.round(quality),
  webp: (quality: number) => Math.round(convert(quality, 'jpeg', 'webp')),
  avif: (quality: number) => Math.round(convert(quality, 'jpeg', 'avif')),
  jxl: (quality: number) =>
    Math.min(MOST_DISTANCE, Math.round(convert(quality, 'jpeg', 'distance') * 100) / 100),
}

export const hasQuality = (format: string): format is keyof typeof SCALES => Object.hasOwn(SCALES, format)

/** @returns the encoder's own quality setting, or the distance for JPEG XL */
export const encoderValue = (format: keyof typeof SCALES, quality: number): number => SCALES[format](quality)
