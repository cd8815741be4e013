/**
 * The way of a sound track that has to be encoded anew. A block of sound takes less time than a change of threads, so all
 * of it happens on the main thread, which has nothing else to do while the picture's threads work.
 */
import { AVERROR_EOF, FF_ENCODER_AAC, FF_ENCODER_LIBOPUS } from 'node-av/constants'
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetSampleFmtName,
  Codec,
  CodecContext,
  Frame,
  Packet,
  Rational,
  type Stream,
} from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'
import { codecName, mustSucceed, nothingNow, sampleFormatName } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain } from '../ffmpeg/filter-chain.ts'
import { ENCODER_FLAGS, type TargetFile } from './target-file.ts'
import { type BoundedQueue, createBoundedQueue, type Track } from './track.ts'

export type SoundCodec = 'aac' | 'opus'

export type SoundTrackOptions = {
  readonly source: Stream
  /** What the file's clock shows at its beginning, in the stream's time base. */
  readonly start: bigint
  readonly codec: SoundCodec
  /** Bits a second. */
  readonly bitrate: number
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
}

const PACKETS_WAITING = 64

export async function createSoundTrack(options: SoundTrackOptions): Promise<Track> {
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const decoder = await openDecoder(options.source)
  const encoder = await openEncoder(options)
  const stream = options.target.addStream(options.metadata)
  mustSucceed(stream.codecpar.fromContext(encoder), 'encoded')
  stream.timeBase = encoder.timeBase

  return {
    take: (packet) => packets.push(packet),
    end: () => packets.end(),
    run: () => pump(options, packets, decoder, encoder, stream),
    fail(reason) {
      for (const packet of packets.fail(reason)) packet.free()
    },
    free() {
      decoder.freeContext()
      encoder.freeContext()
    },
  }
}

async function openDecoder(source: Stream): Promise<CodecContext> {
  const codec = Codec.findDecoder(source.codecpar.codecId)
  if (codec === null)
    throw new ProcessingError(`There is no decoder for ${codecName(source).toUpperCase()} sound.`)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(source.codecpar), 'decoded')
  decoder.pktTimebase = source.timeBase
  mustSucceed(await decoder.open2(codec), 'decoded')
  return decoder
}

async function openEncoder({ source, codec, bitrate }: SoundTrackOptions): Promise<CodecContext> {
  const found = Codec.findEncoderByName(codec === 'aac' ? FF_ENCODER_AAC : FF_ENCODER_LIBOPUS)
  const sampleFormat = found?.sampleFormats?.at(-1)
  if (!found || sampleFormat === undefined)
    throw new Error(`This build of FFmpeg has no encoder for ${codec}`)
  const encoder = new CodecContext()
  encoder.allocContext3(found)
  encoder.sampleFormat = sampleFormat
  encoder.sampleRate = encodedRate(found, source.codecpar.sampleRate)
  encoder.channelLayout = avChannelLayoutDefault(encodedChannels(source.codecpar.channels))
  encoder.timeBase = new Rational(1, encoder.sampleRate)
  encoder.bitRate = BigInt(bitrate)
  encoder.setFlags(ENCODER_FLAGS)
  mustSucceed(await encoder.open2(found), 'encoded')
  return encoder
}

const USUAL_RATE = 48_000

function encodedRate(codec: Codec, rate: number): number {
  return codec.supportedSamplerates?.includes(rate) === true ? rate : USUAL_RATE
}

/** Mono, stereo, 5.1 and 7.1 play everywhere; the rest is mixed down to the next of them. */
function encodedChannels(channels: number): number {
  if (channels >= 8) return 8
  if (channels >= 6) return 6
  return Math.min(channels, 2)
}

async function pump(
  options: SoundTrackOptions,
  packets: BoundedQueue<Packet>,
  decoder: CodecContext,
  encoder: CodecContext,
  stream: Stream,
): Promise<void> {
  let current: { readonly chain: FilterChain; readonly shape: string } | undefined
  const encodeReady = async (chain: FilterChain): Promise<void> => {
    for (const frame of chain.ready()) {
      const code = encoder.sendFrameSync(frame)
      frame.free()
      mustSucceed(code, 'encoded')
      await writeReady(encoder, stream, options.target)
    }
  }
  const finish = async (chain: FilterChain): Promise<void> => {
    chain.putNow(null)
    await encodeReady(chain)
    chain.free()
  }
  const filterReady = async (): Promise<void> => {
    for (;;) {
      const frame = new Frame()
      frame.alloc()
      if (decoder.receiveFrameSync(frame) < 0) {
        frame.free()
        return
      }
      frame.pts = frame.bestEffortTimestamp - options.start
      const shape = sourceParameters(frame, options.source)
      if (current?.shape !== shape) {
        if (current !== undefined) await finish(current.chain)
        current = {
          chain: await createFilterChain({ kind: 'sound', parameters: shape }, filters(encoder)),
          shape,
        }
      }
      current.chain.putNow(frame)
      frame.free()
      await encodeReady(current.chain)
    }
  }
  try {
    for (;;) {
      const packet = await packets.take()
      if (packet === undefined) break
      // What can't be decoded becomes silence: the filter below fills gaps.
      decoder.sendPacketSync(packet)
      packet.free()
      await filterReady()
    }
    decoder.sendPacketSync(null)
    await filterReady()
    if (current !== undefined) await finish(current.chain)
    current = undefined
    const ended = encoder.sendFrameSync(null)
    if (ended !== AVERROR_EOF) mustSucceed(ended, 'encoded')
    await writeReady(encoder, stream, options.target)
  } finally {
    current?.chain.free()
  }
}

function sourceParameters(frame: Frame, source: Stream): string {
  const layout = frame.channelLayout
  const described = avChannelLayoutDescribe(layout) ?? ''
  const named =
    described === '' || described.includes('channels') ? avChannelLayoutDefault(layout.nbChannels) : layout
  return [
    `time_base=${source.timeBase.num}/${source.timeBase.den}`,
    `sample_rate=${frame.sampleRate}`,
    `sample_fmt=${sampleFormatName(frame)}`,
    `channel_layout=${avChannelLayoutDescribe(named)}`,
  ].join(':')
}

/** Gaps are filled with silence, so that sound stays with the picture. */
function filters(encoder: CodecContext): string {
  const format = [
    `sample_fmts=${avGetSampleFmtName(encoder.sampleFormat)}`,
    `sample_rates=${encoder.sampleRate}`,
    `channel_layouts=${avChannelLayoutDescribe(encoder.channelLayout)}`,
  ].join(':')
  const block = encoder.frameSize > 0 ? [`asetnsamples=n=${encoder.frameSize}:p=0`] : []
  return ['aresample=async=1:min_hard_comp=0.1', `aformat=${format}`, ...block].join(',')
}

async function writeReady(encoder: CodecContext, stream: Stream, target: TargetFile): Promise<void> {
  const { num, den } = encoder.timeBase
  for (;;) {
    const packet = new Packet()
    packet.alloc()
    const code = encoder.receivePacketSync(packet)
    if (code < 0) {
      packet.free()
      if (!nothingNow(code)) mustSucceed(code, 'encoded')
      return
    }
    await target.write(packet, stream, { num, den })
  }
}
