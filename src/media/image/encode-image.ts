/** Encodes pixels in every format that a preset can request. */
import type { Extent } from '../../shared/extent.ts'
import type { Sharp } from 'sharp'
import { holding, type OutputFormat } from '../../shared/preset/photo-formats.ts'
import { DEFAULT_QUALITY } from '../../shared/preset/look.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import type { Animation } from './animation.ts'
import { withColors } from './avif-colors.ts'
import { NO_METADATA, type PhotoMetadata } from '../metadata/photo-metadata.ts'
import { withMetadata } from '../metadata/write-metadata.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import { type Density, SQUARE, USUAL_DENSITY, withDensity } from './density.ts'
import type { HdrColors } from './hdr-colors.ts'
import { encoderValue } from './quality-scale.ts'
import { rawImageOf } from './raw-image.ts'
import { LONGEST_DELAY, withLongDelays } from './webp-frames.ts'

/** sharp's libvips is built without JPEG XL, so FFmpeg encodes it. */
type SharpFormat = Exclude<OutputFormat, 'jxl'>

export type EncoderSettings = Pick<ImageRecipe, 'quality' | 'lossless' | 'effort'> & {
  /** Bits per channel of AVIF. */
  readonly bitDepth: 8 | 10 | 12
  /**
   * Chroma resolution.
   * By default, JPEG uses full chroma at quality 90 and above. WebP always uses half; `full` makes it choose its chroma samples
   * more carefully.
   */
  readonly colors?: 'half' | 'full'
  /** Set only for HDR in a format that keeps HDR. */
  readonly hdrColors?: HdrColors | undefined
  readonly describe?: ((extent: Extent) => PhotoMetadata) | undefined
  /** For JPEG, PNG and TIFF. */
  readonly density?: Density | undefined
  /** Set only for an animation in a format that keeps it. */
  readonly timing?: Animation | undefined
}

/** Returns whether the format always keeps more than 8 bits per channel, or the recipe asks for that. */
export const keepsDepth = (format: OutputFormat, { bitDepth }: Pick<ImageRecipe, 'bitDepth'>) =>
  holding(format).isDeep || bitDepth > 8

/** @throws FailureError if the format can't hold an image of this size */
export function refuseTooLongSides(format: OutputFormat, { width, height }: Extent): void {
  const { name, longestSide: limit } = holding(format)
  if (limit === undefined || Math.max(width, height) <= limit) return
  throw failed('resultSideTooLong', { width, height, format: name, limit })
}

export function encodesWithoutLoss(format: OutputFormat, { lossless }: Pick<ImageRecipe, 'lossless'>) {
  const { isLossless } = holding(format)
  return isLossless === 'chosen' ? lossless : isLossless
}

/** libjxl takes ten times as long at effort 5 and above. */
const JPEG_XL_EFFORT = { fast: 3, small: 7 } as const
const WEBP_AND_AVIF_EFFORT = { fast: 4, small: 6 } as const

export type EncodedImage = Extent & {
  readonly bytes: Buffer
  /** Set if the search for a visual quality has measured it. */
  readonly quality?: Quality | undefined
}

/**
 * Encodes an image and adds its metadata.
 * @param image with all operations queued; the file includes any profile that the image keeps
 */
export async function encodeImage(
  image: Sharp,
  format: OutputFormat,
  settings: EncoderSettings,
): Promise<EncodedImage> {
  const { bytes, ...extent } = await encodePixels(image, format, settings)
  const metadata = settings.describe?.(extent) ?? NO_METADATA
  return { bytes: withMetadata(bytes, format, metadata), ...extent }
}

async function encodePixels(
  image: Sharp,
  format: OutputFormat,
  settings: EncoderSettings,
): Promise<EncodedImage> {
  const { timing } = settings
  if (isSharpFormat(format) && (timing === undefined || format === 'webp')) {
    const { data, info } = await sharpEncoders[format](image, settings).toBuffer({ resolveWithObject: true })
    const { hdrColors, density } = settings
    if (timing !== undefined) withLongDelays(data, timing.delays)
    const bytes = hdrColors === undefined ? withDensity(data, format, density) : withColors(data, hdrColors)
    return { bytes, width: info.width, height: info.pageHeight ?? info.height }
  }
  const raw = await rawImageOf(image)
  const distance = settings.lossless ? 0 : encoderValue('jxl', qualityOf(settings))
  const effort = JPEG_XL_EFFORT[settings.effort]
  if (timing !== undefined) {
    const { encodeApng, encodeJpegXlStrip } = await import('./encode-frames.ts')
    return format === 'jxl'
      ? encodeJpegXlStrip(raw, timing, { distance, effort })
      : encodeApng(raw, timing, settings.effort)
  }
  const { encodeJpegXl } = await import('./jpeg-xl.ts')
  const bytes = await encodeJpegXl({ ...raw, hdr: settings.hdrColors }, { distance, effort })
  return { bytes, width: raw.width, height: raw.height }
}

const qualityOf = ({ quality }: EncoderSettings): number => quality ?? DEFAULT_QUALITY

export const isSharpFormat = (format: OutputFormat): format is SharpFormat => format !== 'jxl'

/** Maximum number of plays that WebP can store. */
const MOST_PLAYS = 65_535

/** Returns the timing as sharp's options, clamped to WebP's limits. */
export const timesOf = ({ delays, loop }: Animation) => ({
  delay: delays.map((delay) => Math.min(LONGEST_DELAY, Math.round(delay))),
  loop: Math.min(MOST_PLAYS, loop),
})

/** Set the encoder of an image, so sharp can stream it to a file and keep only a few rows in memory. */
export const sharpEncoders: Record<SharpFormat, (image: Sharp, settings: EncoderSettings) => Sharp> = {
  jpeg(image, settings) {
    const quality = settings.lossless ? 100 : encoderValue('jpeg', qualityOf(settings))
    // At quality 90 and above, full chroma resolution is worth the extra bytes.
    const colors = settings.colors ?? (quality >= 90 ? 'full' : 'half')
    return image.jpeg({
      quality,
      chromaSubsampling: colors === 'full' ? '4:4:4' : '4:2:0',
      mozjpeg: settings.effort === 'small',
    })
  },
  png: (image, { effort }) =>
    effort === 'small' ? image.png({ compressionLevel: 9, adaptiveFiltering: true }) : image.png(),
  webp(image, settings) {
    const { lossless, effort, colors, timing } = settings
    const quality = encoderValue('webp', qualityOf(settings))
    const smartSubsample = colors === 'full'
    const times = timing === undefined ? {} : timesOf(timing)
    // Otherwise, transparent pixels lose their colors.
    const exact = lossless
    return image.webp({
      quality,
      lossless,
      exact,
      effort: WEBP_AND_AVIF_EFFORT[effort],
      smartSubsample,
      ...times,
    })
  },
  avif(image, settings) {
    const { lossless, effort, bitDepth } = settings
    const quality = encoderValue('avif', qualityOf(settings))
    return image.avif({ quality, lossless, effort: WEBP_AND_AVIF_EFFORT[effort], bitdepth: bitDepth })
  },
  tiff(image, { density: { perInch = USUAL_DENSITY, aspect } = SQUARE }) {
    const perMillimeter = perInch / 25.4
    return image.tiff({
      compression: 'deflate',
      predictor: 'horizontal',
      xres: perMillimeter,
      yres: perMillimeter * aspect,
      resolutionUnit: 'inch',
    })
  },
}
