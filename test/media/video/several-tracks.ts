/** Makes a file with several audio tracks, which all have the same sound. */
import {
  type AVDisposition,
  type AVPacketSideDataType,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { Dictionary, FFmpegError, FormatContext, type Stream } from 'node-av/lib'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

export type Marks = {
  readonly tags?: Readonly<Record<string, string>>
  readonly disposition?: AVDisposition
  /** Leaves out packets by their times in seconds. Default: keeps all. */
  readonly keeps?: (seconds: number) => boolean
}

/** @param sourcePath a file with a picture and a sound */
export async function makeTracks(
  sourcePath: string,
  path: string,
  audio: readonly Marks[],
  view?: { readonly type: AVPacketSideDataType; readonly data: Buffer },
  picture: Marks = {},
): Promise<void> {
  await using input = new FormatContext()
  check(await input.openInput(`file:${sourcePath}`))
  check(await input.findStreamInfo())
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${path}`))
  check(await output.openOutput())
  const kept = new Map<Stream, (seconds: number) => boolean>()
  const add = (source: Stream, { tags = {}, disposition, keeps = () => true }: Marks): Stream => {
    const stream = output.newStream()
    check(source.codecpar.copy(stream.codecpar))
    stream.codecpar.codecTag = 0
    stream.metadata = Dictionary.fromObject({ ...tags })
    if (disposition !== undefined) stream.disposition = disposition
    kept.set(stream, keeps)
    stream.timeBase = source.timeBase
    return stream
  }
  const targets = new Map<number, readonly Stream[]>()
  for (const source of input.streams) {
    const { codecType } = source.codecpar
    if (codecType === AVMEDIA_TYPE_VIDEO) targets.set(source.index, [add(source, picture)])
    if (codecType === AVMEDIA_TYPE_AUDIO)
      targets.set(
        source.index,
        audio.map((marks) => add(source, marks)),
      )
  }
  if (view !== undefined) output.streams[0]?.codecpar.addCodedSideData(view.type, view.data)
  using options = Dictionary.fromObject({ default_mode: 'passthrough', strict: 'unofficial' })
  check(await output.writeHeader(options))
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    const source = input.streams[packet.streamIndex]
    for (const stream of targets.get(packet.streamIndex) ?? []) {
      using copy = packet.clone()
      if (copy === null || source === undefined) continue
      const seconds = (Number(copy.pts) * source.timeBase.num) / source.timeBase.den
      if (kept.get(stream)?.(seconds) === false) continue
      copy.rescaleTs(source.timeBase, stream.timeBase)
      copy.streamIndex = stream.index
      check(output.interleavedWriteFrameSync(copy))
    }
  }
  check(await output.writeTrailer())
}

function check(code: number): void {
  FFmpegError.throwIfError(code)
}
