/** FFmpeg's numbers for the system's errors differ from one operating system to the next. */
import { FFmpegError, PosixError } from 'node-av/lib'

export const AGAIN = FFmpegError.AVERROR(PosixError.EAGAIN)
export const NO_SPACE = FFmpegError.AVERROR(PosixError.ENOSPC)
export const NOT_THERE = FFmpegError.AVERROR(PosixError.ENOENT)
export const NO_ACCESS = FFmpegError.AVERROR(PosixError.EACCES)
export const NOT_PERMITTED = FFmpegError.AVERROR(PosixError.EPERM)
