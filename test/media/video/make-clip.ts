/** Creates small test videos with the FFmpeg libraries that the app uses. */
import {
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_LOG_QUIET,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AVCOL_PRI_BT2020,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AV_PKT_DATA_DISPLAYMATRIX,
  FF_ENCODER_AAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_FFV1,
  FF_ENCODER_JPEG2000,
  FF_ENCODER_LIBVPX_VP9,
  FF_ENCODER_LIBX264,
  FF_ENCODER_MPEG4,
  FF_ENCODER_PCM_F32BE,
  FF_ENCODER_PCM_S16BE,
  FF_ENCODER_PCM_S24BE,
  FF_ENCODER_PCM_U8,
  FF_ENCODER_MP2,
  FF_ENCODER_ADPCM_IMA_QT,
  FF_ENCODER_WMAV2,
  FF_ENCODER_ALAC,
  FF_ENCODER_PRORES_KS,
} from 'node-av/constants'
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetPixFmtFromName,
  avGetSampleFmtFromName,
  type ChannelLayout,
  Codec,
  CodecContext,
  Dictionary,
  FilterGraph,
  FormatContext,
  type Frame,
  Log,
  Rational,
  type Stream,
} from 'node-av/lib'
import { newFrame, newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { check } from './open-clip.ts'

const ENCODERS = {
  h264: FF_ENCODER_LIBX264,
  mpeg4: FF_ENCODER_MPEG4,
  vp9: FF_ENCODER_LIBVPX_VP9,
  ffv1: FF_ENCODER_FFV1,
  jpeg2000: FF_ENCODER_JPEG2000,
  prores: FF_ENCODER_PRORES_KS,
} as const

/** Encoders for tones, with their sample formats. */
const TONES = {
  aac: [FF_ENCODER_AAC, 'fltp'],
  flac: [FF_ENCODER_FLAC, 's16'],
  alac: [FF_ENCODER_ALAC, 's16p'],
  pcm_u8: [FF_ENCODER_PCM_U8, 'u8'],
  pcm_s16be: [FF_ENCODER_PCM_S16BE, 's16'],
  pcm_s24be: [FF_ENCODER_PCM_S24BE, 's32'],
  pcm_f32be: [FF_ENCODER_PCM_F32BE, 'flt'],
  mp2: [FF_ENCODER_MP2, 's16'],
  adpcm_ima_qt: [FF_ENCODER_ADPCM_IMA_QT, 's16p'],
  wmav2: [FF_ENCODER_WMAV2, 'fltp'],
} as const

export type Clip = {
  readonly width: number
  readonly height: number
  /** Presentation times of the frames in ms. If empty, the clip has no video track. */
  readonly times: readonly number[]
  readonly codec?: keyof typeof ENCODERS
  readonly pixelFormat?: string
  /** Whether most frames depend on others. Otherwise, all are keyframes. */
  readonly isPredicted?: boolean
  /** Most frames from one keyframe to the next, if most depend on others. Default: 12. */
  readonly keyframeDistance?: number
  /** Columns and rows that H.264 hides: at the left, top, right and bottom. */
  readonly hidden?: readonly [number, number, number, number]
  /** Pixel width divided by pixel height. */
  readonly pixelAspect?: readonly [number, number]
  /** Four entries of the display matrix: its upper left 2 × 2 part. */
  readonly matrix?: readonly [number, number, number, number]
  /** The transfer function of an HDR video; PQ includes the mastering display. */
  readonly transfer?: 'pq' | 'hlg'
  /** Length of a tone in seconds. */
  readonly sound?: number
  readonly soundCodec?: keyof typeof TONES
  /** Channels of the tone. Default: 1. */
  readonly channels?: 1 | 2 | 3 | 6
  /** Where the channels are. Default: as usual for their number. */
  readonly layout?: ChannelLayout
  /** Samples in a packet of sound. Default: 1024. */
  readonly soundBlock?: number
  readonly title?: string
  /** More tags of the file. */
  readonly tags?: Readonly<Record<string, string>>
  /** FFmpeg filters for the test image. */
  readonly picture?: string
}

/** White in the upper left quarter, blue at the lower right, black elsewhere. */
export const MARKED_CORNER =
  'drawbox=0:0:iw:ih:black:fill,drawbox=0:0:iw/2:ih/2:white:fill,drawbox=iw/2:ih/2:iw/2:ih/2:blue:fill'

export function evenTimes(frames: number, perSecond: number): number[] {
  return Array.from({ length: frames }, (_, index) => Math.round((index * 1000) / perSecond))
}

export async function makeClip(path: string, clip: Clip): Promise<void> {
  Log.setLevel(AV_LOG_QUIET)
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${path}`))
  const title = clip.title === undefined ? {} : { title: clip.title }
  output.metadata = Dictionary.fromObject({ ...title, ...clip.tags })
  check(await output.openOutput())
  const hasPicture = clip.times.length > 0
  using video = hasPicture ? await openVideo(clip) : undefined
  const videoStream = video && describe(output, video)
  if (videoStream && clip.matrix !== undefined) {
    check(videoStream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, displayMatrix(clip.matrix)))
  }
  if (videoStream && clip.transfer === 'pq') {
    check(videoStream.codecpar.addCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, SCREEN))
    check(videoStream.codecpar.addCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, LIGHT))
  }
  using audio = clip.sound === undefined ? undefined : await openAudio(clip)
  const audioStream = audio && describe(output, audio)
  check(await output.writeHeader())
  if (video && videoStream) encodePictures(clip, video, videoStream, output)
  if (audio && audioStream && clip.sound !== undefined) encodeTone(clip, audio, audioStream, output)
  check(await output.writeTrailer())
}

function displayMatrix([a, b, c, d]: readonly [number, number, number, number]): Buffer {
  const one = 0x1_00_00
  return Buffer.from(new Int32Array([a * one, b * one, 0, c * one, d * one, 0, 0, 0, 0x40_00_00_00]).buffer)
}

/** A mastering display of 1,000 cd/m² with P3 primaries, as FFmpeg stores it: fractions, then two flags. */
export const SCREEN = Buffer.from(
  new Int32Array(
    [
      [34_000, 16_000, 13_250, 34_500, 7_500, 3_000, 15_635, 16_450].flatMap((part) => [part, 50_000]),
      [50, 10_000, 10_000_000, 10_000],
      [1, 1],
    ].flat(),
  ).buffer,
)
/** Maximum content light level and maximum frame-average light level. */
export const LIGHT = Buffer.from(new Uint32Array([1_000, 400]).buffer)

async function openVideo(clip: Clip): Promise<CodecContext> {
  const codec = Codec.findEncoderByName(ENCODERS[clip.codec ?? 'h264'])
  const encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.codecType = AVMEDIA_TYPE_VIDEO
  encoder.width = clip.width
  encoder.height = clip.height
  encoder.pixelFormat = avGetPixFmtFromName(clip.pixelFormat ?? 'yuv420p')
  encoder.timeBase = new Rational(1, 1000)
  encoder.framerate = new Rational(25, 1)
  encoder.gopSize = clip.keyframeDistance ?? 12
  encoder.sampleAspectRatio = new Rational(...(clip.pixelAspect ?? [1, 1]))
  if (clip.transfer !== undefined) {
    encoder.colorPrimaries = AVCOL_PRI_BT2020
    encoder.colorTrc = clip.transfer === 'pq' ? AVCOL_TRC_SMPTE2084 : AVCOL_TRC_ARIB_STD_B67
    encoder.colorSpace = AVCOL_SPC_BT2020_NCL
    encoder.colorRange = AVCOL_RANGE_MPEG
  }
  encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  using options = Dictionary.fromObject({
    preset: 'ultrafast',
    deadline: 'realtime',
    'cpu-used': '8',
    'auto-alt-ref': '0',
    ...(clip.hidden === undefined ? {} : { 'x264-params': `crop-rect=${clip.hidden.join()}` }),
  })
  check(await encoder.open2(codec, options))
  return encoder
}

const SAMPLE_RATE = 44_100

async function openAudio({ soundCodec = 'aac', channels = 1, layout }: Clip): Promise<CodecContext> {
  const [encoderName, sampleFormat] = TONES[soundCodec]
  const codec = Codec.findEncoderByName(encoderName)
  const encoder = new CodecContext()
  encoder.allocContext3(codec)
  encoder.codecType = AVMEDIA_TYPE_AUDIO
  encoder.sampleRate = SAMPLE_RATE
  encoder.sampleFormat = avGetSampleFmtFromName(sampleFormat)
  encoder.channelLayout = layout ?? avChannelLayoutDefault(channels)
  encoder.timeBase = new Rational(1, SAMPLE_RATE)
  encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER)
  check(await encoder.open2(codec))
  return encoder
}

function describe(output: FormatContext, encoder: CodecContext): Stream {
  const stream = output.newStream()
  check(stream.codecpar.fromContext(encoder))
  stream.timeBase = encoder.timeBase
  stream.sampleAspectRatio = encoder.sampleAspectRatio
  return stream
}

function encodePictures(clip: Clip, encoder: CodecContext, stream: Stream, output: FormatContext): void {
  const { width, height, picture = 'null', pixelFormat = 'yuv420p' } = clip
  const frames = framesOf(`testsrc2=size=${width}x${height},${picture},format=${pixelFormat},buffersink@end`)
  for (const time of clip.times) {
    const { value: frame } = frames.next()
    if (!frame) throw new Error('The test image has ended.')
    frame.pts = BigInt(time)
    if (clip.isPredicted === true) frame.pictType = AV_PICTURE_TYPE_NONE
    encode(frame, encoder, stream, output)
    frame.free()
  }
  frames.return()
  encode(null, encoder, stream, output)
}

function encodeTone(
  { sound: seconds = 0, soundCodec = 'aac', channels = 1, soundBlock = 1024, layout }: Clip,
  encoder: CodecContext,
  stream: Stream,
  output: FormatContext,
): void {
  const [, sampleFormat] = TONES[soundCodec]
  const name = avChannelLayoutDescribe(layout ?? avChannelLayoutDefault(channels))
  const blocks = `aformat=${sampleFormat}:${SAMPLE_RATE}:${name},asetnsamples=${soundBlock}:p=0`
  for (const frame of framesOf(`sine=r=${SAMPLE_RATE}:d=${seconds},${blocks},abuffersink@end`)) {
    encode(frame, encoder, stream, output)
    frame.free()
  }
  encode(null, encoder, stream, output)
}

/** @param filters from a source to a sink called `end` */
function* framesOf(filters: string): Generator<Frame, void> {
  using graph = new FilterGraph()
  graph.alloc()
  check(graph.parsePtr(filters))
  check(graph.configSync())
  const [sink] = (graph.filters ?? []).filter(({ name }) => name?.endsWith('@end'))
  for (;;) {
    const frame = newFrame()
    if (sink === undefined || sink.buffersinkGetFrameSync(frame) < 0) return frame.free()
    yield frame
  }
}

/** Without a duration, the muxer would drop the last frame. */
const USUAL_DURATION = 40n

function encode(frame: Frame | null, encoder: CodecContext, stream: Stream, output: FormatContext): void {
  check(encoder.sendFrameSync(frame))
  for (;;) {
    using packet = newPacket()
    if (encoder.receivePacketSync(packet) < 0) return
    if (packet.duration === 0n) packet.duration = USUAL_DURATION
    packet.rescaleTs(encoder.timeBase, stream.timeBase)
    packet.streamIndex = stream.index
    check(output.interleavedWriteFrameSync(packet))
  }
}
