import type { PreviewPixels } from '../../shared/model/preview.ts'
import { pixelsUrl } from '../../shared/thumbnail-url.ts'

/** Decodes both images before they are shown. The previous images remain visible until then. */
export const loadPixels = ({ before, after }: PreviewPixels): Promise<unknown> =>
  Promise.all(
    [before, after].map((key) => {
      const image = new Image()
      image.src = pixelsUrl(key)
      return image.decode()
    }),
  )
