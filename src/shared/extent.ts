/** In pixels. */
export type Extent = { readonly width: number; readonly height: number }
export type Area = Extent & { readonly left: number; readonly top: number }

/** Returns the dimensions after a quarter turn, if there is one. */
export const turnedExtent = ({ width, height }: Extent, isTurned: boolean): Extent =>
  isTurned ? { width: height, height: width } : { width, height }

/** Maximum number of pixels to decode, in all frames together. A file of a few kilobytes can claim far more. */
export const MAX_PIXELS = 268_402_689

/** Maximum number of pixels for Mediatray's own decoders, which hold the whole image in memory at four bytes per pixel. */
export const MAX_PIXELS_IN_MEMORY = 134_217_728
