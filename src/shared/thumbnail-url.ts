/** Pictures for the page come from the app's own scheme, so that the page needs no access to files. */

export const APP_ORIGIN = 'app://mediatray'

/** A square picture of a photo or video, `size` CSS pixels wide at twice the density. */
export const thumbnailUrl = (path: string, size: 28 | 36): string =>
  `${APP_ORIGIN}/thumbnail?size=${size * 2}&path=${encodeURIComponent(path)}`

/** Pixels of a preview, as they are (`PreviewPixels`). */
export const pixelsUrl = (key: string): string => `${APP_ORIGIN}/pixels?key=${encodeURIComponent(key)}`
