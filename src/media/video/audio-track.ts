/**
 * Re-encodes an audio track.
 * Everything runs on the main thread, which is idle while the video threads are busy. A block of audio takes less time than
 * a thread switch.
 */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { AVERROR_EOF, FF_ENCODER_AAC, FF_ENCODER_LIBOPUS } from 'node-av/constants'
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetSampleFmtName,
  Codec,
  CodecContext,
  type Frame,
  type Packet,
  Rational,
  type Stream,
} from 'node-av/lib'
import {
  codecName,
  mustSucceed,
  newFrame,
  openDecoder,
  packetsFrom,
  sampleFormatName,
} from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, filterFrames } from '../ffmpeg/filter-chain.ts'
import { ENCODER_FLAGS } from './target-file.ts'
import { createPacketTrack, type Track, type TrackSource } from './track.ts'

export type AudioCodec = 'aac' | 'opus'

/**
 * @param bitrate bits per second
 * @param onEncoded receives the seconds of the finished audio so far
 */
export async function createAudioTrack(
  work: TrackSource,
  codec: AudioCodec,
  bitrate: number,
  onEncoded?: (seconds: number) => void,
): Promise<Track> {
  const { source, target, metadata } = work
  const decoder = await decoderFor(source)
  const encoder = await openEncoder(source, codec, bitrate)
  const stream = target.addStream(metadata)
  mustSucceed(stream.codecpar.fromContext(encoder), 'encoded')
  stream.timeBase = encoder.timeBase
  return createPacketTrack(
    (packets) => encodeAll(work, packets, { decoder, encoder, stream, onEncoded }),
    () => {
      decoder.freeContext()
      encoder.freeContext()
    },
  )
}

async function decoderFor(source: Stream): Promise<CodecContext> {
  const { codecpar, timeBase } = source
  const codec = Codec.findDecoder(codecpar.codecId)
  if (codec === null)
    throw new FailureError(failure('noAudioDecoder', { codec: codecName(source).toUpperCase() }))
  return openDecoder(codec, codecpar, { timeBase, threads: 1 })
}

async function openEncoder(source: Stream, codec: AudioCodec, bitrate: number): Promise<CodecContext> {
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

const DEFAULT_RATE = 48_000

function encodedRate(codec: Codec, rate: number): number {
  return codec.supportedSamplerates?.includes(rate) === true ? rate : DEFAULT_RATE
}

/** Mono, stereo, 5.1 and 7.1 play everywhere. Other layouts are mixed down to the next smaller of these. */
function encodedChannels(channels: number): number {
  if (channels >= 8) return 8
  if (channels >= 6) return 6
  return Math.min(channels, 2)
}

type Encoding = {
  readonly decoder: CodecContext
  readonly encoder: CodecContext
  readonly stream: Stream
  readonly onEncoded: ((seconds: number) => void) | undefined
}

async function encodeAll(
  { source, start, target }: TrackSource,
  packets: AsyncIterable<Packet>,
  { decoder, encoder, stream, onEncoded }: Encoding,
): Promise<void> {
  const { num, den } = encoder.timeBase
  const shapeOf = (frame: Frame) => sourceParameters(frame, source)
  const open = (frame: Frame) =>
    createFilterChain({ kind: 'audio', parameters: shapeOf(frame) }, filters(encoder))
  const encode = async (frame: Frame | null): Promise<void> => {
    const code = encoder.sendFrameSync(frame)
    if (frame !== null) onEncoded?.((Number(frame.pts) * num) / den)
    frame?.free()
    if (code !== AVERROR_EOF) mustSucceed(code, 'encoded')
    for await (const packet of packetsFrom((packet) => encoder.receivePacketSync(packet)))
      await target.write(packet, stream, { num, den })
  }
  for await (const { frame } of filterFrames(decoded(packets, decoder, start), shapeOf, open))
    await encode(frame)
  await encode(null)
}

/** Skips audio that can't be decoded. The filters fill the gap with silence. */
async function* decoded(
  packets: AsyncIterable<Packet>,
  decoder: CodecContext,
  start: bigint,
): AsyncGenerator<Frame> {
  function* ready(): Generator<Frame> {
    for (;;) {
      const frame = newFrame()
      if (decoder.receiveFrameSync(frame) < 0) return frame.free()
      frame.pts = frame.bestEffortTimestamp - start
      yield frame
    }
  }
  for await (const packet of packets) {
    decoder.sendPacketSync(packet)
    packet.free()
    yield* ready()
  }
  decoder.sendPacketSync(null)
  yield* ready()
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

/** Returns the filters. They fill gaps with silence, so that audio stays in sync. */
function filters(encoder: CodecContext): string {
  const format = [
    `sample_fmts=${avGetSampleFmtName(encoder.sampleFormat)}`,
    `sample_rates=${encoder.sampleRate}`,
    `channel_layouts=${avChannelLayoutDescribe(encoder.channelLayout)}`,
  ].join(':')
  const block = encoder.frameSize > 0 ? [`asetnsamples=n=${encoder.frameSize}:p=0`] : []
  return ['aresample=async=1:min_hard_comp=0.1', `aformat=${format}`, ...block].join(',')
}
