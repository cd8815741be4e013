/** URLs of images for the page. They use the app's own scheme, so that the page doesn't need access to files. */

export const APP_ORIGIN = 'app://mediatray'

export type EncodedImage = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

/** Thumbnail sizes in file lists and the job list, in CSS pixels. */
export type ThumbnailSize = 28 | 36

/** Returns the side length in device pixels on a screen with twice the pixel density. */
export const thumbnailPixels = (size: ThumbnailSize): number => size * 2

export const thumbnailUrl = (path: string, size: ThumbnailSize): string =>
  `${APP_ORIGIN}/thumbnail?size=${thumbnailPixels(size)}&path=${encodeURIComponent(path)}`

/** Returns the URL of a preview's raw pixels (`PreviewPixels`). */
export const pixelsUrl = (key: string): string => `${APP_ORIGIN}/pixels?key=${encodeURIComponent(key)}`
