/** Pictures in PQ or HLG, as ordinary screens show them. */
import sharp from 'sharp'
import type { HdrColours } from './hdr-colours.ts'
import type { Picture, PictureSource } from './picture.ts'
import { wrapAsPng } from './stored-png.ts'

/** The picture itself where its light is ordinary. Nothing is decoded before its source is asked for. */
export function inOrdinaryLight(picture: Picture): Picture {
  const { hdr, stored: _, ...rest } = picture
  if (hdr === undefined) return picture
  return {
    ...rest,
    async source(scaled) {
      const input = await toneMapped(await picture.source(scaled), hdr)
      return { input, options: { limitInputPixels: false } }
    },
    is16Bit: true,
    isToneMapped: true,
    turnedByFile: false,
  }
}

/** @returns a PNG, upright */
async function toneMapped({ input, options }: PictureSource, colours: HdrColours): Promise<Buffer> {
  const image = sharp(input, options)
  const { exif, xmp } = await image.metadata()
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
  // FFmpeg is loaded with the first picture that needs it.
  const { toneMapPixels } = await import('./tone-map-pixels.ts')
  const pixels = await toneMapPixels(content, colours)
  return wrapAsPng({ ...content, pixels, depth: 16, metadata: { exif, xmp } })
}
