/** Opens a video for reading and finds its main video track. */
import { damagedFile } from '../damaged-file.ts'
import { failed, FailureError } from '../../shared/failure/failure-error.ts'
import { captureDate, localCaptureDate } from '../../shared/capture-date.ts'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_ENCRYPTION_INFO,
  AV_PKT_FLAG_DISCARD,
  AV_PKT_FLAG_KEY,
  AV_TIME_BASE_Q,
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVMEDIA_TYPE_ATTACHMENT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type AVMediaType,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
} from 'node-av/constants'
import { avRescaleQ, FormatContext, type Packet, type Stream } from 'node-av/lib'
import type { PauseGate } from '../../node/pause-gate.ts'
import { extensionOfInput } from '../opened-input.ts'
import { type Edits, readEdits, applyPauses } from './edits.ts'
import { type ListedParts, listedParts } from './fragments.ts'
import { requireShortIndex } from './index-size.ts'
import { markTracksOff } from './matroska-tracks.ts'
import { createContinuousTimes } from './continuous-times.ts'
import type { Span } from './coverage.ts'
import { addLanguageTags } from './language-tags.ts'
import { type MatroskaTag, type Named, readMatroskaTags } from './matroska-tags.ts'
import { secondsIn, ticksIn, timeOf } from './packet-times.ts'
import { newPacket, withOptions } from '../ffmpeg/ffmpeg.ts'
import { separateTags } from './mp4-tag-boxes.ts'
import { addPhoneTags } from './phone-tags.ts'
import { whyNotOpened } from './why-not-opened.ts'

export type SourceFile = Awaited<ReturnType<typeof openSourceFile>>

/** Returns whether a packet is only needed to decode other packets, because an edit of the file hides it. */
export const isHidden = (packet: Packet): boolean => packet.hasFlags(AV_PKT_FLAG_DISCARD)

/** Returns whether a packet's content is encrypted. An encrypted track may also contain unencrypted packets. */
export const isEncrypted = (packet: Packet): boolean =>
  packet.getSideData(AV_PKT_DATA_ENCRYPTION_INFO) !== null

/** Tags of encrypted tracks: of FairPlay, and of other encryption, which hides the codec. */
const ENCRYPTED_TAGS: ReadonlySet<unknown> = new Set(['drmi', 'drms', 'encv', 'enca'])

export const isMarkedEncrypted = ({ codecpar, metadata }: Stream): boolean =>
  ENCRYPTED_TAGS.has(codecpar.codecTagString) || Boolean(metadata?.get('enc_key_id'))

/**
 * Allows only real containers and only local files. A playlist named `.mp4` must not make this computer read or download other
 * files.
 */
const OPEN_OPTIONS = {
  protocol_whitelist: 'file',
  format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf',
}

/**
 * @param pause holds back reading, and with it everything that waits for packets
 * @throws FailureError if the file isn't a readable video; `signal.reason` if the job was stopped
 */
export async function openSourceFile(path: string, signal: AbortSignal, pause?: PauseGate) {
  signal.throwIfAborted()
  const context = new FormatContext()
  const interrupt = (): void => context.interrupt()
  signal.addEventListener('abort', interrupt)
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', interrupt)
    await context.closeInput()
  }
  try {
    const listed = await openAndProbe(context, path)
    const edits = await readEdits(path, context.iformat?.name ?? '')
    await addLanguageTags(path, context.iformat?.name ?? '', context.streams)
    await markTracksOff(path, context.iformat?.name ?? '', context.streams)
    const read = { edits, tags: await readMatroskaTags(context, path) }
    const hiddenTags = await separateTags(context, path)
    await addPhoneTags(context, path)
    signal.throwIfAborted()
    return describe(context, path, { ...read, hiddenTags, listed, close, mayRead: () => pause?.pass(signal) })
  } catch (error) {
    await close()
    throw signal.aborted ? signal.reason : error
  }
}

/** Opens the file and reads its tracks. Returns what the file's fragments and segment indexes list. */
async function openAndProbe(context: FormatContext, path: string): Promise<ListedParts> {
  const listing = await requireShortIndex(path)
  const opened = await withOptions(OPEN_OPTIONS, (options) =>
    context.openInput(`file:${path}`, null, options),
  )
  if (opened < 0) throw new FailureError(await whyNotOpened(opened, path))
  const probed = await context.findStreamInfo()
  if (probed < 0) throw damagedFile('contentUnknown')
  return listedParts(path, listing)
}

