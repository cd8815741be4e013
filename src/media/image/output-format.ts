/** Which format a picture is written in, and with which settings. */
import path from 'node:path'
import type { Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { Picture } from './picture.ts'

export type OutputFormat = Exclude<ImageRecipe['format'], 'same'>

/** What can be written as itself stays; everything else becomes JPEG, or where that would lose something, PNG or WebP. */
export function outputFormatFor(picture: Picture, wanted: ImageRecipe['format']): OutputFormat {
  if (wanted !== 'same') return wanted
  const { format } = picture
  if (format === 'heic' || format === 'bmp') return picture.hasAlpha ? 'png' : 'jpeg'
  if (format === 'gif') return picture.frames > 1 ? 'webp' : 'png'
  return format
}

/** Without the dot. A `.jpeg` that stays JPEG is not renamed. */
export function extensionFor(format: OutputFormat, inputPath: string): string {
  if (format !== 'jpeg') return format
  return path.extname(inputPath).toLowerCase() === '.jpeg' ? 'jpeg' : 'jpg'
}

export const keepsAlpha = (format: OutputFormat) => format !== 'jpeg'
export const keeps16Bit = (format: OutputFormat) => format === 'png' || format === 'tiff'
export const keepsAnimation = (format: OutputFormat) => format === 'webp'

type Settings = Pick<ImageRecipe, 'quality' | 'lossless'>

const encoders: Record<OutputFormat, (image: Sharp, settings: Settings) => Sharp> = {
  jpeg: (image, { quality, lossless }) =>
    image.jpeg({
      quality: lossless ? 100 : quality,
      // From here on, colour edges are worth their bytes.
      chromaSubsampling: lossless || quality >= 90 ? '4:4:4' : '4:2:0',
    }),
  png: (image) => image.png(),
  webp: (image, { quality, lossless }) => image.webp({ quality, lossless }),
  avif: (image, { quality, lossless }) => image.avif({ quality, lossless }),
  tiff: (image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
}

export function encodeAs(image: Sharp, format: OutputFormat, settings: Settings): Sharp {
  return encoders[format](image, settings)
}
