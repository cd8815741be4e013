import type { SharpInput, SharpOptions } from 'sharp'
import { MAX_PIXELS } from './image-failure.ts'

/** Input and options for sharp. */
export type SharpSource = { readonly input: SharpInput; readonly options: SharpOptions }

export const sharpSource = (input: SharpInput, options: SharpOptions = {}): SharpSource => ({
  input,
  options: { autoOrient: true, limitInputPixels: MAX_PIXELS, ...options },
})