/** Returns whether the parameters of an audio track are known. Without them, it can't be decoded. */
export const isKnownAudio = ({ codecpar }: Stream): boolean =>
  codecpar.sampleRate > 0 && codecpar.channels > 0

const READ_TYPES: ReadonlySet<AVMediaType> = new Set([
  AVMEDIA_TYPE_VIDEO,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
])

type Opened = {
  /** The edits of MP4 and QuickTime files that FFmpeg doesn't apply. */
  readonly edits: Edits
  /** Matroska's tags of the file, its chapters and its tracks, with what they describe. `metadata` also has the file's own tags. */
  readonly tags: readonly MatroskaTag[]
  /** Tags of MP4 and QuickTime files that a result can't keep, because another box has a different value for the same name. */
  readonly hiddenTags: readonly Named[]
  readonly close: () => Promise<void>
  readonly mayRead: () => Promise<void> | undefined
  readonly listed: ListedParts
}

function describe(context: FormatContext, path: string, { close, mayRead, listed, ...found }: Opened) {
  /** All tracks, including those that can't be decoded. */
  const streams: readonly Stream[] = context.streams
  const ofType = (type: AVMediaType): readonly Stream[] =>
    streams.filter((stream) => stream.codecpar.codecType === type)
  const video = chooseVideo(ofType(AVMEDIA_TYPE_VIDEO))
  if (isMarkedEncrypted(video)) throw failed('videoEncrypted')
  const audioStreams: readonly Stream[] = ofType(AVMEDIA_TYPE_AUDIO).filter(isKnownAudio)
  const metadata: Readonly<Record<string, string>> = context.metadata?.getAll() ?? {}
  const start = context.startTime === AV_NOPTS_VALUE ? 0n : context.startTime
  const startSeconds = Number(start) / AV_TIME_BASE_Q.den
  const format = context.iformat?.name ?? ''
  const duration = durationOf(context, format, startSeconds)
  const times = createContinuousTimes(isBroadcast(format))

  /** Makes the times of a packet continuous, except in MP4 and QuickTime, whose edits may step back legitimately. */
  function makeContinuous(packet: Packet): void {
    const stream = format.startsWith('mov') ? undefined : streams[packet.streamIndex]
    if (stream === undefined) return
    const { pts, dts, duration: length } = packet
    const isKnown = dts !== AV_NOPTS_VALUE && CONTINUOUS_TYPES.has(stream.codecpar.codecType)
    const shift = isKnown
      ? times.shiftOf({
          stream: stream.index,
          time: secondsIn(stream, dts),
          duration: secondsIn(stream, length),
        })
      : times.shift
    if (shift === 0) return
    const ticks = ticksIn(stream, shift)
    if (pts !== AV_NOPTS_VALUE) packet.pts = pts + ticks
    if (dts !== AV_NOPTS_VALUE) packet.dts = dts + ticks
  }

  const promisedSpan = (stream: Stream): Span | undefined => {
    const isVideoTrack = stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO
    const isAvi = format === 'avi'
    // Matroska doesn't count packets. For a track without a duration, FFmpeg returns the file's duration. AVI's count is
    // inaccurate for audio.
    if (stream.nbFrames <= 0n || (isAvi && !isVideoTrack)) return undefined
    // If an AVI has no index, FFmpeg's duration covers only the data that the file still has.
    const length = isAvi && stream.nbFrames > stream.duration ? stream.nbFrames : stream.duration
    if (length <= 0n) return undefined
    const begin = stream.startTime === AV_NOPTS_VALUE ? 0n : stream.startTime
    return {
      from: secondsIn(stream, begin) - startSeconds,
      to: secondsIn(stream, begin + length) - startSeconds,
    }
  }
  /**
   * Returns the end of the track, in seconds from the start of the file, according to its header. Returns undefined unless the header
   * reliably counts the track's packets.
   */
  const promisedEnd = (stream: Stream): number | undefined => {
    const listedEnd = listed.ends.get(stream.id)
    if (listedEnd !== undefined) return listedEnd - startSeconds
    const span = promisedSpan(stream)
    // Depending on its edits, the duration of a track that begins late may include the delay.
    const isDelayed = format.startsWith('mov') && span !== undefined && span.from + startSeconds > 0
    return isDelayed ? span.to - span.from - startSeconds : span?.to
  }

  return {
    ...found,
    video,
    streams,
    audioStreams,
    /** The audio track that players choose; undefined if there is none. */
    mainAudio: audioStreams.find(isDefault) ?? audioStreams[0],
    subtitles: ofType(AVMEDIA_TYPE_SUBTITLE),
    /** Attached files, such as subtitle fonts. */
    attachments: ofType(AVMEDIA_TYPE_ATTACHMENT),
    metadata,
    /** When the video was taken, as `captureDate` returns it. */
    taken: dateOfVideo({ ...video.metadata?.getAll(), ...metadata }),
    /** FFmpeg's name for the container, such as `matroska,webm`. */
    format,
    /** The file name's extension, lowercase, without the dot. */
    extension: extensionOfInput(path).slice(1),
    /** Duration in seconds; undefined if unknown. */
    duration,
    /** Like `duration`, but undefined if FFmpeg only estimated it. In MP4 and QuickTime, the latest promised end of a track, if any. */
    promisedDuration: isBroadcast(format)
      ? undefined
      : ((format.startsWith('mov') ? longestOf(streams, promisedEnd) : undefined) ?? duration),
    promisedEnd,
    /** Whether the file ends before data that its fragments or segment indexes list. */
    isCutOff: listed.ends.size > 0,
    /** Whether data can be missing in the middle of the file unnoticed, because the file has no index that would list it. */
    canHaveHoles: !format.startsWith('mov') || listed.isFragmented,
    /** Like `promisedEnd`, but returns the latest possible end if the header is ambiguous. */
    latestEnd: (stream: Stream): number | undefined => promisedSpan(stream)?.to,
    /** The file's first timestamp in seconds. */
    startSeconds,
    /** Returns the file's first timestamp, in the stream's time base. Callers subtract it from all timestamps. */
    startIn: (stream: Stream): bigint => avRescaleQ(start, AV_TIME_BASE_Q, stream.timeBase),
    /** Skips all streams except video, audio, subtitles and those with these indexes. */
    ignoreData(except: ReadonlySet<number>): void {
      for (const stream of streams)
        if (!READ_TYPES.has(stream.codecpar.codecType) && !except.has(stream.index))
          stream.discard = AVDISCARD_ALL
    },
    readOnlyVideo(): void {
      for (const stream of streams) if (stream.index !== video.index) stream.discard = AVDISCARD_ALL
    },
    /**
     * Seeks to the last keyframe at or before this time.
     * @param seconds from the start of the file
     * @returns false if the file doesn't support seeking
     */
    async seek(seconds: number): Promise<boolean> {
      times.reset()
      if (isBroadcast(format)) return seekWithoutIndex(context, video, seconds + startSeconds)
      return seekIn(context, video, seconds + startSeconds)
    },
    /** Returns when the packet's content is shown, in seconds from the start of the file; undefined if never, or if its time is unknown. */
    spanOf(packet: Packet): Span | undefined {
      const time = timeOf(packet)
      const stream = time === AV_NOPTS_VALUE || isHidden(packet) ? undefined : streams[packet.streamIndex]
      if (stream === undefined) return undefined
      const from = secondsIn(stream, time) - startSeconds
      return { from, to: from + secondsIn(stream, packet.duration) }
    },
    /**
     * @returns false at the end of the file, or if the file is too damaged to continue
     * @throws FailureError if the main video track is encrypted
     */
    async read(packet: Packet): Promise<boolean> {
      await mayRead()
      const code = await context.readFrame(packet)
      if (code >= 0) {
        if (packet.streamIndex === video.index && isEncrypted(packet)) throw failed('videoEncrypted')
        makeContinuous(packet)
        applyPauses(found.edits, streams[packet.streamIndex], packet)
        return true
      }
      if (code !== AVERROR_EOF) packet.unref()
      return false
    },
    [Symbol.asyncDispose]: close,
  }
}

