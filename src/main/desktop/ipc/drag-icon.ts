import type { NativeImage } from 'electron'

const PIXELS = 64

/**
 * What hangs under the pointer while a result is dragged out: the app's icon, which is there at once. A thumbnail would come
 * when the mouse may be up again, and as WebP, of which Electron makes an empty image; with one of those it drags nothing.
 *
 * @param file a PNG
 */
export function createDragIcon(load: (path: string) => NativeImage, file: string): () => NativeImage {
  let icon: NativeImage | undefined
  return () => (icon ??= load(file).resize({ width: PIXELS, height: PIXELS }))
}
