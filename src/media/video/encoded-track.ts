/**
 * Encodes a video track in three stages: decode, filter, encode.
 * Each stage is a loop whose work runs on its own thread. Short queues connect the stages, so that all three run in parallel. This
 * costs one thread switch per frame and stage.
 */
import { AVERROR_EOF } from 'node-av/constants'
import { type CodecContext, type Packet, Rational, type Stream } from 'node-av/lib'
import { mustSucceed, packetsFrom } from '../ffmpeg/ffmpeg.ts'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'
import { createDecodingClock } from './clocks.ts'
import { isMp4OrMov } from './container.ts'
import type { Span } from './coverage.ts'
import { describeHdr, hdrMetadataOf } from './hdr-metadata.ts'
import { softwareEncoder } from './video-codecs.ts'
import { copyView } from './view-metadata.ts'
import type { OpenEncoder, VideoEncoder } from './video-encoder.ts'
import { highDynamicRange } from './video-filters.ts'
import {
  decodeAll,
  filterAll,
  frameRate,
  judge,
  pictureOf,
  newTally,
  openStages,
  type FrameWork,
  settingsFor,
} from './video-stages.ts'
import { type BoundedQueue, runAll, type Track, type TrackSource } from './track.ts'

export type EncodedTrackOptions = FrameWork &
  Pick<TrackSource, 'target' | 'metadata'> & {
    /** Opens the encoder to use instead of the recipe's. */
    readonly open: OpenEncoder | undefined
    /** @param missing parts that couldn't be decoded */
    onDecoded(missing: readonly Span[]): void
    /** @param seconds length of the result so far */
    onEncoded(seconds: number): void
    /** Called before each frame. A promise pauses the encoder. */
    mayContinue(): Promise<void> | undefined
  }

export async function createEncodedTrack(options: EncodedTrackOptions): Promise<Track> {
  const { packets, decoded, filtered, decoder, fail } = await openStages(options.source)
  const stream = options.target.addStream(options.metadata)
  const tally = newTally()

  return {
    take: (packet) => packets.push(packet),
    end: () => packets.end(),
    async run() {
      const stages = [
        decodeAll(options, decoder, packets, decoded, tally),
        filterAll(options, decoded, filtered),
        encodeAll(options, stream, filtered),
      ]
      await runAll(stages, fail)
      judge(tally)
      options.onDecoded(tally.coverage.missing())
    },
    fail,
    free: () => decoder.freeContext(),
  }
}

async function encodeAll(
  options: EncodedTrackOptions,
  stream: Stream,
  filtered: BoundedQueue<TimedFrame>,
): Promise<void> {
  const first = await filtered.take()
  if (first === undefined) return
  const isHdr = highDynamicRange(first.frame) !== undefined
  const hdr = isHdr ? hdrMetadataOf(first.frame, options.source.codecpar) : undefined
  const settings = settingsFor(options, pictureOf(first.frame), hdr)
  using encoder = await (options.open ?? softwareEncoder(settings))(first, frameRate(options))
  describeStream(stream, encoder.context, options)
  if (hdr !== undefined) describeHdr(stream.codecpar, hdr)
  // The header needs the codec parameters, which are known only now.
  await options.target.begin()
  await encodeFrom(first, encoder, stream, filtered, options)
}

async function encodeFrom(
  first: TimedFrame,
  encoder: VideoEncoder,
  stream: Stream,
  filtered: BoundedQueue<TimedFrame>,
  options: EncodedTrackOptions,
): Promise<void> {
  const { timeBase } = first
  const secondsPerTick = timeBase.num / timeBase.den
  // Some encoders don't pass on a frame's duration. With a variable rate, the last frame's duration can't be derived from the
  // timestamps.
  const durations = new Map<bigint, bigint>()
  const { num, den } = frameRate(options)
  const defaultDuration = BigInt(Math.max(1, Math.round(den / num / secondsPerTick)))
  const decodingTime = createDecodingClock(secondsPerTick)
  const write = async (receive: (packet: Packet) => number | Promise<number>): Promise<void> => {
    for await (const packet of packetsFrom(receive)) {
      const duration = durations.get(packet.pts)
      if (duration !== undefined) packet.duration = duration
      durations.delete(packet.pts)
      packet.dts = decodingTime(packet)
      await options.target.write(packet, stream, timeBase)
    }
  }
  const encode = async ({ frame }: TimedFrame): Promise<void> => {
    await options.mayContinue()
    const { pts, duration } = frame
    durations.set(pts, duration > 0n ? duration : defaultDuration)
    const code = await encoder.send(frame)
    frame.free()
    mustSucceed(code, 'encoded')
    await write((packet) => encoder.receiveNow(packet))
    options.onEncoded(Number(pts) * secondsPerTick)
  }
  await encode(first)
  for await (const next of filtered) await encode(next)
  const ended = await encoder.send(null)
  if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
  await write(async (packet) => {
    await options.mayContinue()
    return encoder.receive(packet)
  })
}

function describeStream(stream: Stream, encoder: CodecContext, options: EncodedTrackOptions): void {
  const { codec, container, source, recipe, variation } = options
  mustSucceed(stream.codecpar.fromContext(encoder), 'encoded')
  stream.disposition = source.disposition
  const isWhole = recipe.crop === undefined && recipe.rotate === 0 && variation === undefined
  if (isWhole) copyView(source.codecpar, stream.codecpar)
  stream.timeBase = encoder.timeBase
  // Don't use the encoder's frame rate. It may differ, because an encoder supports only certain rates.
  const { num, den } = frameRate(options)
  stream.avgFrameRate = new Rational(num, den)
  stream.sampleAspectRatio = encoder.sampleAspectRatio
  // Apple's players support HEVC only with this tag.
  if (codec === 'hevc' && isMp4OrMov(container)) stream.codecpar.codecTag = 'hvc1'
}
