import type { PreviewPixels } from '../../shared/model/preview.ts'
import { pixelsUrl } from '../../shared/thumbnail-url.ts'

/** Decoded before they are shown, so that the old picture stays until the new one can be drawn. */
export const loadPixels = ({ before, after }: PreviewPixels): Promise<unknown> =>
  Promise.all(
    [before, after].map((key) => {
      const image = new Image()
      image.src = pixelsUrl(key)
      return image.decode()
    }),
  )
