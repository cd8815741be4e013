/**
 * Re-encodes an audio track.
 * Everything runs on the main thread, which is idle while the video threads are busy. A block of audio takes less time than
 * a thread switch.
 */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import {
  AVERROR_EOF,
  FF_ENCODER_AAC,
  FF_ENCODER_ALAC,
  FF_ENCODER_LIBOPUS,
  FF_ENCODER_PCM_F32LE,
  FF_ENCODER_PCM_F64LE,
  FF_ENCODER_PCM_S16LE,
  FF_ENCODER_PCM_S24LE,
  FF_ENCODER_PCM_S32LE,
  FF_ENCODER_PCM_U8,
} from 'node-av/constants'
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

/** `pcm` and `alac` keep every sample of the original. */
export type AudioCodec = 'aac' | 'opus' | 'pcm' | 'alac'

const isExact = (codec: AudioCodec): boolean => codec === 'pcm' || codec === 'alac'

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
  const encoder = await openEncoder(source, encoderFor(codec, decoder), bitrate)
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

/** An encoder, and the samples that it gets. */
type Encoder = Pick<CodecContext, 'sampleFormat' | 'channelLayout' | 'sampleRate'> & { readonly codec: Codec }

function encoderFor(codec: AudioCodec, decoder: CodecContext): Encoder {
  return isExact(codec) ? exactEncoder(codec, decoder) : lossyEncoder(codec, decoder)
}

function lossyEncoder(name: AudioCodec, decoder: CodecContext): Encoder {
  const codec = Codec.findEncoderByName(name === 'aac' ? FF_ENCODER_AAC : FF_ENCODER_LIBOPUS)
  const sampleFormat = codec?.sampleFormats?.at(-1)
  if (codec === null || sampleFormat === undefined)
    throw new Error(`This build of FFmpeg has no encoder for ${name}`)
  return {
    codec,
    sampleFormat,
    sampleRate: encodedRate(codec, decoder.sampleRate),
    channelLayout: avChannelLayoutDefault(encodedChannels(decoder.channels)),
  }
}

/** PCM encoders by FFmpeg's names of the interleaved sample formats. */
const PCM_ENCODERS = {
  u8: FF_ENCODER_PCM_U8,
  s16: FF_ENCODER_PCM_S16LE,
  s24: FF_ENCODER_PCM_S24LE,
  s32: FF_ENCODER_PCM_S32LE,
  flt: FF_ENCODER_PCM_F32LE,
  dbl: FF_ENCODER_PCM_F64LE,
} as const

/** Keeps the decoder's samples in their depth. */
function exactEncoder(name: AudioCodec, decoder: CodecContext): Encoder {
  const { sampleRate, channelLayout, bitsPerRawSample } = decoder
  const decoded = avGetSampleFmtName(decoder.sampleFormat)?.replace(/p$/, '') ?? 'none'
  const depth = decoded === 's32' && bitsPerRawSample > 0 && bitsPerRawSample <= 24 ? 's24' : decoded
  const codec =
    depth in PCM_ENCODERS
      ? Codec.findEncoderByName(
          name === 'alac' ? FF_ENCODER_ALAC : PCM_ENCODERS[depth as keyof typeof PCM_ENCODERS],
        )
      : null
  const sampleFormat = codec?.sampleFormats?.find((format) => avGetSampleFmtName(format)?.startsWith(decoded))
  if (codec === null || sampleFormat === undefined)
    throw new FailureError(failure('losslessImpossible', { detail: decoded }))
  const isNamed = avChannelLayoutDescribe(channelLayout)?.includes('channels') === false
  return {
    codec,
    sampleFormat,
    sampleRate,
    channelLayout: isNamed ? channelLayout : avChannelLayoutDefault(channelLayout.nbChannels),
  }
}

async function openEncoder(
  source: Stream,
  { codec, sampleFormat, sampleRate, channelLayout }: Encoder,
  bitrate: number,
): Promise<CodecContext> {
  const encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.sampleFormat = sampleFormat
  encoder.sampleRate = sampleRate
  encoder.channelLayout = channelLayout
  encoder.timeBase = new Rational(1, encoder.sampleRate)
  encoder.bitRate = BigInt(bitrate)
  // ALAC stores samples of 32 bits as 24 unless it knows better.
  encoder.bitsPerRawSample = source.codecpar.bitsPerRawSample
  encoder.setFlags(ENCODER_FLAGS)
  mustSucceed(await encoder.open2(codec), 'encoded')
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
