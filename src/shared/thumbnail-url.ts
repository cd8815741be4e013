/** Pictures for the page come from the app's own scheme, so that the page needs no access to files. */

export const APP_ORIGIN = 'app://mediatray'

/** CSS pixels: in the lists of files, and in the list of jobs. */
export type ThumbnailSize = 28 | 36

/** At twice the density. */
export const thumbnailPixels = (size: ThumbnailSize): number => size * 2

/** A square picture of a photo or video. */
export const thumbnailUrl = (path: string, size: ThumbnailSize): string =>
  `${APP_ORIGIN}/thumbnail?size=${thumbnailPixels(size)}&path=${encodeURIComponent(path)}`

/** Pixels of a preview, as they are (`PreviewPixels`). */
export const pixelsUrl = (key: string): string => `${APP_ORIGIN}/pixels?key=${encodeURIComponent(key)}`
