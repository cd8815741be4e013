/** Explains to the user why an image can't be processed. The library's own message is kept as the cause, for the log. */
import { MAX_PIXELS } from '../../shared/extent.ts'
import { failed, FailureError } from '../../shared/failure/failure-error.ts'
import { failure, reason, type Failure } from '../../shared/failure/failure.ts'
import { endsEarly, OUT_OF_MEMORY } from '../../node/memory-limit.ts'

/**
 * Checks the size before anything is decoded.
 * @throws FailureError if there are too many pixels
 */
export function refuseTooManyPixels(width: number, height: number, frames = 1, most = MAX_PIXELS): void {
  if (width * height * frames <= most) return
  const values = { width, height, megapixels: inMega(width * height * frames), limit: inMega(most) }
  throw new FailureError(
    frames > 1 ? failure('animationTooLarge', { ...values, frames }) : failure('photoTooLarge', values),
  )
}

/** Maximum number of pages or frames, which real documents and animations never reach. For each page, decoders search all other pages. */
export const MOST_PAGES = 10_000

/** @throws FailureError if there are too many pages or frames */
export function refuseTooManyPages(pages: number): void {
  if (pages > MOST_PAGES) throw failed('photoTooComplex')
}

const inMega = (pixels: number): number => Math.round(pixels / 1e6)

/** Returns what `parse` returns; undefined if it throws a RangeError, for example because it reads beyond the end of a file or box. */
export function unlessTooShort<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (endsEarly(error)) return undefined
    throw error
  }
}

export function asFailure(error: unknown): FailureError {
  if (error instanceof FailureError) return error
  const message = error instanceof Error ? error.message.trim() : String(error)
  return new FailureError(failureBehind(message), { cause: error })
}

const FAILURES: readonly (readonly [RegExp, Failure])[] = [
  [/ENOENT|Input file is missing/i, failure('fileUnreadable', { reason: reason('missing') })],
  [/ENOSPC|EDQUOT|no space left|quota exceeded/i, failure('diskFull')],
  // Not all of these messages show whether reading or writing failed. Callers that know the folder can check further.
  [/EROFS|read-only file system|for writ|write error|wbuffer_write/i, failure('resultNotSaved')],
  [/\bEIO\b|input\/output error/i, failure('resultNotSaved')],
  [/EACCES|EPERM|permission denied/i, failure('fileUnreadable', { reason: reason('denied') })],
  [/unsupported image format|unknown file/i, failure('photoUnknown')],
  [/exceeds pixel limit/i, failure('photoOverLimit', { limit: inMega(MAX_PIXELS) })],
  [/security limit|exceeds? .*(limit|maximum)/i, failure('photoTooComplex')],
  [OUT_OF_MEMORY, failure('photoNeedsMemory')],
  [/not supported|unsupported|unimplemented/i, failure('photoUnsupported')],
  [
    /premature|truncated|not enough|unexpected end/i,
    failure('fileDamaged', { reason: reason('imagePartMissing') }),
  ],
  [
    /end of (file|stream)|incomplete|read error/i,
    failure('fileDamaged', { reason: reason('imagePartMissing') }),
  ],
]

const failureBehind = (message: string): Failure =>
  FAILURES.find(([words]) => words.test(message))?.[1] ??
  failure('fileDamaged', { reason: reason('imageNotDecodable') })
