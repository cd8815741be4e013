/**
 * Re-encodes an audio track.
 * Everything runs on the main thread, which is idle while the video threads are busy. A block of audio takes less time than
 * a thread switch.
 */
import {
  AV_NOPTS_VALUE,
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
  type IRational,
  type Packet,
  Rational,
  type Stream,
} from 'node-av/lib'
import {
  mustSucceed,
  newFrame,
  nothingNow,
  openDecoder,
  packetsFrom,
  sampleFormatName,
} from '../ffmpeg/ffmpeg.ts'
import {
  createFilterChain,
  type FilterChain,
  filterFrames,
  type FilterSource,
  type TimedFrame,
} from '../ffmpeg/filter-chain.ts'
import { type Coverage, createCoverage, type Span } from './coverage.ts'
import { isHidden } from './source-file.ts'
import { ENCODER_FLAGS } from './target-file.ts'
import { createPacketTrack, type Track, TrackFailed, type TrackSource } from './track.ts'
import { timeOf } from './packet-times.ts'

/** `pcm` and `alac` keep every sample of the original. */
export type AudioCodec = 'aac' | 'opus' | 'pcm' | 'alac'

const isExact = (codec: AudioCodec): boolean => codec === 'pcm' || codec === 'alac'

type Reports = {
  /** @param seconds length of the finished audio so far */
  onEncoded?(seconds: number): void
  /** @param missing parts that couldn't be decoded */
  onDecoded(missing: readonly Span[]): void
  onBitrateAdapted?(): void
}

/**
 * @param bitrate bits per second
 * @throws TrackFailed, now or later, if the track can't be decoded
 */
export async function createAudioTrack(
  work: TrackSource,
  codec: AudioCodec,
  bitrate: number,
  reports: Reports,
): Promise<Track> {
  const { source, target, metadata } = work
  const decoder = await decoderFor(source)
  const encoder =
    (isExact(codec) ? await openExactEncoder(source, codec, decoder) : undefined) ??
    (await openLossyEncoder(source, codec === 'opus' ? 'opus' : 'aac', decoder, bitrate, reports))
  const stream = target.addStream(metadata)
  mustSucceed(stream.codecpar.fromContext(encoder), 'encoded')
  stream.timeBase = encoder.timeBase
  stream.disposition = source.disposition
  return createPacketTrack(
    (packets) => encodeAll(work, packets, { decoder, encoder, stream, reports }),
    () => {
      decoder.freeContext()
      encoder.freeContext()
    },
  )
}

async function decoderFor(source: Stream): Promise<CodecContext> {
  const { codecpar, timeBase } = source
  const codec = Codec.findDecoder(codecpar.codecId)
  const decoder = codec && (await openDecoder(codec, codecpar, { timeBase, threads: 1 }).catch(() => null))
  if (decoder === null) throw new TrackFailed(source, 'undecodable')
  return decoder
}

type Encoder = Pick<CodecContext, 'sampleFormat' | 'channelLayout' | 'sampleRate'> & { readonly codec: Codec }

/**
 * Opens an encoder that keeps every sample. Returns undefined if the encoder doesn't support the samples or the channels; ALAC, for example,
 * refuses channels without names. The comparison of the inventories then reports the loss.
 */
async function openExactEncoder(
  source: Stream,
  codec: AudioCodec,
  decoder: CodecContext,
): Promise<CodecContext | undefined> {
  const made = exactEncoder(codec, decoder)
  return made && openEncoder(source, made, 0).catch(() => undefined)
}

