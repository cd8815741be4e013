/** A frame's format is a pixel format or a sample format; the frame itself knows which. */
import type { AVPixelFormat, AVSampleFormat } from 'node-av/constants'
import { avGetPixFmtName, avGetSampleFmtName, type Frame } from 'node-av/lib'

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
