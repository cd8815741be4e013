import { ProcessingError } from '../protocol.ts'

/** The most pixels that are decoded, all frames together. A few kilobytes can claim to be far more. */
export const MAX_PIXELS = 268_402_689

/** For decoders of ours that hold the whole picture in memory, at four bytes a pixel. */
export const MAX_PIXELS_IN_MEMORY = 134_217_728

/** @throws ProcessingError before anything is decoded */
export function refuseTooManyPixels(width: number, height: number, frames = 1, most = MAX_PIXELS): void {
  if (width * height * frames <= most) return
  const shape = `${width} × ${height}${frames > 1 ? ` × ${frames} frames` : ''}`
  throw new ProcessingError(
    `The picture is too large: ${shape} are ${millions(width * height * frames)} million pixels, the limit is ${millions(most)} million.`,
  )
}

const millions = (pixels: number) => Math.round(pixels / 1e6).toLocaleString('en')
