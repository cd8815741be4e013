/** Helpers for FFmpeg's libraries, such as error codes, options and format names. */
import type { Extent } from '../../shared/extent.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import {
  AV_CODEC_FLAG_UNALIGNED,
  AV_LOG_QUIET,
  AVERROR_EOF,
  type AVPixelFormat,
  type AVSampleFormat,
} from 'node-av/constants'
import {
  avGetCodecName,
  avGetPixFmtName,
  avGetSampleFmtName,
  type Codec,
  CodecContext,
  type CodecParameters,
  Dictionary,
  FFmpegError,
  Frame,
  Log,
  Packet,
  PosixError,
  type Rational,
  type Stream,
} from 'node-av/lib'

// FFmpeg's codes for system errors differ between operating systems.
export const AGAIN = FFmpegError.AVERROR(PosixError.EAGAIN)
const NO_MEMORY = FFmpegError.AVERROR(PosixError.ENOMEM)
export const NO_SPACE = FFmpegError.AVERROR(PosixError.ENOSPC)
export const NOT_THERE = FFmpegError.AVERROR(PosixError.ENOENT)
export const NO_ACCESS = FFmpegError.AVERROR(PosixError.EACCES)
export const NOT_PERMITTED = FFmpegError.AVERROR(PosixError.EPERM)

const FAILED_STEPS = {
  changed: 'videoNotChanged',
  compared: 'videoNotCompared',
  copied: 'videoNotCopied',
  decoded: 'videoNotDecoded',
  encoded: 'videoNotEncoded',
  prepared: 'videoNotPrepared',
  written: 'videoNotWritten',
} as const

/**
 * Throws a FailureError if an FFmpeg call failed.
 * @param step past participle that completes "couldn't be …"
 */
export function mustSucceed(code: number, step: keyof typeof FAILED_STEPS): void {
  if (code >= 0) return
  if (code === NO_SPACE) throw failed('diskFull')
  if (code === NO_MEMORY) throw failed('notEnoughMemory')
  throw failed(FAILED_STEPS[step], { detail: FFmpegError.strerror(code) })
}

/** Returns whether a codec or filter has no output at the moment or has ended. */
export function nothingNow(code: number): boolean {
  return code === AGAIN || code === AVERROR_EOF
}

/** Passes options to an FFmpeg call and frees them afterwards. FFmpeg removes the entries that it recognizes. */
export async function withOptions<T>(
  values: Readonly<Record<string, string | number>>,
  use: (options: Dictionary) => Promise<T>,
): Promise<T> {
  using options = Dictionary.fromObject({ ...values })
  return await use(options)
}

/** Keeps FFmpeg from logging. It also returns errors as codes, so its messages would only fill the log. */
export const silenceFfmpeg = (): void => Log.setLevel(AV_LOG_QUIET)

export function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}

/**
 * Creates a video frame with the timestamp 0.
 * @param pixels row by row from the top; copied into the frame
 */
export function frameOfPixels(pixels: Buffer, { width, height }: Extent, format: AVPixelFormat): Frame {
  const frame = newFrame()
  frame.width = width
  frame.height = height
  frame.format = format
  FFmpegError.throwIfError(frame.allocBuffer())
  FFmpegError.throwIfError(frame.fromBuffer(pixels))
  frame.pts = 0n
  return frame
}

/** Returns a new frame that shares the content but has its own timestamps. */
export function cloneOf(frame: Frame): Frame {
  const copy = frame.clone()
  if (copy === null) throw failed('notEnoughMemory')
  return copy
}

export function newPacket(): Packet {
  const packet = new Packet()
  packet.alloc()
  return packet
}

/** Yields the packets that an encoder has ready. The caller must free each packet. */
export async function* packetsFrom(
  receive: (packet: Packet) => number | Promise<number>,
): AsyncGenerator<Packet> {
  for (;;) {
    const packet = newPacket()
    const code = await receive(packet)
    if (code >= 0) {
      yield packet
      continue
    }
    packet.free()
    if (!nothingNow(code)) mustSucceed(code, 'encoded')
    return
  }
}

/** Maximum number of pixels in a frame. No camera produces more, so a header that claims more is probably meant to exhaust memory. */
const MOST_PIXELS = 16_384 * 8_192

/** @param threads 0 selects one thread per core for frames and slices */
export async function openDecoder(
  codec: Codec,
  parameters: CodecParameters,
  { timeBase, threads }: { readonly timeBase?: Rational; readonly threads: number },
): Promise<CodecContext> {
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(parameters), 'decoded')
  if (timeBase !== undefined) decoder.pktTimebase = timeBase
  decoder.threadCount = threads
  // Without this flag, FFmpeg keeps some cropped columns at the left, so that frames stay aligned. Filters don't need aligned frames.
  decoder.setFlags(AV_CODEC_FLAG_UNALIGNED)
  const opened = await withOptions({ max_pixels: MOST_PIXELS }, (options) => decoder.open2(codec, options))
  mustSucceed(opened, 'decoded')
  return decoder
}

/** Returns FFmpeg's name for the stream's codec, or `unknown`. */
export function codecName(stream: Stream): string {
  return avGetCodecName(stream.codecpar.codecId) ?? 'unknown'
}

// `format` is a pixel format or a sample format, depending on the kind of frame.
type Format = Frame['format']

const isPixelFormat = (frame: Frame, format: Format): format is AVPixelFormat =>
  frame.isVideo() && format >= 0
const isSampleFormat = (frame: Frame, format: Format): format is AVSampleFormat =>
  frame.isAudio() && format >= 0

export function pixelFormatOf(frame: Frame): AVPixelFormat {
  const { format } = frame
  if (!isPixelFormat(frame, format)) throw new TypeError("The frame isn't a video frame.")
  return format
}

/** Returns FFmpeg's name, such as `yuv420p`. */
export function pixelFormatName(frame: Frame): string {
  return avGetPixFmtName(pixelFormatOf(frame)) ?? 'none'
}

/** Returns FFmpeg's name, such as `fltp`. */
export function sampleFormatName(frame: Frame): string {
  const { format } = frame
  if (!isSampleFormat(frame, format)) throw new TypeError("The frame isn't an audio frame.")
  return avGetSampleFmtName(format) ?? 'none'
}
