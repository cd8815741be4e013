import { MAX_PIXELS } from '../../shared/extent.ts'
import type { SharpInput, SharpOptions } from 'sharp'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'

export type SourceFormat = OutputFormat | 'gif' | 'heic' | 'bmp'

export type SharpSource = { readonly input: SharpInput; readonly options: SharpOptions }

/** Without this, libvips limits the memory for a TIFF to 50 MB, which is too little for a photo in one strip. */
const ANY_STRIP = { unlimited: true } as const

/**
 * Returns how to open a file of this format. Everything that decodes the same file must open it in this way. Otherwise, one step could
 * refuse what another step has read.
 */
export const sharpSource = (
  input: SharpInput,
  format: SourceFormat,
  options: SharpOptions = {},
): SharpSource => ({
  input,
  options: {
    autoOrient: true,
    limitInputPixels: MAX_PIXELS,
    ...(format === 'tiff' ? ANY_STRIP : {}),
    ...options,
  },
})
