/**
 * Decodes and filters frames: the first two stages of the pipeline. Each stage is a loop whose work runs on its own thread. It passes
 * frames to the next stage through a short queue.
 */
import { failed } from '../../shared/failure/failure-error.ts'
import { damagedFile } from '../damaged-file.ts'
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_NOPTS_VALUE,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_FLAG_KEY,
} from 'node-av/constants'
import type { CodecContext, Frame, IRational, Packet, Stream } from 'node-av/lib'
import { HDR_CODECS, isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'
import { newFrame, nothingNow, pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import {
  createFilterChain,
  MAKE_PALETTE,
  type FilterChain,
  filterFrames,
  sourceOf,
  type TimedFrame,
} from '../ffmpeg/filter-chain.ts'
import { createFrameClock, rateOf } from './clocks.ts'
import { type Container, isMatroska } from './container.ts'
import {
  type EncodedCodec,
  type EncoderSettings,
  encoderSettings,
  FFV1,
  mostFps,
} from './encoder-settings.ts'
import { encoderFormats, openVideoDecoder } from './video-codecs.ts'
import type { HdrMetadata } from './hdr-metadata.ts'
import { exactFfv1Format, exactFormat, holdsFfv1, type Picture } from './lossless.ts'
import { hasAlpha } from '../ffmpeg/pixel-format.ts'
import {
  factsOfFrame,
  type FirstFrame,
  firstFrameOf,
  isToneMapped,
  tagColors,
  videoFilters,
  type FrameTarget,
} from './video-filters.ts'
import { type Coverage, createCoverage } from './coverage.ts'
import { shapePixels } from './shown-picture.ts'
import { isHidden } from './source-file.ts'
import { type BoundedQueue, createBoundedQueue } from './track.ts'
import { timeOf } from './packet-times.ts'

/** FFmpeg's flag for a frame with parts that were guessed. The binding lacks it. */
const FF_DECODE_ERROR_CONCEALMENT_ACTIVE = 4

export type FrameWork = {
  readonly source: Stream
  /** The file's first timestamp, in the stream's time base. */
  readonly start: bigint
  readonly codec: EncodedCodec
  readonly recipe: VideoRecipe
  readonly variation: VariationValues | undefined
  readonly container: Container
  /** For GIF: the palette to use, or `make` to produce a palette instead of the frames. */
  readonly palette?: Frame | 'make' | undefined
  onToneMapped?(): void
}

const PACKETS_WAITING = 16
const FRAMES_WAITING = 3

/** Opens the decoder of a track, and the queues before it, after it, and after the filters. */
export async function openStages(source: Stream) {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const decoded = createBoundedQueue<Frame>(FRAMES_WAITING)
  const filtered = createBoundedQueue<TimedFrame>(FRAMES_WAITING)
  return {
    packets,
    decoded,
    filtered,
    /** The caller must free it. */
    decoder: await openVideoDecoder(source),
    /** Rejects all waiting calls with the reason, and frees what the queues hold. */
    fail: (reason: unknown): void => {
      for (const packet of packets.fail(reason)) packet.free()
      for (const frame of decoded.fail(reason)) frame.free()
      for (const { frame } of filtered.fail(reason)) frame.free()
    },
  }
}

export type Tally = {
  good: number
  bad: number
  readonly coverage: Coverage
}

export const newTally = (): Tally => ({ good: 0, bad: 0, coverage: createCoverage() })

/** Throws a FailureError if no frame was decoded or most frames failed. A video may have some damaged frames. */
export function judge(tally: Tally): void {
  if (tally.good === 0) throw damagedFile('framesNotDecodable')
  if (tally.bad > tally.good) {
    throw damagedFile('mostFramesNotDecodable')
  }
}

/** Decodes a track, and records which parts couldn't be decoded. */
export async function decodeAll(
  { source, start }: Pick<FrameWork, 'source' | 'start'>,
  decoder: CodecContext,
  packets: BoundedQueue<Packet>,
  decoded: BoundedQueue<Frame>,
  tally: Tally,
): Promise<void> {
  const { coverage } = tally
  const secondsPerTick = source.timeBase.num / source.timeBase.den
  const seconds = (ticks: bigint): number => Number(ticks) * secondsPerTick
  let hasBegun = false

  function notePacket(packet: Packet): void {
    // A recorded broadcast can begin between keyframes, and no player shows the frames before the first keyframe.
    hasBegun ||= packet.hasFlags(AV_PKT_FLAG_KEY)
    const time = timeOf(packet)
    if (!hasBegun || time === AV_NOPTS_VALUE || isHidden(packet)) return
    coverage.promise(seconds(time - start), seconds(packet.duration))
  }

  function noteFrame(frame: Frame): void {
    tally.good += 1
    const { bestEffortTimestamp: time, decodeErrorFlags } = frame
    if ((decodeErrorFlags & FF_DECODE_ERROR_CONCEALMENT_ACTIVE) !== 0) coverage.fail()
    else if (time !== AV_NOPTS_VALUE) coverage.receive(seconds(time - start), seconds(frame.duration))
  }

  function noteFailure(): void {
    tally.bad += 1
    coverage.fail()
  }

  const passOn = async (receive: (frame: Frame) => number | Promise<number>): Promise<void> => {
    for (;;) {
      const frame = newFrame()
      const code = await receive(frame)
      if (code >= 0) {
        noteFrame(frame)
        await decoded.push(frame)
        continue
      }
      frame.free()
      if (nothingNow(code)) return
      noteFailure()
    }
  }
  for await (const packet of packets) {
    notePacket(packet)
    const code = await decoder.sendPacket(packet)
    packet.free()
    if (code < 0) noteFailure()
    // Receive frames on this thread, because they are ready as soon as a packet has been sent.
    await passOn((frame) => decoder.receiveFrameSync(frame))
  }
  await decoder.sendPacket(null)
  // Receive the rest on another thread, because the decoder may still be working on the last frames.
  await passOn((frame) => decoder.receiveFrame(frame))
  decoded.end()
}

/** All filtered frames have the dimensions and the format of the first one. */
export async function filterAll(
  work: FrameWork,
  decoded: AsyncIterable<Frame>,
  filtered: BoundedQueue<TimedFrame>,
): Promise<void> {
  for await (const ready of inPalette(uniform(decoded, work), work)) await filtered.push(ready)
  filtered.end()
}

async function* uniform(decoded: AsyncIterable<Frame>, work: FrameWork): AsyncGenerator<TimedFrame> {
  let first: FirstFrame | undefined
  // Some files mark only later frames as interlaced. The filter passes progressive frames through.
  let hasFields = false
  const shape = (frame: Frame) => {
    hasFields ||= frame.hasFlags(AV_FRAME_FLAG_INTERLACED)
    return `${shapeOf(frame)} ${hasFields}`
  }
  const open = (frame: Frame) => chainFor(frame, work, hasFields, first)
  for await (const ready of filterFrames(withTimes(decoded, work), shape, open)) {
    first ??= firstFrameOf(ready.frame)
    yield ready
  }
}

/** Reduces the frames of a GIF to its palette, or makes that palette. */
async function* inPalette(
  frames: AsyncIterable<TimedFrame>,
  { palette }: FrameWork,
): AsyncGenerator<TimedFrame> {
  if (palette === undefined) return yield* frames
  let timeBase: IRational = { num: 1, den: 1 }
  async function* plain(): AsyncGenerator<Frame> {
    for await (const ready of frames) {
      timeBase = ready.timeBase
      yield ready.frame
    }
  }
  const open = (frame: Frame) =>
    palette === 'make'
      ? createFilterChain(sourceOf(frame, timeBase), MAKE_PALETTE)
      : createFilterChain(sourceOf(frame, timeBase), 'null', palette)
  yield* filterFrames(plain(), () => '', open)
}

/**
 * Sets the times of the frames, and drops frames above the recipe's rate. Also adds missing colors, and the container's pixel aspect ratio.
 */
async function* withTimes(
  decoded: AsyncIterable<Frame>,
  { source, start, recipe }: FrameWork,
): AsyncGenerator<Frame> {
  const { timeBase } = source
  const fps = mostFps(recipe)
  const clock = createFrameClock(start, timeBase.num / timeBase.den, fps)
  const leastDuration = fps === undefined ? 0n : BigInt(Math.round(timeBase.den / timeBase.num / fps))
  for await (const frame of decoded) {
    const time = clock.timeOf(frame.bestEffortTimestamp, frame.duration)
    if (time === undefined) {
      frame.free()
      continue
    }
    frame.pts = time
    if (leastDuration > frame.duration) frame.duration = leastDuration
    frame.pictType = AV_PICTURE_TYPE_NONE
    tagColors(frame)
    shapePixels(frame, source)
    yield frame
  }
}

/** Returns a key for the properties on which the filters depend. If they change midway, the filters must be rebuilt. */
function shapeOf(frame: Frame): string {
  const { width, height, format, colorSpace, colorRange, colorTrc, sampleAspectRatio } = frame
  return [
    width,
    height,
    format,
    colorSpace,
    colorRange,
    colorTrc,
    sampleAspectRatio.num,
    sampleAspectRatio.den,
  ].join(' ')
}

async function chainFor(
  frame: Frame,
  work: FrameWork,
  interlaced: boolean,
  first: FirstFrame | undefined,
): Promise<FilterChain> {
  const { source, recipe, variation } = work
  const { timeBase } = source
  const facts = {
    ...factsOfFrame(frame, source.codecpar),
    interlaced,
  }
  const settings = settingsFor(work, facts)
  const isMoving = isAnimation(work.codec)
  // Lossless WebP stores sRGB, so the video has to be converted first.
  const lossless = settings.lossless && !isMoving
  const target: FrameTarget = {
    keepAlpha: keepsAlpha(work),
    bitDepth: recipe.bitDepth,
    keepHdr: keepsHdr(work) && (first === undefined || first.highDynamicRange !== undefined),
    lossless,
    leastSide: settings.leastSide,
    // libwebp would misinterpret the video's YUV, and a palette has RGB colors.
    only: isMoving ? 'bgra' : undefined,
    exactFormat: lossless ? settings.exactFormat : undefined,
    evenSides: settings.encoder !== 'ffv1',
  }
  if (isToneMapped(facts, target)) work.onToneMapped?.()
  const filters = videoFilters(facts, recipe, variation, target, first)
  // The deinterlacer changes the time base, which must be the same for all frames.
  const times = interlaced ? `,settb=${timeBase.num}/${timeBase.den}` : ''
  return createFilterChain(sourceOf(frame, timeBase), `${filters}${times}`)
}

export const keepsAlpha = ({ codec, container }: Pick<FrameWork, 'codec' | 'container'>): boolean =>
  codec === 'vp9' && isMatroska(container)

/** Returns whether HDR is kept. Variations always use SDR, because their color changes are designed for it. */
export function keepsHdr({
  codec,
  recipe,
  variation,
}: Pick<FrameWork, 'codec' | 'recipe' | 'variation'>): boolean {
  return HDR_CODECS.includes(codec) && recipe.hdr === 'keep' && variation === undefined
}

export const pictureOf = (frame: Frame): Picture => ({
  pixelFormat: pixelFormatName(frame),
  width: frame.width,
  height: frame.height,
})

/**
 * Chooses the encoder and its settings. A lossless recipe uses FFV1 if its own codec can't hold the frames exactly, and the container holds
 * FFV1.
 * @param hdr metadata for the encoder to write
 * @throws FailureError if FFV1 can't hold the frames either
 */
export function settingsFor(work: FrameWork, picture: Picture, hdr?: HdrMetadata): EncoderSettings {
  const { codec, recipe, container } = work
  const settings = encoderSettings(codec, recipe, hasAlpha(picture.pixelFormat) && keepsAlpha(work), hdr)
  // Lossless WebP stores sRGB, so no format of a video is exact.
  if (!settings.lossless || isAnimation(codec)) return settings
  const exact = exactFormat(picture, encoderFormats(settings), settings.leastSide)
  if (exact !== undefined || !holdsFfv1(container)) return { ...settings, exactFormat: exact }
  const inFfv1 = exactFfv1Format(picture, encoderFormats(FFV1))
  if (inFfv1 !== undefined) return { ...FFV1, exactFormat: inFfv1 }
  throw failed('losslessImpossible', { detail: picture.pixelFormat })
}

/** Returns the frame rate for the encoder's rate control. The timestamps of the frames determine when they are shown. */
export function frameRate({ source, recipe }: FrameWork): IRational {
  const rate = rateOf(source)
  const most = mostFps(recipe) ?? Infinity
  return rate.num / rate.den > most ? { num: Math.round(most * 1000), den: 1000 } : rate
}
