/** Which format a picture is written in, and with which settings. */
import path from 'node:path'
import type { Sharp } from 'sharp'
import type { ImageRecipe } from '../../presets/index.ts'
import type { Picture } from './picture.ts'

export type OutputFormat = Exclude<ImageRecipe['format'], 'same'>

/** What can be written as itself stays; everything else becomes JPEG, or where that would lose something, PNG or WebP. */
export function outputFormatFor(picture: Picture, wanted: ImageRecipe['format']): OutputFormat {
  if (wanted !== 'same') return wanted
  switch (picture.format) {
    case 'jpeg':
    case 'png':
    case 'webp':
    case 'tiff':
    case 'avif':
      return picture.format
    case 'gif':
      return picture.frames > 1 ? 'webp' : 'png'
    case 'heic':
    case 'bmp':
      return picture.hasAlpha ? 'png' : 'jpeg'
  }
}

/** Without the dot. A `.jpeg` that stays JPEG is not renamed. */
export function extensionFor(format: OutputFormat, inputPath: string): string {
  if (format !== 'jpeg') return format
  return path.extname(inputPath).toLowerCase() === '.jpeg' ? 'jpeg' : 'jpg'
}

export const keepsAlpha = (format: OutputFormat) => format !== 'jpeg'
export const keeps16Bit = (format: OutputFormat) => format === 'png' || format === 'tiff'
export const keepsAnimation = (format: OutputFormat) => format === 'webp'

export function encodeAs(
  image: Sharp,
  format: OutputFormat,
  { quality, lossless }: Pick<ImageRecipe, 'quality' | 'lossless'>,
): Sharp {
  switch (format) {
    case 'jpeg': {
      const fine = lossless || quality >= 90
      return image.jpeg({
        quality: lossless ? 100 : quality,
        chromaSubsampling: fine ? '4:4:4' : '4:2:0',
      })
    }
    case 'png':
      return image.png()
    case 'webp':
      return image.webp({ quality, lossless })
    case 'avif':
      return image.avif({ quality, lossless })
    case 'tiff':
      return image.tiff({ compression: 'deflate', predictor: 'horizontal' })
  }
}
