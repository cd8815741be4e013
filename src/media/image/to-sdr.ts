/** Converts PQ or HLG images to SDR. */
import sharp from 'sharp'
import type { HdrColors } from './hdr-colors.ts'
import type { SharpSource } from './sharp-source.ts'
import type { SourceImage } from './source-image.ts'
import { wrapAsPng } from './stored-png.ts'

/** Returns an SDR version of the image, or the image itself if it is already SDR. Decodes pixels only when `source` is called. */
export function toSdr(photo: SourceImage): SourceImage {
  const { hdr, stored: _, animation: __, ...rest } = photo
  if (hdr === undefined) return photo
  return {
    ...rest,
    async source(scaled) {
      const input = await toneMapped(await photo.source(scaled), hdr)
      return { input, options: { limitInputPixels: false } }
    },
    frames: 1,
    is16Bit: true,
    isToneMapped: true,
    rotatedByFile: false,
  }
}

/** Returns an upright PNG. */
async function toneMapped({ input, options }: SharpSource, colors: HdrColors): Promise<Buffer> {
  const image = sharp(input, options)
  const { data, info } = await image
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const content = {
    pixels: data,
    width: info.width,
    height: info.height,
    channels: info.channels === 4 ? 4 : 3,
  } as const
  const { toneMapPixels } = await import('./tone-map-pixels.ts')
  const pixels = await toneMapPixels(content, colors)
  return wrapAsPng({ ...content, pixels, depth: 16, metadata: {} })
}
