/** The file that is being written. Packets of all tracks come in as they are ready and go out in the order of time. */
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_VIDEO,
  type AVCodecFlag,
} from 'node-av/constants'
import { Dictionary, FormatContext, type IRational, type Packet, type Stream } from 'node-av/lib'
import type { Container } from './container.ts'
import { turnOfDisplayMatrix } from './picture-geometry.ts'
import { mustSucceed, withOptions } from '../ffmpeg/ffmpeg.ts'

/** All containers written here want the codec's header once, in front. */
export const ENCODER_FLAGS: AVCodecFlag = AV_CODEC_FLAG_GLOBAL_HEADER

export type TargetFile = {
  /** To be called for every track before `begin`. */
  addStream(metadata: Readonly<Record<string, string>>): Stream
  /** All tracks are described: writes the header, and then what has waited for it. */
  begin(): Promise<void>
  /** Takes the packet over. Times are in `timeBase`. Resolves when it is written, or kept until `begin`. */
  write(packet: Packet, stream: Stream, timeBase: IRational): Promise<void>
  /** How many bytes of pictures were written. */
  pictureBytes(): number
  /** As the picture is shown; once it is described. */
  pictureSize(): { readonly width: number; readonly height: number }
  /** Writes the index, in front where the container can have it there. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** @param path where nothing is yet */
export async function createTargetFile(
  path: string,
  container: Container,
  metadata: Readonly<Record<string, string>>,
): Promise<TargetFile> {
  const context = new FormatContext()
  mustSucceed(context.allocOutputContext2(null, container.muxer, `file:${path}`), 'written')
  context.metadata = Dictionary.fromObject({ ...metadata })
  mustSucceed(await context.openOutput(), 'written')
  const waiting: (() => Promise<void>)[] = []
  let begun = false
  let pictureBytes = 0
  let lastWrite: Promise<void> = Promise.resolve()

  const writeNow = async (packet: Packet, stream: Stream, timeBase: IRational): Promise<void> => {
    packet.rescaleTs(timeBase, stream.timeBase)
    packet.streamIndex = stream.index
    if (stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO) pictureBytes += packet.size
    const code = await context.interleavedWriteFrame(packet)
    packet.free()
    mustSucceed(code, 'written')
  }
  // The muxer is one thing that several tracks use: one call at a time, in the order of asking.
  const inTurn = (action: () => Promise<void>): Promise<void> => {
    lastWrite = lastWrite.then(action)
    return lastWrite
  }

  return {
    addStream(streamMetadata) {
      const stream = context.newStream()
      stream.metadata = Dictionary.fromObject({ ...streamMetadata })
      return stream
    },
    async begin() {
      await inTurn(async () => {
        const code = await withOptions(muxerOptions(container), (options) => context.writeHeader(options))
        mustSucceed(code, 'written')
      })
      begun = true
      for (const action of waiting.splice(0)) void inTurn(action)
      await lastWrite
    },
    async write(packet, stream, timeBase) {
      const action = () => writeNow(packet, stream, timeBase)
      if (!begun) waiting.push(action)
      else await inTurn(action)
    },
    pictureBytes: () => pictureBytes,
    pictureSize() {
      const picture = context.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
      const { width = 0, height = 0 } = picture?.codecpar ?? {}
      const matrix = picture?.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) ?? null
      return turnOfDisplayMatrix(matrix).swapsSides ? { width: height, height: width } : { width, height }
    },
    finish: () => inTurn(async () => mustSucceed(await context.writeTrailer(), 'written')),
    async close() {
      await lastWrite.catch(() => undefined)
      await context.closeOutput()
      context.freeContext()
    },
  }
}

function muxerOptions(container: Container): Record<string, string> {
  // Over and over, as people know moving pictures.
  if (container.muxer === 'webp') return { loop: '0' }
  const hasIndex = container.muxer === 'mp4' || container.muxer === 'mov'
  return hasIndex ? { movflags: '+faststart' } : {}
}