async function seekIn(context: FormatContext, video: Stream, seconds: number): Promise<boolean> {
  const time = BigInt(Math.round(seconds * AV_TIME_BASE_Q.den))
  const stamp = avRescaleQ(time, AV_TIME_BASE_Q, video.timeBase)
  return (await context.seekFrame(video.index, stamp, AVSEEK_FLAG_BACKWARD)) >= 0
}

/** Seeks to a keyframe, in formats for which FFmpeg may seek to any frame. Seeks to the start if no attempt finds an earlier keyframe. */
async function seekWithoutIndex(context: FormatContext, video: Stream, seconds: number): Promise<boolean> {
  for (const earlier of SECONDS_EARLIER) {
    const from = seconds - earlier
    if (!(await seekIn(context, video, from))) break
    if ((await nextKeyframe(context, video)) <= seconds) return seekIn(context, video, from)
  }
  return (await context.seekFrame(-1, 0n, AVSEEK_FLAG_BYTE)) >= 0
}

/** How much earlier to seek in each attempt to find a keyframe. */
const SECONDS_EARLIER = [0, 5, 30]

/** Reads to the next keyframe. Returns its time in seconds, or `Infinity` at the end of the file. */
async function nextKeyframe(context: FormatContext, video: Stream): Promise<number> {
  for (;;) {
    using packet = newPacket()
    if ((await context.readFrame(packet)) < 0) return Infinity
    const isKey = packet.streamIndex === video.index && packet.hasFlags(AV_PKT_FLAG_KEY)
    const time = timeOf(packet)
    if (isKey && time !== AV_NOPTS_VALUE) return secondsIn(video, time)
  }
}

