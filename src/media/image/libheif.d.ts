/** The part of libheif's WebAssembly build that is used here. */
export type HeifImage = {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  has_alpha_channel(): boolean
  is_premultiplied_alpha(): boolean
  /** Fills `target.data` with RGBA, turned and cropped as the file says; null: it could not. */
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (target: { data: Uint8ClampedArray } | null) => void,
  ): void
}

declare const libheif: {
  HeifDecoder: new () => { decode(file: Uint8Array): HeifImage[] }
}
export default libheif
