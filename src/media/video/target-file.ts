/** Writes the output file. Accepts packets of all tracks in any order and writes them in timestamp order. */
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_VIDEO,
  type AVCodecFlag,
} from 'node-av/constants'
import { Dictionary, FormatContext, type IRational, type Packet, type Stream } from 'node-av/lib'
import type { Container } from './container.ts'
import type { Chapters } from './chapters.ts'
import { appendMatroskaChapters } from './matroska-chapters.ts'
import { addToIndex, type Mp4Additions, reserveSpace, writeTitles } from './mp4-additions.ts'
import { rotationOfDisplayMatrix } from './video-geometry.ts'
import { mustSucceed, withOptions } from '../ffmpeg/ffmpeg.ts'

/** Writes the codec's header only once, at the start, because all of Mediatray's containers need it there. */
export const ENCODER_FLAGS: AVCodecFlag = AV_CODEC_FLAG_GLOBAL_HEADER

export type TargetFile = AsyncDisposable & {
  /** Adds a track. Add all tracks before you call `begin`. */
  addStream(metadata: Readonly<Record<string, string>>): Stream
  /** Writes the header, then all packets held until now. Call this when the parameters of all tracks are known. */
  begin(): Promise<void>
  /**
   * Takes ownership of the packet. Resolves when the packet is written or, before `begin`, held.
   * @param timeBase of the packet's times
   */
  write(packet: Packet, stream: Stream, timeBase: IRational): Promise<void>
  /** Returns the number of bytes written for the video track. */
  videoBytes(): number
  /** Returns the displayed size of the video track, once its parameters are known. */
  videoSize(): { readonly width: number; readonly height: number }
  /** Writes the index. Puts it at the front if the container supports that. */
  finish(): Promise<void>
}

/** What belongs to the whole file rather than to a track. */
export type FileContents = {
  readonly metadata: Readonly<Record<string, string>>
  readonly chapters: Chapters
}

/** @param path path of the file to create, which must not exist yet */
export async function createTargetFile(
  path: string,
  container: Container,
  { metadata, chapters }: FileContents,
): Promise<TargetFile> {
  const context = new FormatContext()
  mustSucceed(context.allocOutputContext2(null, container.muxer, `file:${path}`), 'written')
  context.metadata = Dictionary.fromObject({ ...metadata })
  mustSucceed(await context.openOutput(), 'written')
  const waiting: (() => Promise<void>)[] = []
  let begun = false
  let videoBytes = 0
  let lastWrite: Promise<void> = Promise.resolve()
  const additions: Mp4Additions | undefined = isMp4(container) ? { chapters: chapters.list } : undefined

  const writeNow = async (packet: Packet, stream: Stream, timeBase: IRational): Promise<void> => {
    packet.rescaleTs(timeBase, stream.timeBase)
    packet.streamIndex = stream.index
    if (stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO) videoBytes += packet.size
    const code = await context.interleavedWriteFrame(packet)
    packet.free()
    mustSucceed(code, 'written')
  }
  // Several tracks share the muxer, so calls run one at a time, in order.
  const inTurn = (action: () => Promise<void>): Promise<void> => {
    lastWrite = lastWrite.then(action)
    return lastWrite
  }

  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await context.closeOutput()
    isOpen = false
  }

  return {
    addStream(streamMetadata) {
      const stream = context.newStream()
      stream.metadata = Dictionary.fromObject({ ...streamMetadata })
      return stream
    },
    async begin() {
      await inTurn(async () => {
        const reserved = additions && reserveSpace(context, additions)
        const code = await withOptions(muxerOptions(container), (options) => context.writeHeader(options))
        mustSucceed(code, 'written')
        if (additions && reserved) await writeTitles(context, reserved, additions)
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
    videoBytes: () => videoBytes,
    videoSize() {
      const video = context.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
      const { width = 0, height = 0 } = video?.codecpar ?? {}
      const matrix = video?.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) ?? null
      return rotationOfDisplayMatrix(matrix).swapsSides ? { width: height, height: width } : { width, height }
    },
    async finish() {
      await inTurn(async () => mustSucceed(await context.writeTrailer(), 'written'))
      await close()
      if (additions !== undefined) await addToIndex(path, additions)
      if (isMatroska(container) && chapters.list.length > 0) await appendMatroskaChapters(path, chapters)
    },
    async [Symbol.asyncDispose]() {
      await lastWrite.catch(() => undefined)
      await close()
      context.freeContext()
    },
  }
}

const isMp4 = ({ muxer }: Container): boolean => ['mp4', 'mov', 'ipod'].includes(muxer)
const isMatroska = ({ muxer }: Container): boolean => muxer === 'matroska' || muxer === 'webm'

function muxerOptions(container: Container): Record<string, string> {
  // Loop forever, as users expect of animated images.
  if (container.muxer === 'webp') return { loop: '0' }
  return isMp4(container) ? { movflags: '+faststart' } : {}
}
