/** Why a picture can't be processed, in words for a person. What the libraries said themselves is the cause, for the log. */
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
    `The picture is too large: ${shape} are ${megapixels(width * height * frames)} megapixels, the limit is ${megapixels(most)}.`,
  )
}

const megapixels = (pixels: number) => Math.round(pixels / 1e6).toLocaleString('en')

/** @param flaw what is wrong, as the end of a sentence without its full stop */
export function damagedPicture(flaw: string): ProcessingError {
  return new ProcessingError(`The file is damaged or incomplete: ${flaw}.`)
}

/** Turns the message of a decoder or of the file system into one sentence for a person. */
export function describeFailure(error: unknown): ProcessingError {
  if (error instanceof ProcessingError) return error
  const message = error instanceof Error ? error.message.trim() : String(error)
  return new ProcessingError(plainReason(message), { cause: error })
}

function plainReason(message: string): string {
  if (/ENOENT|Input file is missing/i.test(message)) return 'The file is not there any more.'
  if (/EACCES|EPERM|permission denied/i.test(message)) return 'The file may not be read by this user.'
  if (/ENOSPC|EDQUOT|no space left|write error|wbuffer_write/i.test(message))
    return 'There is no room left on the disk for the result.'
  if (/unsupported image format|unknown file/i.test(message))
    return 'The file is not a picture of a kind that can be read here, or its very beginning is damaged.'
  if (/exceeds pixel limit/i.test(message))
    return `The picture is too large: it has more than ${megapixels(MAX_PIXELS)} megapixels.`
  const format = /image is too large for the (\w+) format/i.exec(message)?.[1]
  if (format !== undefined) return `The result would have more pixels on a side than ${format} can hold.`
  if (/security limit|exceeds? .*(limit|maximum)/i.test(message))
    return 'The picture has more parts, or larger ones, than a decoder may be trusted with.'
  if (/out of memory|unable to allocate/i.test(message))
    return 'There is not enough memory for a picture of this size.'
  if (/not supported|unsupported|unimplemented/i.test(message))
    return 'The file keeps its picture in a way that can’t be read here.'
  if (
    /premature|truncated|not enough|unexpected end|end of (file|stream)|incomplete|read error/i.test(message)
  )
    return 'The file is damaged or incomplete: a part of the picture is missing.'
  return 'The file is damaged or incomplete: its picture can’t be decoded.'
}
