/** Pixels as FFmpeg takes them. */
import type { AVPixelFormat } from 'node-av/constants'
import { FFmpegError, Frame } from 'node-av/lib'

/** @param pixels row by row, from the top; they are copied */
export function frameOfPixels(
  pixels: Buffer,
  { width, height }: { readonly width: number; readonly height: number },
  format: AVPixelFormat,
): Frame {
  const frame = new Frame()
  frame.alloc()
  frame.width = width
  frame.height = height
  frame.format = format
  FFmpegError.throwIfError(frame.allocBuffer())
  FFmpegError.throwIfError(frame.fromBuffer(pixels))
  frame.pts = 0n
  return frame
}
