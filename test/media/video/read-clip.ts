/** Reads a finished video by decoding every frame. */
import {
  AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
  AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import {
  avGetCodecName,
  avGetPixFmtName,
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  type Frame,
} from 'node-av/lib'
import { newFrame, newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

export type ReadClip = {
  /** Duration in seconds. */
  readonly duration: number
  /** Codecs of all tracks, in file order. */
  readonly codecs: readonly string[]
  readonly title: string | null
  readonly width: number
  readonly height: number
  readonly pixelFormat: string
  readonly hasDisplayMatrix: boolean
  /** FFmpeg's numbers for transfer function and matrix, from the first frame. */
  readonly colors: readonly number[]
  /** Mastering display and light levels, from the container and from the first frame. */
  readonly hdr: { readonly container: HdrSaid; readonly picture: HdrSaid }
  /** Presentation times in seconds. */
  readonly times: readonly number[]
  /** Brightness (0..255) at the center of each quarter of the first frame: upper left, upper right, lower left, lower right. */
  readonly quarters: readonly number[]
  /** As `quarters`, for the last frame. */
  readonly lastQuarters: readonly number[]
  /** Maximum distance of the first frame's Cb values from gray. */
  readonly chroma: number
  /** Metadata of the video track. */
  readonly marks: Readonly<Record<string, string>>
}

export type HdrSaid = { readonly screen: Buffer | null; readonly light: Buffer | null }

export async function readClip(path: string): Promise<ReadClip> {
  await using input = new FormatContext()
  check(await input.openInput(`file:${path}`))
  check(await input.findStreamInfo())
  const { streams } = input
  const video = streams.find((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  if (video === undefined) throw new Error('no video in the result')
  const codec = Codec.findDecoder(video.codecpar.codecId)
  using decoder = new CodecContext()
  decoder.allocContext3(codec)
  check(decoder.parametersToContext(video.codecpar))
  decoder.pktTimebase = video.timeBase
  check(await decoder.open2(codec))
  const times: number[] = []
  let lastQuarters: number[] = []
  const kept: { first: Frame | null } = { first: null }
  const receive = (): void => {
    for (;;) {
      using frame = newFrame()
      if (decoder.receiveFrameSync(frame) < 0) return
      times.push((Number(frame.bestEffortTimestamp) * video.timeBase.num) / video.timeBase.den)
      kept.first ??= frame.clone()
      lastQuarters = quarters(frame)
    }
  }
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    if (packet.streamIndex !== video.index) continue
    decoder.sendPacketSync(packet)
    receive()
  }
  decoder.sendPacketSync(null)
  receive()
  using first = kept.first
  if (first === null) throw new Error('no frame in the result')
  return {
    duration: Number(input.duration) / 1_000_000,
    codecs: streams.map((stream) => avGetCodecName(stream.codecpar.codecId) ?? 'unknown'),
    title: input.metadata?.get('title') ?? null,
    width: decoder.width,
    height: decoder.height,
    pixelFormat: avGetPixFmtName(decoder.pixelFormat) ?? 'none',
    hasDisplayMatrix: video.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) !== null,
    times,
    quarters: quarters(first),
    lastQuarters,
    chroma: chroma(first),
    colors: [first.colorTrc, first.colorSpace],
    hdr: {
      container: {
        screen: video.codecpar.getCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
        light: video.codecpar.getCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
      },
      picture: {
        screen: first.getSideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
        light: first.getSideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
      },
    },
    marks: video.metadata?.getAll() ?? {},
  }
}

function check(code: number): void {
  FFmpegError.throwIfError(code)
}

function quarters(frame: Frame): number[] {
  const [luma] = frame.data ?? []
  const [stride = 0] = frame.linesize
  const at = (shareX: number, shareY: number): number => {
    const x = Math.floor(frame.width * shareX)
    const y = Math.floor(frame.height * shareY)
    return luma?.[y * stride + x] ?? -1
  }
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
}

function chroma(frame: Frame): number {
  const plane = frame.data?.[1]
  const stride = frame.linesize[1] ?? 0
  const rows = Math.floor(frame.height / 2)
  const columns = Math.floor(frame.width / 2)
  let most = 0
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1)
      most = Math.max(most, Math.abs((plane?.[y * stride + x] ?? 128) - 128))
  }
  return most
}
