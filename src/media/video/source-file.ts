/** Opens a video for reading and finds its picture. */
import { type FileHandle, open } from 'node:fs/promises'
import { extname } from 'node:path'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AV_NOPTS_VALUE,
  AV_TIME_BASE_Q,
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_ATTACHMENT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type AVMediaType,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants'
import { avRescaleQ, FormatContext, type Packet, type Stream } from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'
import { NO_ACCESS, NOT_PERMITTED, NOT_THERE, withOptions } from '../ffmpeg/ffmpeg.ts'

export type SourceFile = {
  readonly picture: Stream
  readonly sounds: readonly Stream[]
  readonly subtitles: readonly Stream[]
  /** Files inside the file, such as the fonts of subtitles. */
  readonly attachments: readonly Stream[]
  readonly metadata: Readonly<Record<string, string>>
  /** FFmpeg's name for the container, such as `matroska,webm`. */
  readonly format: string
  /** Lower case, without the dot. */
  readonly extension: string
  /** Seconds; undefined where nobody knows. */
  readonly duration: number | undefined
  /** When the file's clock starts, in the stream's time base; everything is moved back by it. */
  startIn(stream: Stream): bigint
  /** Only picture, sound and subtitles will be read. */
  ignoreData(): void
  /** Only the picture will be read. */
  readOnlyPicture(): void
  /**
   * Goes to the last picture before this time that stands alone.
   *
   * @param seconds from the file's beginning
   * @returns whether the container could
   */
  seek(seconds: number): Promise<boolean>
  /** Seconds from the file's beginning to the end of what the packet holds. */
  endOf(packet: Packet): number
  /** @returns false at the end of the file, or where it is too damaged to go on reading */
  read(packet: Packet): Promise<boolean>
  close(): Promise<void>
}

/**
 * Only real containers, and nothing but the file itself: a playlist that calls itself `.mp4` must not make this computer
 * fetch or read anything else.
 */
const OPEN_OPTIONS = {
  protocol_whitelist: 'file',
  format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf',
}

/** @throws ProcessingError when this is no video that can be read; `signal.reason` when stopped */
export async function openSourceFile(path: string, signal: AbortSignal): Promise<SourceFile> {
  signal.throwIfAborted()
  const context = new FormatContext()
  const interrupt = (): void => context.interrupt()
  signal.addEventListener('abort', interrupt)
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', interrupt)
    await context.closeInput()
  }
  try {
    await openAndProbe(context, path)
    signal.throwIfAborted()
    return describe(context, path, close)
  } catch (error) {
    await close()
    throw signal.aborted ? signal.reason : error
  }
}

async function openAndProbe(context: FormatContext, path: string): Promise<void> {
  const opened = await withOptions(OPEN_OPTIONS, (options) =>
    context.openInput(`file:${path}`, null, options),
  )
  if (opened < 0) throw new ProcessingError(await whyNotOpened(opened, path))
  const probed = await context.findStreamInfo()
  if (probed < 0) throw new ProcessingError('The file is damaged: what it holds can’t be made out.')
}

async function whyNotOpened(code: number, path: string): Promise<string> {
  if (code === NOT_THERE) return 'The file is not there any more.'
  if (code === NO_ACCESS || code === NOT_PERMITTED) return 'The file may not be read: permission denied.'
  const start = await firstBytes(path)
  if (start.length === 0) return 'The file is empty.'
  const kind = start.toString('latin1')
  if (/^....(ftyp|moov|mdat|wide|free|skip)/s.test(kind)) {
    return 'The file is damaged or incomplete: its index is missing.'
  }
  if (/^RIFF....AVI /s.test(kind) || kind.startsWith('\x1a\x45\xdf\xa3')) {
    return 'The file is damaged or incomplete: its beginning can’t be read.'
  }
  return 'This is not a video, whatever its name says.'
}

async function firstBytes(path: string): Promise<Buffer> {
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(12) })
    return buffer.subarray(0, bytesRead)
  } catch {
    return Buffer.alloc(1)
  } finally {
    await file?.close()
  }
}

const READ_TYPES: ReadonlySet<AVMediaType> = new Set([
  AVMEDIA_TYPE_VIDEO,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
])

function describe(context: FormatContext, path: string, close: () => Promise<void>): SourceFile {
  const streams = context.streams
  const ofType = (type: AVMediaType): Stream[] =>
    streams.filter((stream) => stream.codecpar.codecType === type)
  const picture = choosePicture(ofType(AVMEDIA_TYPE_VIDEO))
  const start = context.startTime === AV_NOPTS_VALUE ? 0n : context.startTime
  return {
    picture,
    sounds: ofType(AVMEDIA_TYPE_AUDIO).filter(
      ({ codecpar }) => codecpar.sampleRate > 0 && codecpar.channels > 0,
    ),
    subtitles: ofType(AVMEDIA_TYPE_SUBTITLE),
    attachments: ofType(AVMEDIA_TYPE_ATTACHMENT),
    metadata: context.metadata?.getAll() ?? {},
    format: context.iformat?.name ?? '',
    extension: extname(path).slice(1).toLowerCase(),
    duration: context.duration > 0n ? Number(context.duration) / AV_TIME_BASE_Q.den : undefined,
    startIn: (stream) => avRescaleQ(start, AV_TIME_BASE_Q, stream.timeBase),
    ignoreData() {
      for (const stream of streams)
        if (!READ_TYPES.has(stream.codecpar.codecType)) stream.discard = AVDISCARD_ALL
    },
    readOnlyPicture() {
      for (const stream of streams) if (stream.index !== picture.index) stream.discard = AVDISCARD_ALL
    },
    async seek(seconds) {
      const time = start + BigInt(Math.round(seconds * AV_TIME_BASE_Q.den))
      const stamp = avRescaleQ(time, AV_TIME_BASE_Q, picture.timeBase)
      return (await context.seekFrame(picture.index, stamp, AVSEEK_FLAG_BACKWARD)) >= 0
    },
    endOf(packet) {
      const time = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts
      const stream = time === AV_NOPTS_VALUE ? undefined : streams[packet.streamIndex]
      if (stream === undefined) return 0
      const { num, den } = stream.timeBase
      return (Number(time + packet.duration) * num) / den - Number(start) / AV_TIME_BASE_Q.den
    },
    async read(packet) {
      const code = await context.readFrame(packet)
      if (code >= 0) return true
      if (code !== AVERROR_EOF) packet.unref()
      return false
    },
    close,
  }
}

/** The largest moving picture; one marked as the default wins over one up to as large as this, in pixels. */
const DEFAULT_COUNTS_FOR = 5_000_000

function worth(stream: Stream): number {
  const pixels = stream.codecpar.width * stream.codecpar.height
  return pixels + ((stream.disposition & AV_DISPOSITION_DEFAULT) === 0 ? 0 : DEFAULT_COUNTS_FOR)
}

function choosePicture(candidates: readonly Stream[]): Stream {
  const still = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS
  const [best] = candidates
    .filter((stream) => (stream.disposition & still) === 0)
    .toSorted((one, other) => worth(other) - worth(one))
  if (best === undefined) throw new ProcessingError('There is no video track in this file.')
  return best
}
