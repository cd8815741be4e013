/** Holds a processed image that can be encoded repeatedly until the result meets the recipe's goal. */
import type { Extent } from '../../shared/extent.ts'
import sharp, { type Sharp } from 'sharp'
import type { Animation } from './animation.ts'
import { displayedPixels } from './displayed-pixels.ts'
import { timesOf } from './encode-image.ts'
import { withLongDelays } from './webp-frames.ts'

export type RenderedImage = Awaited<ReturnType<typeof renderImage>>

export async function renderImage(image: Sharp, timing: Animation | undefined) {
  const isAnimated = timing !== undefined
  const stored = isAnimated
    ? image.webp({ lossless: true, exact: true, effort: 0, ...timesOf(timing) })
    : image.png({ compressionLevel: 0 })
  const { data, info } = await stored.toBuffer({ resolveWithObject: true })
  if (timing !== undefined) withLongDelays(data, timing.delays)
  const { space, delay, loop = 0 } = await sharp(data).metadata()
  return {
    width: info.width,
    height: info.pageHeight ?? info.height,
    /** Set only for an animation. May have fewer frames than the image, because equal frames are merged. */
    timing: delay && { delays: delay, loop },
    /**
     * Opens the image for one encoding, with its profile. Its metadata is written afterwards.
     * @param smaller size to scale to; undefined: not scaled
     */
    open(smaller?: Extent): Sharp {
      const opened = sharp(data, { animated: isAnimated, limitInputPixels: false }).keepIccProfile()
      if (space === 'b-w' || space === 'grey16' || space === 'rgb16') opened.toColourspace(space)
      return smaller === undefined ? opened : opened.resize({ ...smaller, fit: 'fill' })
    },
    displayedPixels: () => displayedPixels(sharp(data, { limitInputPixels: false })),
  }
}
