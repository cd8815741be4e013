/**
 * Gives gray with 16 bits the curve of sRGB.
 * sharp ignores the profile of such an image when it opens it. Only its last step applies the profile, and makes the image RGB.
 */
import sharp from 'sharp'
import { MAX_PIXELS } from './image-failure.ts'
import { rawImageOf } from './raw-image.ts'
import type { SharpSource } from './source-image.ts'
import { wrapAsPng } from './stored-png.ts'

const BYTES = 2

/** @param source of an upright image, or with an option that makes it upright */
export async function deepGrayInSrgb({ input, options }: SharpSource): Promise<SharpSource> {
  const image = sharp(input, options).toColourspace('grey16').withIccProfile('srgb')
  const { pixels, width, height, channels } = await rawImageOf(image)
  // The three colors are equal.
  const kept =
    channels === 4 ? [0, 3] : channels === 3 ? [0] : Array.from({ length: channels }, (_, at) => at)
  const gray = Buffer.alloc(width * height * kept.length * BYTES)
  const samples = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  let to = 0
  for (let from = 0; from < samples.length; from += channels * BYTES)
    for (const channel of kept) {
      gray.writeUInt16LE(samples.readUInt16LE(from + channel * BYTES), to)
      to += BYTES
    }
  const raw = {
    pixels: gray,
    width,
    height,
    channels: kept.length === 2 ? 2 : 1,
    depth: 16,
    metadata: {},
  } as const
  return { input: wrapAsPng(raw), options: { limitInputPixels: MAX_PIXELS } }
}
