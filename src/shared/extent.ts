/** In pixels. */
export type Extent = { readonly width: number; readonly height: number }
export type Area = Extent & { readonly left: number; readonly top: number }

/** Returns the dimensions after a quarter turn, if there is one. */
export const turnedExtent = ({ width, height }: Extent, isTurned: boolean): Extent =>
  isTurned ? { width: height, height: width } : { width, height }
