/**
 * The picture's way through: decode, filter, encode. Each stage is one loop that hands on through a short queue and works
 * on a thread of its own, so that all three go on at the same time. One call to another thread for each picture and stage
 * is all it costs.
 */
import {
  AV_FRAME_DATA_DISPLAYMATRIX,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVERROR_EOF,
} from 'node-av/constants'
import { type CodecContext, Frame, type IRational, Packet, type Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'
import { ProcessingError } from '../protocol.ts'
import { believableRate, createDecodingClock, createFrameClock } from './clocks.ts'
import type { Container } from './container.ts'
import { type EncodedCodec, type EncoderSettings, encoderSettings } from './encoder-settings.ts'
import { mustSucceed, nothingNow, pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain } from '../ffmpeg/filter-chain.ts'
import { encoderFormats, openPictureDecoder, openPictureEncoder } from './picture-codecs.ts'
import { factsOfFrame, hasAlpha, type PictureFacts, pictureFilters, sourceOf } from './picture-filters.ts'
import type { TargetFile } from './target-file.ts'
import { type BoundedQueue, createBoundedQueue, runAll, type Track } from './track.ts'

export type PictureTrackOptions = {
  readonly source: Stream
  /** What the file's clock shows at its beginning, in the stream's time base. */
  readonly start: bigint
  readonly codec: EncodedCodec
  readonly recipe: VideoRecipe
  readonly variation: VariationValues | undefined
  readonly container: Container
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
  /** The first picture is there and the track is described; the file may begin. */
  onDescribed(): Promise<void>
  /** @param seconds of the finished video so far */
  onEncoded(seconds: number): void
}

const PACKETS_WAITING = 16
const PICTURES_WAITING = 3

type Filtered = { readonly frame: Frame; readonly timeBase: IRational }

export async function createPictureTrack(options: PictureTrackOptions): Promise<Track> {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const decoded = createBoundedQueue<Frame>(PICTURES_WAITING)
  const filtered = createBoundedQueue<Filtered>(PICTURES_WAITING)
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

type Tally = { good: number; bad: number }

/** Keeps what can be kept, but a video of which most is missing is not passed off as whole. */
function judge(tally: Tally): void {
  if (tally.good === 0)
    throw new ProcessingError('The file is damaged: not one picture in it can be decoded.')
  if (tally.bad > tally.good) {
    throw new ProcessingError('The file is damaged: most of its pictures can’t be decoded.')
  }
}

async function decodeAll(
  decoder: CodecContext,
  packets: BoundedQueue<Packet>,
  decoded: BoundedQueue<Frame>,
  tally: Tally,
): Promise<void> {
  for (;;) {
    const packet = await packets.take()
    if (packet === undefined) break
    const code = await decoder.sendPacket(packet)
    packet.free()
    if (code < 0) tally.bad += 1
    await handOn(decoder, decoded, tally)
  }
  await decoder.sendPacket(null)
  await drain(decoder, decoded, tally)
  decoded.end()
}

/** After a packet went in, what comes out is ready: no reason to change threads for it. */
async function handOn(decoder: CodecContext, decoded: BoundedQueue<Frame>, tally: Tally): Promise<void> {
  for (;;) {
    const frame = newFrame()
    const code = decoder.receiveFrameSync(frame)
    if (code < 0) {
      frame.free()
      if (nothingNow(code)) return
      tally.bad += 1
      continue
    }
    tally.good += 1
    await decoded.push(frame)
  }
}

/** At the end, each picture may still have to be decoded. */
async function drain(decoder: CodecContext, decoded: BoundedQueue<Frame>, tally: Tally): Promise<void> {
  for (;;) {
    const frame = newFrame()
    const code = await decoder.receiveFrame(frame)
    if (code >= 0) {
      tally.good += 1
      await decoded.push(frame)
      continue
    }
    frame.free()
    if (nothingNow(code)) return
    tally.bad += 1
  }
}

function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}

async function filterAll(
  options: PictureTrackOptions,
  decoded: BoundedQueue<Frame>,
  filtered: BoundedQueue<Filtered>,
): Promise<void> {
  const { source, start, recipe } = options
  const timeBase = source.timeBase
  const clock = createFrameClock(start, timeBase.num / timeBase.den, recipe.fps)
  const leastDuration =
    recipe.fps === undefined ? 0n : BigInt(Math.round(timeBase.den / timeBase.num / recipe.fps))
  let current: { readonly chain: FilterChain; readonly shape: string } | undefined
  const finish = async (chain: FilterChain): Promise<void> => {
    await chain.put(null)
    await pass(chain, filtered)
    chain.free()
  }
  try {
    for (;;) {
      const frame = await decoded.take()
      if (frame === undefined) break
      const time = clock.timeOf(frame.bestEffortTimestamp, frame.duration)
      if (time === undefined) {
        frame.free()
        continue
      }
      frame.pts = time
      if (leastDuration > frame.duration) frame.duration = leastDuration
      frame.pictType = AV_PICTURE_TYPE_NONE
      const shape = shapeOf(frame)
      if (current?.shape !== shape) {
        if (current !== undefined) await finish(current.chain)
        current = { chain: await chainFor(frame, options), shape }
      }
      frame.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
      await current.chain.put(frame)
      frame.free()
      await pass(current.chain, filtered)
    }
    if (current !== undefined) await finish(current.chain)
    current = undefined
    filtered.end()
  } finally {
    current?.chain.free()
  }
}

/** Some files change their size or format on the way; the filters are then made anew. */
function shapeOf(frame: Frame): string {
  return `${frame.width} ${frame.height} ${frame.format} ${frame.colorSpace} ${frame.colorRange}`
}

async function chainFor(frame: Frame, options: PictureTrackOptions): Promise<FilterChain> {
  const { source, recipe, variation } = options
  const facts = factsOfFrame(frame, source.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  const settings = settingsFor(options, facts)
  const filters = pictureFilters(facts, recipe, variation, {
    keepAlpha: keepsAlpha(options),
    lossless: settings.lossless,
    leastSide: settings.leastSide,
    losslessFormats: settings.lossless ? encoderFormats(settings) : [],
  })
  return createFilterChain(sourceOf(frame, source.timeBase), filters)
}

function keepsAlpha({ codec, container }: PictureTrackOptions): boolean {
  return codec === 'vp9' && (container.muxer === 'webm' || container.muxer === 'matroska')
}

function settingsFor(
  options: PictureTrackOptions,
  facts: Pick<PictureFacts, 'pixelFormat'>,
): EncoderSettings {
  return encoderSettings(options.codec, options.recipe, hasAlpha(facts.pixelFormat) && keepsAlpha(options))
}

async function pass(chain: FilterChain, filtered: BoundedQueue<Filtered>): Promise<void> {
  for (const frame of chain.ready()) await filtered.push({ frame, timeBase: chain.timeBase })
}

async function encodeAll(
  options: PictureTrackOptions,
  stream: Stream,
  filtered: BoundedQueue<Filtered>,
): Promise<void> {
  const first = await filtered.take()
  if (first === undefined) return
  const { timeBase } = first
  const settings = settingsFor(options, { pixelFormat: pixelFormatName(first.frame) })
  const encoder = await openPictureEncoder(settings, first.frame, timeBase, frameRate(options))
  try {
    describeStream(stream, encoder, options)
    await options.onDescribed()
    await encodeFrom(first, encoder, stream, filtered, options)
  } finally {
    encoder.freeContext()
  }
}

async function encodeFrom(
  first: Filtered,
  encoder: CodecContext,
  stream: Stream,
  filtered: BoundedQueue<Filtered>,
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
  for (let next: Filtered | undefined = first; next !== undefined; next = await filtered.take()) {
    const { frame } = next
    const { pts, duration } = frame
    durations.set(pts, duration > 0n ? duration : usualDuration)
    const code = await encoder.sendFrame(frame)
    frame.free()
    mustSucceed(code, 'encoded')
    await write((packet) => encoder.receivePacketSync(packet))
    options.onEncoded(Number(pts) * secondsPerTick)
  }
  const ended = await encoder.sendFrame(null)
  if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
  await write((packet) => encoder.receivePacket(packet))
}

const USUAL_RATE: IRational = { num: 25, den: 1 }

/** What the encoder plans its bits with; the pictures' own times decide when they are shown. */
function frameRate({ source, recipe }: PictureTrackOptions): IRational {
  const believable = believableRate([source.avgFrameRate, source.rFrameRate])
  const rate = believable === undefined ? USUAL_RATE : { num: believable.num, den: believable.den }
  const most = recipe.fps ?? Infinity
  return rate.num / rate.den > most ? { num: Math.round(most * 1000), den: 1000 } : rate
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
