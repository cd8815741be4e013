/** Converts images to pixels for measuring visual quality, regardless of their format. */
import sharp, { type Sharp } from 'sharp'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { RgbImage } from './ssimulacra2.ts'
import { wrapAsPng } from './stored-png.ts'

/** Returns sRGB pixels, with transparent parts blended over gray. Uses only the first frame of an animation. */
export async function displayedPixels(image: Sharp): Promise<RgbImage> {
  const { data, info } = await image
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

export async function openEncoded(bytes: Buffer, format: OutputFormat): Promise<Sharp> {
  if (format !== 'jxl') return sharp(bytes, { limitInputPixels: false })
  const { decodeJpegXl } = await import('./jpeg-xl.ts')
  return sharp(wrapAsPng(await decodeJpegXl(bytes)), { limitInputPixels: false })
}
