/** A picture as people see it, whatever it is stored in: what a look is judged by. */
import sharp, { type Sharp } from 'sharp'
import type { OutputFormat } from './encode-picture.ts'
import type { RgbPicture } from './ssimulacra2.ts'
import { wrapAsPng } from './stored-png.ts'

/** In sRGB, transparent parts over gray; of an animation, its first frame. */
export async function asSeen(image: Sharp): Promise<RgbPicture> {
  const { data, info } = await image
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

/** What an encoder made. */
export async function openEncoded(bytes: Buffer, format: OutputFormat): Promise<Sharp> {
  if (format !== 'jxl') return sharp(bytes, { limitInputPixels: false })
  const { decodeJpegXlBytes } = await import('./jpeg-xl.ts')
  return sharp(wrapAsPng(await decodeJpegXlBytes(bytes)), { limitInputPixels: false })
}
