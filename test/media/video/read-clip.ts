/** Reads a finished video back, by decoding every picture of it. */
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
  Frame,
  Packet,
} from 'node-av/lib'

export type ReadClip = {
  /** Seconds. */
  readonly duration: number
  /** The codecs of all tracks, in the file's order. */
  readonly codecs: readonly string[]
  readonly languages: readonly (string | null)[]
  readonly title: string | null
  readonly width: number
  readonly height: number
  readonly pixelFormat: string
  readonly hasDisplayMatrix: boolean
  /** FFmpeg's numbers of curve and matrix, as the first picture has them. */
  readonly colours: readonly number[]
  /** What container and first picture say about the screen that the film was made on, and about its light. */
  readonly hdr: { readonly container: HdrSaid; readonly picture: HdrSaid }
  /** Seconds at which pictures are shown. */
  readonly times: readonly number[]
  /** Mean brightness (0..255) of the first picture's quarters: upper left, upper right, lower left, lower right. */
  readonly quarters: readonly number[]
  /** How far the first picture's colours are from grey, at the most. */
  readonly chroma: number
  /** Whether the index stands before the media. */
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
  let first: (Pick<ReadClip, 'quarters' | 'chroma' | 'colours'> & { readonly hdr: HdrSaid }) | undefined
  const receive = (): void => {
    for (;;) {
      using frame = new Frame()
      frame.alloc()
      if (decoder.receiveFrameSync(frame) < 0) return
      times.push((Number(frame.bestEffortTimestamp) * video.timeBase.num) / video.timeBase.den)
      first ??= {
        quarters: quarters(frame),
        chroma: chroma(frame),
        colours: [frame.colorTrc, frame.colorSpace],
        hdr: {
          screen: frame.getSideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
          light: frame.getSideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
        },
      }
    }
  }
  for (;;) {
    using packet = new Packet()
    packet.alloc()
    if (input.readFrameSync(packet) < 0) break
    if (packet.streamIndex !== video.index) continue
    decoder.sendPacketSync(packet)
    receive()
  }
  decoder.sendPacketSync(null)
  receive()
  return {
    duration: Number(input.duration) / 1_000_000,
    codecs: streams.map((stream) => avGetCodecName(stream.codecpar.codecId) ?? 'unknown'),
    languages: streams.map((stream) => stream.metadata?.get('language') ?? null),
    title: input.metadata?.get('title') ?? null,
    width: decoder.width,
    height: decoder.height,
    pixelFormat: avGetPixFmtName(decoder.pixelFormat) ?? 'none',
    hasDisplayMatrix: video.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) !== null,
    times,
    quarters: first?.quarters ?? [],
    chroma: first?.chroma ?? 0,
    colours: first?.colours ?? [],
    hdr: {
      container: {
        screen: video.codecpar.getCodedSideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
        light: video.codecpar.getCodedSideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
      },
      picture: first?.hdr ?? { screen: null, light: null },
    },
    marks: video.metadata?.getAll() ?? {},
  }
}

/** @returns seconds, as the file's header has it */
export async function durationOf(path: string): Promise<number> {
  await using input = new FormatContext()
  check(await input.openInput(`file:${path}`))
  check(await input.findStreamInfo())
  return Number(input.duration) / 1_000_000
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
