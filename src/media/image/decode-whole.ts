/** Decodes an image completely, to find damage. */
import sharp from 'sharp'
import type { SourceImage } from './source-image.ts'

/** Side length in pixels to which a decoded image is reduced. Computing statistics instead takes ten times as long. */
const SIDE = 16

/**
 * Decodes every pixel of every frame and page.
 * @throws if any of them is damaged
 */
export async function decodeWhole(image: SourceImage): Promise<void> {
  const { input, options } = await (image.frameSource?.() ?? image.source())
  // The pages of a TIFF may differ in size, so they aren't frames of one image.
  const pages = image.format === 'tiff' ? (image.stored?.pages ?? 1) : 1
  for (let page = 0; page < pages; page++)
    // With a color space, sharp decodes every pixel before it reduces the image. It can't turn several frames upright.
    await sharp(input, {
      ...options,
      autoOrient: false,
      failOn: 'warning',
      animated: image.frames > 1,
      page,
    })
      .pipelineColourspace('srgb')
      .resize(SIDE, SIDE, { fit: 'fill' })
      .raw()
      .toBuffer()
}
