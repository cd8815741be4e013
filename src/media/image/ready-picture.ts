/** A picture to which everything was done but the encoding, so that it can be encoded as often as it takes to meet a wish. */
import sharp, { type Sharp } from 'sharp'
import { asSeen } from './as-seen.ts'
import type { Extent } from './geometry.ts'
import type { RgbPicture } from './ssimulacra2.ts'

export type ReadyPicture = Extent & {
  /**
   * For one encoding; whatever profile and metadata it came with stays with it.
   *
   * @param smaller the size to bring it to; its own if nothing is said
   */
  open(smaller?: Extent): Sharp
  asSeen(): Promise<RgbPicture>
}

/** Carries out what was asked of the image once. An animation keeps its frames and their times. */
export async function readyPicture(image: Sharp, isAnimated: boolean): Promise<ReadyPicture> {
  const stored = isAnimated ? image.webp({ lossless: true, effort: 0 }) : image.png({ compressionLevel: 0 })
  const { data, info } = await stored.toBuffer({ resolveWithObject: true })
  const { space } = await sharp(data).metadata()
  return {
    width: info.width,
    height: info.pageHeight ?? info.height,
    open(smaller) {
      const opened = sharp(data, { animated: isAnimated, limitInputPixels: false }).keepMetadata()
      if (space === 'b-w' || space === 'grey16' || space === 'rgb16') opened.toColourspace(space)
      return smaller === undefined ? opened : opened.resize({ ...smaller, fit: 'fill' })
    },
    asSeen: () => asSeen(sharp(data, { limitInputPixels: false })),
  }
}
