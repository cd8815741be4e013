/**
 * Converts gray to sRGB's curve. libvips converts gray with a table of 33 steps, which changes dark areas by up to 10 of 255 levels. It
 * also ignores the profile of an image with 16 bits until its last step, which makes the image RGB.
 */
import { MAX_PIXELS } from '../../shared/extent.ts'
import sharp from 'sharp'
import { rawImageOf, deepSamples } from './raw-image.ts'
import type { SharpSource } from './sharp-source.ts'
import { curveOfSrgb, lightOfGray } from './srgb-profile.ts'
import { wrapAsPng } from './stored-png.ts'

/**
 * Returns the image with sRGB's curve; undefined if the image or its profile isn't gray.
 * @param source of an upright image, or with an option that makes it upright
 */
export async function grayInSrgb({ input, options }: SharpSource): Promise<SharpSource | undefined> {
  const stored = sharp(input, { ...options, ignoreIcc: true })
  const { icc, depth } = await sharp(input, options).metadata()
  const light = icc && lightOfGray(icc)
  if (light === undefined) return undefined
  const raw = await rawImageOf(stored.toColourspace(depth === 'ushort' ? 'grey16' : 'b-w'))
  const { pixels, channels } = raw
  if (channels > 2) return undefined
  const isDeep = raw.depth === 16
  const samples = isDeep ? deepSamples(pixels) : pixels
  const most = isDeep ? 0xffff : 0xff
  const levels = Uint16Array.from(
    { length: most + 1 },
    (_, level) => curveOfSrgb(light(level / most)) * most + 0.5,
  )
  for (let at = 0; at < samples.length; at += channels) samples[at] = levels[samples[at] ?? 0] ?? 0
  return { input: wrapAsPng({ ...raw, metadata: {} }), options: { limitInputPixels: MAX_PIXELS } }
}