async function openLossyEncoder(
  source: Stream,
  codec: 'aac' | 'opus',
  decoder: CodecContext,
  bitrate: number,
  reports: Reports,
): Promise<CodecContext> {
  const made = lossyEncoder(codec, decoder)
  const most = mostBitrate(codec, made.channelLayout.nbChannels)
  if (bitrate > most) reports.onBitrateAdapted?.()
  return openEncoder(source, made, Math.min(bitrate, most))
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

/** Returns an encoder that keeps the decoder's samples at their bit depth; undefined if there is none. */
function exactEncoder(name: AudioCodec, decoder: CodecContext): Encoder | undefined {
  const { sampleRate, channelLayout, bitsPerRawSample } = decoder
  const known = avGetSampleFmtName(decoder.sampleFormat)?.replace(/p$/, '') ?? 'none'
  // ALAC stores at least 16 bits, so give it 8-bit samples as 16.
  const decoded = name === 'alac' && known === 'u8' ? 's16' : known
  const depth = decoded === 's32' && bitsPerRawSample > 0 && bitsPerRawSample <= 24 ? 's24' : decoded
  const codec =
    depth in PCM_ENCODERS
      ? Codec.findEncoderByName(
          name === 'alac' ? FF_ENCODER_ALAC : PCM_ENCODERS[depth as keyof typeof PCM_ENCODERS],
        )
      : null
  const sampleFormat = codec?.sampleFormats?.find((format) => avGetSampleFmtName(format)?.startsWith(decoded))
  if (codec === null || sampleFormat === undefined) return undefined
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
  // Without this, ALAC stores 32-bit samples with 24 bits.
  encoder.bitsPerRawSample = source.codecpar.bitsPerRawSample
  encoder.setFlags(ENCODER_FLAGS)
  mustSucceed(await encoder.open2(codec), 'encoded')
  return encoder
}

/** Returns the highest bit rate to request. libopus refuses higher ones, but FFmpeg's AAC encoder limits them itself. */
const mostBitrate = (codec: AudioCodec, channels: number): number =>
  codec === 'opus' ? 256_000 * channels : Infinity

const DEFAULT_RATE = 48_000

const encodedRate = (codec: Codec, rate: number): number =>
  codec.supportedSamplerates?.includes(rate) === true ? rate : DEFAULT_RATE

/**
 * Returns the number of channels to encode. Mono, stereo, 5.1 and 7.1 play everywhere. Other layouts are mixed down to the next smaller of
 * these.
 */
function encodedChannels(channels: number): number {
  if (channels >= 8) return 8
  if (channels >= 6) return 6
  return Math.min(channels, 2)
}

type Encoding = {
  readonly decoder: CodecContext
  readonly encoder: CodecContext
  readonly stream: Stream
  readonly reports: Reports
}

async function encodeAll(
  work: TrackSource,
  packets: AsyncIterable<Packet>,
  { decoder, encoder, stream, reports }: Encoding,
): Promise<void> {
  const { source, target } = work
  const { num, den } = encoder.timeBase
  const coverage = createCoverage()
  const shapeOf = (frame: Frame) => sourceParameters(frame, source.timeBase)
  // The layout may change midway. Blocks and gaps are handled after all parts have the encoder's format.
  const open = (frame: Frame) => openForEncoder(sourceOfAudio(shapeOf(frame)), frame, encoder)
  const whole = (frame: Frame) =>
    createFilterChain(sourceOfAudio(sourceParameters(frame, encoder.timeBase)), blocksOf(encoder))
  const encode = async (frame: Frame | null): Promise<void> => {
    const code = encoder.sendFrameSync(frame)
    if (frame !== null) reports.onEncoded?.((Number(frame.pts) * num) / den)
    frame?.free()
    if (code !== AVERROR_EOF) mustSucceed(code, 'encoded')
    for await (const packet of packetsFrom((packet) => encoder.receivePacketSync(packet)))
      await target.write(packet, stream, { num, den })
  }
  const pieces = filterFrames(decoded(work, packets, decoder, coverage), shapeOf, open)
  for await (const { frame } of filterFrames(framesOf(pieces), () => '', whole)) await encode(frame)
  await encode(null)
  reports.onDecoded(coverage.missing())
}

async function openForEncoder(
  source: FilterSource,
  { channelLayout }: Frame,
  encoder: CodecContext,
): Promise<FilterChain> {
  const { num, den } = encoder.timeBase
  const filters = `${formatOf(encoder)},asettb=${num}/${den}`
  try {
    return await createFilterChain(source, filters)
  } catch {
    // FFmpeg can't mix layouts without names, such as nine channels. The first channels have the usual order.
    return createFilterChain(source, `${firstChannels(channelLayout.nbChannels, encoder)},${filters}`)
  }
}

function firstChannels(channels: number, { channelLayout }: CodecContext): string {
  const kept = Array.from({ length: Math.min(channels, channelLayout.nbChannels) }, (_, index) => index)
  return [
    'pan=' + avChannelLayoutDescribe(channelLayout),
    ...kept.map((index) => `c${index}=c${index}`),
  ].join('|')
}

const sourceOfAudio = (parameters: string): FilterSource => ({ kind: 'audio', parameters })

async function* framesOf(timed: AsyncIterable<TimedFrame>): AsyncGenerator<Frame> {
  for await (const { frame } of timed) yield frame
}

/** Number of packets after which a track that has yielded nothing counts as undecodable. */
const PACKETS_UNTIL_DOUBT = 100

/** Skips audio that can't be decoded. The filters fill the gap with silence. Throws TrackFailed if nothing can be decoded. */
async function* decoded(
  { source, start }: TrackSource,
  packets: AsyncIterable<Packet>,
  decoder: CodecContext,
  coverage: Coverage,
): AsyncGenerator<Frame> {
  const secondsPerTick = source.timeBase.num / source.timeBase.den
  const seconds = (ticks: bigint): number => Number(ticks) * secondsPerTick
  const send = (packet: Packet | null): void => {
    const code = decoder.sendPacketSync(packet)
    if (code < 0 && !nothingNow(code)) coverage.fail()
  }
  function* ready(): Generator<Frame> {
    for (;;) {
      const frame = newFrame()
      const code = decoder.receiveFrameSync(frame)
      if (code < 0) {
        frame.free()
        if (!nothingNow(code)) coverage.fail()
        return
      }
      const time = frame.bestEffortTimestamp
      frame.pts = time === AV_NOPTS_VALUE ? time : time - start
      coverage.receive(seconds(time - start), frame.nbSamples / Math.max(1, frame.sampleRate))
      yield frame
    }
  }
  const requireAny = (packetsBefore: number): void => {
    if (coverage.received === 0 && coverage.promised > packetsBefore)
      throw new TrackFailed(source, 'undecodable')
  }
  for await (const packet of packets) {
    const time = timeOf(packet)
    if (time !== AV_NOPTS_VALUE && !isHidden(packet))
      coverage.promise(seconds(time - start), seconds(packet.duration))
    send(packet)
    packet.free()
    yield* ready()
    requireAny(PACKETS_UNTIL_DOUBT)
  }
  send(null)
  yield* ready()
  requireAny(0)
}

function sourceParameters(frame: Frame, { num, den }: IRational): string {
  return [
    `time_base=${num}/${den}`,
    `sample_rate=${frame.sampleRate}`,
    `sample_fmt=${sampleFormatName(frame)}`,
    `channel_layout=${layoutOf(frame)}`,
  ].join(':')
}

/** Returns the frame's channel layout, or FFmpeg's usual one if the frame only has a number of channels. */
function layoutOf({ channelLayout: layout }: Frame): string {
  const described = avChannelLayoutDescribe(layout) ?? ''
  const isUnknown = described === '' || /^\d+ channels$/.test(described)
  return (isUnknown ? avChannelLayoutDescribe(avChannelLayoutDefault(layout.nbChannels)) : described) ?? ''
}

function formatOf(encoder: CodecContext): string {
  const format = [
    `sample_fmts=${avGetSampleFmtName(encoder.sampleFormat)}`,
    `sample_rates=${encoder.sampleRate}`,
    `channel_layouts=${avChannelLayoutDescribe(encoder.channelLayout)}`,
  ].join(':')
  return `aformat=${format}`
}

/** Returns filters that fill gaps with silence to keep audio in sync, and that make blocks of the size that the encoder needs. */
function blocksOf(encoder: CodecContext): string {
  const block = encoder.frameSize > 0 ? [`asetnsamples=n=${encoder.frameSize}:p=0`] : []
  return ['aresample=async=1:min_hard_comp=0.1', formatOf(encoder), ...block].join(',')
}
