/** From pixels to the bytes of a file, in every format that a preset can ask for. */
import type { Sharp } from 'sharp'
import { DEFAULT_QUALITY } from '../../shared/preset/look.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { withColours } from './avif-colours.ts'
import type { Extent } from './geometry.ts'
import type { HdrColours } from './hdr-colours.ts'
import { encoderValue } from './quality-scale.ts'
import { rawPictureOf } from './raw-picture.ts'

export type OutputFormat = Exclude<ImageRecipe['format'], 'same'>
/** libvips was built without JPEG XL: that comes from FFmpeg. */
type SharpFormat = Exclude<OutputFormat, 'jxl'>

export type EncoderSettings = Pick<ImageRecipe, 'quality' | 'lossless' | 'effort' | 'bitDepth'> & {
  /**
   * The resolution of colours in JPEG, which is full from a quality of 90 on if nothing is said. WebP has only half of it, but can
   * spend more on choosing well.
   */
  readonly colours?: 'half' | 'full'
  /** What the numbers stand for where that is not ordinary; only for formats that keep it. */
  readonly hdrColours?: HdrColours | undefined
}

export const keepsAlpha = (format: OutputFormat) => format !== 'jpeg'
export const keepsAnimation = (format: OutputFormat) => format === 'webp'
/** What is brighter than ordinary white. PNG could say so too, but hardly any program would listen. */
export const keepsHdr = (format: OutputFormat) => format === 'avif' || format === 'jxl'
/** More than 8 bits of one channel. */
export const keepsDepth = (format: OutputFormat, { bitDepth }: Pick<ImageRecipe, 'bitDepth'>) =>
  format === 'png' || format === 'tiff' || format === 'jxl' || bitDepth > 8

export const encodesWithoutLoss = (format: OutputFormat, { lossless }: Pick<ImageRecipe, 'lossless'>) =>
  format === 'png' || format === 'tiff' || (lossless && format !== 'jpeg')

/** At its efforts from 5 on, libjxl takes ten times as long. */
const JPEG_XL_EFFORT = { fast: 3, small: 7 } as const
const WEBP_EFFORT = { fast: 4, small: 6 } as const
const AVIF_EFFORT = { fast: 4, small: 6 } as const

export type EncodedPicture = Extent & { readonly bytes: Buffer }

/** @param image with all that is to be done to it; what it keeps of profile and metadata goes into the file */
export async function encodePicture(
  image: Sharp,
  format: OutputFormat,
  settings: EncoderSettings,
): Promise<EncodedPicture> {
  if (isSharpFormat(format)) {
    const { data, info } = await sharpEncoded(image, format, settings).toBuffer({ resolveWithObject: true })
    const bytes = settings.hdrColours === undefined ? data : withColours(data, settings.hdrColours)
    return { bytes, width: info.width, height: info.pageHeight ?? info.height }
  }
  // FFmpeg is loaded with the first picture that needs it.
  const { encodeJpegXl } = await import('./jpeg-xl.ts')
  const distance = settings.lossless ? 0 : encoderValue('jxl', qualityOf(settings))
  const raw = await rawPictureOf(image)
  const bytes = await encodeJpegXl(
    { ...raw, hdr: settings.hdrColours },
    { distance, effort: JPEG_XL_EFFORT[settings.effort] },
  )
  return { bytes, width: raw.width, height: raw.height }
}

const qualityOf = ({ quality }: EncoderSettings): number => quality ?? DEFAULT_QUALITY

export const isSharpFormat = (format: OutputFormat): format is SharpFormat => format !== 'jxl'

const sharpEncoders: Record<SharpFormat, (image: Sharp, settings: EncoderSettings) => Sharp> = {
  jpeg(image, settings) {
    const quality = settings.lossless ? 100 : encoderValue('jpeg', qualityOf(settings))
    // From here on, colour edges are worth their bytes.
    const colours = settings.colours ?? (quality >= 90 ? 'full' : 'half')
    return image.jpeg({
      quality,
      chromaSubsampling: colours === 'full' ? '4:4:4' : '4:2:0',
      mozjpeg: settings.effort === 'small',
    })
  },
  png: (image, { effort }) =>
    effort === 'small' ? image.png({ compressionLevel: 9, adaptiveFiltering: true }) : image.png(),
  webp(image, settings) {
    const { lossless, effort, colours } = settings
    const quality = encoderValue('webp', qualityOf(settings))
    const smartSubsample = colours === 'full'
    return image.webp({ quality, lossless, effort: WEBP_EFFORT[effort], smartSubsample })
  },
  avif(image, settings) {
    const { lossless, effort, bitDepth } = settings
    const quality = encoderValue('avif', qualityOf(settings))
    return image.avif({ quality, lossless, effort: AVIF_EFFORT[effort], bitdepth: bitDepth })
  },
  tiff: (image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
}

/** The same without the bytes: sharp writes them where they are wanted, and holds a few rows at a time. */
export function sharpEncoded(image: Sharp, format: SharpFormat, settings: EncoderSettings): Sharp {
  return sharpEncoders[format](image, settings)
}