/** Returns whether a track is an image for the whole file, such as the poster of a movie. */
export const isCover = ({ disposition }: Pick<Stream, 'disposition'>): boolean =>
  (disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0

/** Formats of broadcasts don't state a duration, so FFmpeg compares the first time with the last one. */
const isBroadcast = (format: string): boolean => format === 'mpegts' || format === 'mpeg'

/** The tracks whose packets follow each other without long breaks. */
const CONTINUOUS_TYPES: ReadonlySet<AVMediaType> = new Set([AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO])

function longestOf(
  streams: readonly Stream[],
  endOf: (stream: Stream) => number | undefined,
): number | undefined {
  const ends = streams
    .filter(({ codecpar }) => CONTINUOUS_TYPES.has(codecpar.codecType))
    .flatMap((stream) => endOf(stream) ?? [])
  return ends.length === 0 ? undefined : Math.max(...ends)
}

function durationOf(context: FormatContext, format: string, start: number): number | undefined {
  if (context.duration <= 0n) return undefined
  const duration = Number(context.duration) / AV_TIME_BASE_Q.den
  // Matroska counts from the start of its clock rather than from the first frame.
  return format.startsWith('matroska') && start > 0 && start < duration ? duration - start : duration
}

/** First plausible year. Earlier years are the epochs of formats (1904, 1970) and of cameras without a clock. */
const FIRST_YEAR_OF_VIDEO = 1990

/**
 * Returns the local time that phones write. Otherwise, converts the container's creation time from UTC to this computer's time zone.
 * Returns undefined if neither is usable.
 */
function dateOfVideo(metadata: Readonly<Record<string, string>>): string | undefined {
  // Matroska writes all names in capitals.
  const tag = (name: string) =>
    Object.entries(metadata).find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  const created = new Date(tag('creation_time'))
  const isPlausible = created.getUTCFullYear() >= FIRST_YEAR_OF_VIDEO
  return (
    captureDate(tag('com.apple.quicktime.creationdate')) ??
    (isPlausible ? localCaptureDate(created) : undefined)
  )
}

/** Bonus for the default track, in pixels, when the largest video track is chosen. */
const DEFAULT_COUNTS_FOR = 5_000_000

export const isDefault = ({ disposition }: Stream): boolean => (disposition & AV_DISPOSITION_DEFAULT) !== 0

function worth(stream: Stream): number {
  const pixels = stream.codecpar.width * stream.codecpar.height
  return pixels + (isDefault(stream) ? DEFAULT_COUNTS_FOR : 0)
}

function chooseVideo(candidates: readonly Stream[]): Stream {
  const still = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS
  const [best] = candidates
    .filter((stream) => (stream.disposition & still) === 0)
    .toSorted((one, other) => worth(other) - worth(one))
  if (best === undefined) throw failed('noVideoTrack')
  return best
}
