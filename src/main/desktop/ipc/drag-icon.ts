import { nativeImage, type NativeImage } from 'electron'
import type { Picture } from '../../thumbnails/thumbnails.ts'

const PIXELS = 64

/** What hangs under the pointer while a result is dragged out: the picture itself, or the app's icon where there is none. */
export async function dragIcon(
  path: string,
  thumbnails: { thumbnail(path: string, pixels: number): Promise<Picture | undefined> },
  fallbackPath: string,
): Promise<NativeImage> {
  const picture = await thumbnails.thumbnail(path, PIXELS)
  const image = picture === undefined ? undefined : nativeImage.createFromBuffer(Buffer.from(picture.bytes))
  // Electron can't drag with an empty image, and not every build reads WebP.
  if (image !== undefined && !image.isEmpty()) return image
  return nativeImage.createFromPath(fallbackPath).resize({ width: PIXELS, height: PIXELS })
}
