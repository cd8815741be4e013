/** Adds SubRip subtitles to a file with a picture. */
import {
  AV_CODEC_ID_SUBRIP,
  AV_DISPOSITION_DEFAULT,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { FFmpegError, FormatContext, Rational } from 'node-av/lib'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

/** Times are in seconds. */
type Subtitle = { readonly start: number; readonly end: number; readonly text: string }

export async function withSubtitles(
  sourcePath: string,
  path: string,
  lines: readonly Subtitle[],
  { isDefault = false } = {},
): Promise<void> {
  await using input = new FormatContext()
  check(await input.openInput(`file:${sourcePath}`))
  check(await input.findStreamInfo())
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${path}`))
  check(await output.openOutput())
  const source = input.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  if (source === undefined) throw new Error('There is no picture')
  const video = output.newStream()
  check(source.codecpar.copy(video.codecpar))
  video.codecpar.codecTag = 0
  video.timeBase = source.timeBase
  const subtitles = output.newStream()
  subtitles.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  subtitles.codecpar.codecId = AV_CODEC_ID_SUBRIP
  subtitles.timeBase = new Rational(1, 10_000)
  if (isDefault) subtitles.disposition = AV_DISPOSITION_DEFAULT
  check(await output.writeHeader())
  for (const { start, end, text } of lines) {
    using packet = newPacket()
    packet.data = Buffer.from(text, 'utf8')
    packet.pts = packet.dts = BigInt(Math.round(start * 10_000))
    packet.duration = BigInt(Math.round((end - start) * 10_000))
    packet.rescaleTs({ num: 1, den: 10_000 }, subtitles.timeBase)
    packet.streamIndex = subtitles.index
    check(output.interleavedWriteFrameSync(packet))
  }
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    if (packet.streamIndex !== source.index) continue
    packet.rescaleTs(source.timeBase, video.timeBase)
    packet.streamIndex = video.index
    check(output.interleavedWriteFrameSync(packet))
  }
  check(await output.writeTrailer())
}

function check(code: number): void {
  FFmpegError.throwIfError(code)
}
