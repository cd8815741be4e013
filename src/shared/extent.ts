/** In pixels. */
export type Extent = { readonly width: number; readonly height: number }
export type Area = Extent & { readonly left: number; readonly top: number }
