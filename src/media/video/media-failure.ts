/** From FFmpeg's numbers to a sentence for a person. */
import { AVERROR_EOF } from 'node-av/constants'
import { FFmpegError } from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'
import { AGAIN, NO_SPACE } from './error-codes.ts'

/** @param doing what didn't work, as in "could not be …" */
export function mustSucceed(code: number, doing: string): void {
  if (code >= 0) return
  if (code === NO_SPACE) throw new ProcessingError('The disk is full.')
  throw new ProcessingError(`The video could not be ${doing} (${FFmpegError.strerror(code)}).`)
}

/** Whether a codec or a filter only says that it has nothing to give now, or ever again. */
export function nothingNow(code: number): boolean {
  return code === AGAIN || code === AVERROR_EOF
}
