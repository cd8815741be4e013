/**
 * A short part of a film, decoded and filtered as the recipe wants it, so that encoders can be tried on it: how many bytes
 * they need, how long they take, and how the pictures look afterwards.
 */
import { AV_NOPTS_VALUE, AV_PKT_FLAG_KEY, AVERROR_EOF } from 'node-av/constants'
import { CodecParameters, type Frame, type IRational, Packet } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { mustSucceed, nothingNow, pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { type FileJob, ProcessingError } from '../protocol.ts'
import { containerFor } from './container.ts'
import type { EncodedCodec } from './encoder-settings.ts'
import { openPictureDecoder, softwareEncoder } from './picture-codecs.ts'
import type { OpenEncoder } from './picture-encoder.ts'
import {
  decodeAll,
  filterAll,
  type FilteredPicture,
  frameRate,
  PACKETS_WAITING,
  PICTURES_WAITING,
  type PictureWork,
  settingsFor,
} from './picture-stages.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { type BoundedQueue, createBoundedQueue, runAll } from './track.ts'

export type SampleJob = Pick<FileJob<VideoRecipe>, 'inputPath' | 'recipe' | 'variation' | 'signal'>

/** Where a sample begins, in seconds of the film, and how many pictures it has at the most. */
export type SampleWindow = { readonly start: number; readonly pictures: number }

export type Sample = {
  /** As the encoder takes them; at least one. */
  readonly pictures: readonly [FilteredPicture, ...FilteredPicture[]]
  readonly rate: IRational
  /** What the recipe's encoder is set to, with another quality than its own. */
  software(quality: Pick<VideoRecipe, 'crf' | 'bitrate'>): OpenEncoder
  free(): void
}

/** @throws ProcessingError where not one picture can be decoded from there on */
export async function takeSample(
  job: SampleJob,
  codec: EncodedCodec,
  { start, pictures }: SampleWindow,
): Promise<Sample> {
  const source = await openSourceFile(job.inputPath, job.signal)
  try {
    source.readOnlyPicture()
    const from = start > 0 && (await source.seek(start)) ? start : 0
    const { recipe, variation } = job
    const work: PictureWork = {
      source: source.picture,
      start: source.startIn(source.picture),
      codec,
      recipe,
      variation,
      container: containerFor(job, source),
    }
    const [first, ...more] = await gather(source, work, from, pictures)
    if (first === undefined) throw new ProcessingError('The file is damaged: a part of it can’t be decoded.')
    const all = [first, ...more] as const
    return {
      pictures: all,
      rate: frameRate(work),
      software: (quality) => {
        const facts = { pixelFormat: pixelFormatName(first.frame) }
        return softwareEncoder(settingsFor({ ...work, recipe: { ...recipe, ...quality } }, facts))
      },
      free() {
        for (const { frame } of all) frame.free()
      },
    }
  } finally {
    await source.close()
  }
}

async function gather(
  source: SourceFile,
  work: PictureWork,
  from: number,
  most: number,
): Promise<FilteredPicture[]> {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const decoded = createBoundedQueue<Frame>(PICTURES_WAITING)
  const wanted = createBoundedQueue<Frame>(PICTURES_WAITING)
  const filtered = createBoundedQueue<FilteredPicture>(PICTURES_WAITING)
  const decoder = await openPictureDecoder(source.picture)
  const gathered: FilteredPicture[] = []
  const enough = Symbol('enough')
  const fail = (reason: unknown): void => {
    for (const packet of packets.fail(reason)) packet.free()
    for (const frame of [...decoded.fail(reason), ...wanted.fail(reason)]) frame.free()
    for (const { frame } of filtered.fail(reason)) frame.free()
  }
  const collect = async (): Promise<void> => {
    while (gathered.length < most) {
      const next = await filtered.take()
      if (next === undefined) return
      gathered.push(next)
    }
    throw enough
  }
  try {
    const loops = [
      readPicture(source, packets),
      decodeAll(decoder, packets, decoded, { good: 0, bad: 0 }),
      leaveOut(decoded, wanted, work, from),
      filterAll(work, wanted, filtered),
      collect(),
    ]
    await runAll(loops, fail)
  } catch (error) {
    if (error !== enough) {
      for (const { frame } of gathered) frame.free()
      throw error
    }
  } finally {
    decoder.freeContext()
  }
  return gathered
}

async function readPicture(source: SourceFile, packets: BoundedQueue<Packet>): Promise<void> {
  for (;;) {
    const packet = new Packet()
    packet.alloc()
    if (!(await source.read(packet))) {
      packet.free()
      return packets.end()
    }
    if (packet.streamIndex === source.picture.index) await packets.push(packet)
    else packet.free()
  }
}

/** Decoding begins at a picture that stands alone; what comes before the wanted time need not be filtered. */
async function leaveOut(
  decoded: BoundedQueue<Frame>,
  wanted: BoundedQueue<Frame>,
  { source: { timeBase }, start }: PictureWork,
  from: number,
): Promise<void> {
  for (;;) {
    const frame = await decoded.take()
    if (frame === undefined) return wanted.end()
    const stamp = frame.bestEffortTimestamp
    const seconds = (Number(stamp - start) * timeBase.num) / timeBase.den
    if (stamp !== AV_NOPTS_VALUE && seconds < from) frame.free()
    else await wanted.push(frame)
  }
}

export type EncodedSample = {
  readonly packets: readonly Packet[]
  /** What a decoder needs to know. */
  readonly parameters: CodecParameters
  /** Of the pictures that stand alone, and of all others. */
  readonly alone: Counted
  readonly following: Counted
  /** How long encoding took. */
  readonly milliseconds: number
  free(): void
}

type Counted = { readonly pictures: number; readonly bytes: number }

export async function encodeSample(
  { pictures, rate }: Pick<Sample, 'pictures' | 'rate'>,
  open: OpenEncoder,
): Promise<EncodedSample> {
  const encoder = await open(pictures[0], rate)
  const packets: Packet[] = []
  const parameters = new CodecParameters()
  parameters.alloc()
  const free = (): void => {
    for (const packet of packets) packet.free()
    parameters.free()
  }
  try {
    mustSucceed(parameters.fromContext(encoder.context), 'encoded')
    const begun = performance.now()
    for (const { frame } of pictures) {
      mustSucceed(await encoder.send(frame), 'encoded')
      await receiveAll((packet) => encoder.receiveNow(packet), packets)
    }
    const ended = await encoder.send(null)
    if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
    await receiveAll((packet) => encoder.receive(packet), packets)
    const milliseconds = performance.now() - begun
    const alone = packets.filter((packet) => packet.hasFlags(AV_PKT_FLAG_KEY))
    const following = packets.filter((packet) => !packet.hasFlags(AV_PKT_FLAG_KEY))
    return { packets, parameters, alone: count(alone), following: count(following), milliseconds, free }
  } catch (error) {
    free()
    throw error
  } finally {
    encoder.free()
  }
}

async function receiveAll(
  receive: (packet: Packet) => number | Promise<number>,
  packets: Packet[],
): Promise<void> {
  for (;;) {
    const packet = new Packet()
    packet.alloc()
    const code = await receive(packet)
    if (code < 0) {
      packet.free()
      if (!nothingNow(code)) mustSucceed(code, 'encoded')
      return
    }
    packets.push(packet)
  }
}

function count(packets: readonly Packet[]): Counted {
  return { pictures: packets.length, bytes: packets.reduce((sum, { size }) => sum + size, 0) }
}
