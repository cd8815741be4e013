/** Reads a finished video by decoding every frame. */
import {
  AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
  AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { avGetCodecName, avGetPixFmtName, type Frame } from 'node-av/lib'
import { decoderOf, framesFrom, openClip, packetsIn } from './open-clip.ts'

export type ReadClip = Awaited<ReturnType<typeof readClip>>

export async function readClip(path: string) {
  await using input = await openClip(path)
  const { streams } = input
  const video = streams.find((stream) => stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  if (video === undefined) throw new Error('no video in the result')
  using decoder = await decoderOf(video)
  const times: number[] = []
  let lastQuarters: number[] = []
  const kept: { first: Frame | null } = { first: null }
  const decode = (packet: Parameters<typeof framesFrom>[1]): void => {
    for (const frame of framesFrom(decoder, packet)) {
      times.push((Number(frame.bestEffortTimestamp) * video.timeBase.num) / video.timeBase.den)
      kept.first ??= frame.clone()
      lastQuarters = quarters(frame)
    }
  }
  for (const packet of packetsIn(input)) if (packet.streamIndex === video.index) decode(packet)
  decode(null)
  using first = kept.first
  if (first === null) throw new Error('no frame in the result')
  return {
    /** Duration in seconds. */
    duration: Number(input.duration) / 1_000_000,
    /** Codecs of all tracks, in file order. */
    codecs: streams.map((stream) => avGetCodecName(stream.codecpar.codecId) ?? 'unknown'),
    title: input.metadata?.get('title') ?? null,
    width: decoder.width,
    height: decoder.height,
    pixelFormat: avGetPixFmtName(decoder.pixelFormat) ?? 'none',
    hasDisplayMatrix: video.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) !== null,
    /** Presentation times in seconds. */
    times,
    /** Brightness (0..255) at the center of each quarter of the first frame: upper left, upper right, lower left, lower right. */
    quarters: quarters(first),
    /** As `quarters`, for the last frame. */
    lastQuarters,
    /** Maximum distance of the first frame's Cb values from gray. */
    chroma: chroma(first),
    /** FFmpeg's numbers for transfer function and matrix, from the first frame. */
    colors: [first.colorTrc, first.colorSpace] as readonly number[],
    /** Mastering display and light levels, from the container and from the first frame. */
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
    /** Metadata of the video track. */
    marks: video.metadata?.getAll() ?? {},
  }
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
