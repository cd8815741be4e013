/** Decodes, filters and encodes short parts of a video, to measure an encoder's file size, speed and visual quality. */
import { damagedFile } from '../damaged-file.ts'
import { AV_NOPTS_VALUE, AV_PKT_FLAG_KEY, AVERROR_EOF } from 'node-av/constants'
import { CodecParameters, type Frame, type IRational, type Packet } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { mustSucceed, newPacket, packetsFrom } from '../ffmpeg/ffmpeg.ts'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'
import { type FileJob } from '../protocol.ts'
import { containerFor } from './container.ts'
import type { EncodedCodec } from './encoder-settings.ts'
import { softwareEncoder } from './video-codecs.ts'
import { withOwnPalette } from './palette.ts'
import type { OpenEncoder } from './video-encoder.ts'
import {
  decodeAll,
  filterAll,
  frameRate,
  newTally,
  openStages,
  type FrameWork,
  pictureOf,
  settingsFor,
} from './video-stages.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { type BoundedQueue, runAll } from './track.ts'

export type SampleJob = Pick<FileJob<VideoRecipe>, 'inputPath' | 'recipe' | 'variation' | 'signal' | 'pause'>

/** A sample's start in seconds and its maximum number of frames. */
export type SampleWindow = { readonly start: number; readonly frames: number }

export type Sample = Disposable & {
  readonly frames: readonly [TimedFrame, ...TimedFrame[]]
  readonly rate: IRational
  software(quality: Pick<VideoRecipe, 'crf' | 'bitrate'>): OpenEncoder
}

export type Samples = Disposable & { readonly samples: readonly Sample[] }

/** @throws as `takeSample` does */
export async function takeSamples(
  job: SampleJob,
  codec: EncodedCodec,
  windows: readonly SampleWindow[],
): Promise<Samples> {
  using taken = new DisposableStack()
  const samples: Sample[] = []
  for (const window of windows) samples.push(taken.use(await takeSample(job, codec, window)))
  const held = taken.move()
  return { samples, [Symbol.dispose]: () => held.dispose() }
}

/**
 * Decodes and filters a part of a video.
 * @throws FailureError if no frame can be decoded at or after the start
 */
export async function takeSample(
  job: SampleJob,
  codec: EncodedCodec,
  { start, frames }: SampleWindow,
): Promise<Sample> {
  await using source = await openSourceFile(job.inputPath, job.signal, job.pause)
  source.readOnlyVideo()
  const from = start > 0 && (await source.seek(start)) ? start : 0
  const work = workOn(source, job, codec)
  const gathered = await gather(source, work, from, frames)
  const [first, ...more] = codec === 'gif' ? await withOwnPalette(gathered) : gathered
  if (first === undefined) throw damagedFile('partNotDecodable')
  const all = [first, ...more] as const
  return {
    frames: all,
    rate: frameRate(work),
    software: (quality) => {
      const picture = pictureOf(first.frame)
      return softwareEncoder(settingsFor({ ...work, recipe: { ...job.recipe, ...quality } }, picture))
    },
    [Symbol.dispose]() {
      for (const { frame } of all) frame.free()
    },
  }
}

/**
 * Finds the colors that suit the whole video best. The caller must free the palette.
 * @throws FailureError if no frame can be decoded; `signal.reason` if the job was stopped
 */
export async function takePalette(job: SampleJob): Promise<Frame> {
  await using source = await openSourceFile(job.inputPath, job.signal, job.pause)
  source.readOnlyVideo()
  const work: FrameWork = { ...workOn(source, job, 'gif'), palette: 'make' }
  const [best, ...more] = await gather(source, work, 0, Infinity)
  for (const { frame } of more) frame.free()
  job.signal.throwIfAborted()
  if (best === undefined) throw damagedFile('framesNotDecodable')
  return best.frame
}

const workOn = (source: SourceFile, job: SampleJob, codec: EncodedCodec): FrameWork => ({
  source: source.video,
  start: source.startIn(source.video),
  codec,
  recipe: job.recipe,
  variation: job.variation,
  container: containerFor(job, source),
})

async function gather(
  source: SourceFile,
  work: FrameWork,
  from: number,
  most: number,
): Promise<TimedFrame[]> {
  const stages = await openStages(source.video)
  const { packets, decoded, filtered } = stages
  using decoder = stages.decoder
  const gathered: TimedFrame[] = []
  const enough = Symbol('enough')
  const collect = async (): Promise<void> => {
    for await (const next of filtered) if (gathered.push(next) === most) throw enough
  }
  try {
    const loops = [
      readImage(source, packets),
      decodeAll(work, decoder, packets, decoded, newTally()),
      filterAll(work, leaveOut(decoded, work, from), filtered),
      collect(),
    ]
    await runAll(loops, stages.fail)
  } catch (error) {
    if (error !== enough) {
      for (const { frame } of gathered) frame.free()
      throw error
    }
  }
  return gathered
}

async function readImage(source: SourceFile, packets: BoundedQueue<Packet>): Promise<void> {
  for (;;) {
    const packet = newPacket()
    if (!(await source.read(packet))) {
      packet.free()
      return packets.end()
    }
    if (packet.streamIndex === source.video.index) await packets.push(packet)
    else packet.free()
  }
}

/** Drops frames before the requested time. They are decoded only because decoding has to begin at a keyframe. */
async function* leaveOut(
  decoded: BoundedQueue<Frame>,
  { source: { timeBase }, start }: FrameWork,
  from: number,
): AsyncGenerator<Frame> {
  for await (const frame of decoded) {
    const stamp = frame.bestEffortTimestamp
    const seconds = (Number(stamp - start) * timeBase.num) / timeBase.den
    if (stamp !== AV_NOPTS_VALUE && seconds < from) frame.free()
    else yield frame
  }
}

export type EncodedSample = Awaited<ReturnType<typeof encodeSample>>

export async function encodeSample({ frames, rate }: Pick<Sample, 'frames' | 'rate'>, open: OpenEncoder) {
  using encoder = await open(frames[0], rate)
  using made = new DisposableStack()
  const parameters = made.use(new CodecParameters())
  parameters.alloc()
  mustSucceed(parameters.fromContext(encoder.context), 'encoded')
  const packets: Packet[] = []
  const receiveAll = async (receive: (packet: Packet) => number | Promise<number>): Promise<void> => {
    for await (const packet of packetsFrom(receive)) packets.push(made.use(packet))
  }
  const begun = performance.now()
  for (const { frame } of frames) {
    mustSucceed(await encoder.send(frame), 'encoded')
    await receiveAll((packet) => encoder.receiveNow(packet))
  }
  const ended = await encoder.send(null)
  if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
  await receiveAll((packet) => encoder.receive(packet))
  const milliseconds = performance.now() - begun
  const alone = packets.filter((packet) => packet.hasFlags(AV_PKT_FLAG_KEY))
  const following = packets.filter((packet) => !packet.hasFlags(AV_PKT_FLAG_KEY))
  const held = made.move()
  return {
    packets,
    parameters,
    /** Number and size of keyframes. `following` counts all other frames. */
    alone: count(alone),
    following: count(following),
    /** Encoding time. */
    milliseconds,
    [Symbol.dispose]: () => held.dispose(),
  }
}

const count = (packets: readonly Packet[]) => ({
  frames: packets.length,
  bytes: packets.reduce((sum, { size }) => sum + size, 0),
})
