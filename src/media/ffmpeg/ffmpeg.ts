/** What everything here needs from FFmpeg's libraries: error codes and their sentences, options, names of formats. */
import { AVERROR_EOF, type AVPixelFormat, type AVSampleFormat } from 'node-av/constants'
import {
  avGetCodecName,
  avGetPixFmtName,
  avGetSampleFmtName,
  Dictionary,
  FFmpegError,
  type Frame,
  PosixError,
  type Stream,
} from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'

// FFmpeg's numbers for the system's errors differ from one operating system to the next.
export const AGAIN = FFmpegError.AVERROR(PosixError.EAGAIN)
export const NO_SPACE = FFmpegError.AVERROR(PosixError.ENOSPC)
export const NOT_THERE = FFmpegError.AVERROR(PosixError.ENOENT)
export const NO_ACCESS = FFmpegError.AVERROR(PosixError.EACCES)
export const NOT_PERMITTED = FFmpegError.AVERROR(PosixError.EPERM)

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

/** Lends options to a call of FFmpeg's, which takes out what it understands. */
export async function withOptions<T>(
  values: Readonly<Record<string, string | number>>,
  use: (options: Dictionary) => Promise<T>,
): Promise<T> {
  const options = Dictionary.fromObject({ ...values })
  try {
    return await use(options)
  } finally {
    options.free()
  }
}

/** FFmpeg's name of what a stream is coded in. */
export function codecName(stream: Stream): string {
  return avGetCodecName(stream.codecpar.codecId) ?? 'unknown'
}

// A frame's format is a pixel format or a sample format; the frame itself knows which.
type Format = Frame['format']

const isPixelFormat = (frame: Frame, format: Format): format is AVPixelFormat =>
  frame.isVideo() && format >= 0
const isSampleFormat = (frame: Frame, format: Format): format is AVSampleFormat =>
  frame.isAudio() && format >= 0

export function pixelFormatOf(frame: Frame): AVPixelFormat {
  const { format } = frame
  if (!isPixelFormat(frame, format)) throw new TypeError('The frame holds no picture.')
  return format
}

/** FFmpeg's name, such as `yuv420p`. */
export function pixelFormatName(frame: Frame): string {
  return avGetPixFmtName(pixelFormatOf(frame)) ?? 'none'
}

/** FFmpeg's name, such as `fltp`. */
export function sampleFormatName(frame: Frame): string {
  const { format } = frame
  if (!isSampleFormat(frame, format)) throw new TypeError('The frame holds no sound.')
  return avGetSampleFmtName(format) ?? 'none'
}
