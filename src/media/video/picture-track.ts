/**
 * The picture's way through: decode, filter, encode. Each stage is one loop that hands on through a short queue and works
 * on a thread of its own, so that all three go on at the same time. One call to another thread for each picture and stage
 * is all it costs.
 */
import { AVERROR_EOF } from 'node-av/constants'
import { type CodecContext, type Frame, Packet, type Stream } from 'node-av/lib'
import { mustSucceed, nothingNow, pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { createDecodingClock } from './clocks.ts'
import { describeHdr, hdrMetadataOf } from './hdr-metadata.ts'
import { openPictureDecoder, softwareEncoder } from './picture-codecs.ts'
import type { OpenEncoder, PictureEncoder } from './picture-encoder.ts'
import { highDynamicRange } from './picture-filters.ts'
import {
  decodeAll,
  filterAll,
  type FilteredPicture,
  frameRate,
  judge,
  PACKETS_WAITING,
  PICTURES_WAITING,
  type PictureWork,
  settingsFor,
} from './picture-stages.ts'
import type { TargetFile } from './target-file.ts'
import { type BoundedQueue, createBoundedQueue, runAll, type Track } from './track.ts'

export type PictureTrackOptions = PictureWork & {
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
  /** Another encoder than that of the recipe's settings. */
  readonly open: OpenEncoder | undefined
  /** The first picture is there and the track is described; the file may begin. */
  onDescribed(): Promise<void>
  /** @param seconds of the finished video so far */
  onEncoded(seconds: number): void
}

export async function createPictureTrack(options: PictureTrackOptions): Promise<Track> {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const decoded = createBoundedQueue<Frame>(PICTURES_WAITING)
  const filtered = createBoundedQueue<FilteredPicture>(PICTURES_WAITING)
  const decoder = await openPictureDecoder(options.source)
  const stream = options.target.addStream(options.metadata)
  const tally = { good: 0, bad: 0 }

  const fail = (reason: unknown): void => {
    for (const packet of packets.fail(reason)) packet.free()
    for (const frame of decoded.fail(reason)) frame.free()
    for (const { frame } of filtered.fail(reason)) frame.free()
  }

  return {
    take: (packet) => packets.push(packet),
    end: () => packets.end(),
    async run() {
      const stages = [
        decodeAll(decoder, packets, decoded, tally),
        filterAll(options, decoded, filtered),
        encodeAll(options, stream, filtered),
      ]
      await runAll(stages, fail)
      judge(tally)
    },
    fail,
    free: () => decoder.freeContext(),
  }
}

async function encodeAll(
  options: PictureTrackOptions,
  stream: Stream,
  filtered: BoundedQueue<FilteredPicture>,
): Promise<void> {
  const first = await filtered.take()
  if (first === undefined) return
  const isHdr = highDynamicRange(first.frame) !== undefined
  const hdr = isHdr ? hdrMetadataOf(first.frame, options.source.codecpar) : undefined
  const settings = settingsFor(options, { pixelFormat: pixelFormatName(first.frame) }, hdr)
  const encoder = await (options.open ?? softwareEncoder(settings))(first, frameRate(options))
  try {
    describeStream(stream, encoder.context, options)
    if (hdr !== undefined) describeHdr(stream.codecpar, hdr)
    await options.onDescribed()
    await encodeFrom(first, encoder, stream, filtered, options)
  } finally {
    encoder.free()
  }
}

async function encodeFrom(
  first: FilteredPicture,
  encoder: PictureEncoder,
  stream: Stream,
  filtered: BoundedQueue<FilteredPicture>,
  options: PictureTrackOptions,
): Promise<void> {
  const { timeBase } = first
  const secondsPerTick = timeBase.num / timeBase.den
  // Not every encoder hands a picture's duration on, and with a variable rate nothing else tells the last one's.
  const durations = new Map<bigint, bigint>()
  const { num, den } = frameRate(options)
  const usualDuration = BigInt(Math.max(1, Math.round(den / num / secondsPerTick)))
  const decodingTime = createDecodingClock(secondsPerTick)
  const write = async (receive: (packet: Packet) => number | Promise<number>): Promise<void> => {
    for (;;) {
      const packet = new Packet()
      packet.alloc()
      const code = await receive(packet)
      if (code < 0) {
        packet.free()
        if (!nothingNow(code)) mustSucceed(code, 'encoded')
        return
      }
      const duration = durations.get(packet.pts)
      if (duration !== undefined) packet.duration = duration
      durations.delete(packet.pts)
      packet.dts = decodingTime(packet)
      await options.target.write(packet, stream, timeBase)
    }
  }
  for (let next: FilteredPicture | undefined = first; next !== undefined; next = await filtered.take()) {
    const { frame } = next
    const { pts, duration } = frame
    durations.set(pts, duration > 0n ? duration : usualDuration)
    const code = await encoder.send(frame)
    frame.free()
    mustSucceed(code, 'encoded')
    await write((packet) => encoder.receiveNow(packet))
    options.onEncoded(Number(pts) * secondsPerTick)
  }
  const ended = await encoder.send(null)
  if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
  await write((packet) => encoder.receive(packet))
}

function describeStream(
  stream: Stream,
  encoder: CodecContext,
  { codec, container }: PictureTrackOptions,
): void {
  mustSucceed(stream.codecpar.fromContext(encoder), 'encoded')
  stream.timeBase = encoder.timeBase
  stream.avgFrameRate = encoder.framerate
  stream.sampleAspectRatio = encoder.sampleAspectRatio
  // Apple's players only know this one of the two names for HEVC.
  if (codec === 'hevc' && (container.muxer === 'mp4' || container.muxer === 'mov'))
    stream.codecpar.codecTag = 'hvc1'
}
