/** Writes the output file. Accepts packets of all tracks in any order and writes them in timestamp order. */
import { type Extent, turnedExtent } from '../../shared/extent.ts'
import { appendFile } from 'node:fs/promises'
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_VIDEO,
  type AVCodecFlag,
} from 'node-av/constants'
import { Dictionary, FormatContext, type IRational, type Packet, type Stream } from 'node-av/lib'
import { type Container, isMatroska } from './container.ts'
import { matroskaChapters } from './matroska-chapters.ts'
import { changeTracks, OFF, turnOff } from './matroska-tracks.ts'
import { appendToSegment } from './matroska-segment.ts'
import {
  addToIndex,
  type FileContents,
  type Mp4Additions,
  planAdditions,
  reserveSpace,
  writeTitles,
} from './mp4-additions.ts'
import { LANGUAGE_TAG, roomForTag, splitLanguages } from './language-tags.ts'
import { holdsFileBoxes } from './mp4-file-boxes.ts'
import { markTracks, marksOf, type TrackLength, type TrackMarks } from './mp4-track-marks.ts'
import { isCover } from './source-file.ts'
import { REGION } from './subtitle-regions.ts'
import { rotationOfDisplayMatrix } from './video-geometry.ts'
import { mustSucceed, withOptions } from '../ffmpeg/ffmpeg.ts'

/** Writes the codec's header only once, at the start, because all of Mediatray's containers need it there. */
export const ENCODER_FLAGS: AVCodecFlag = AV_CODEC_FLAG_GLOBAL_HEADER

export type TargetFile = Awaited<ReturnType<typeof createTargetFile>>

/** @param path of the file, which must not exist yet */
export async function createTargetFile(path: string, container: Container, contents: FileContents) {
  const context = new FormatContext()
  /** Languages of the streams whose three-letter codes aren't precise enough. */
  const tags = new Map<number, string>()
  const regions = new Map<number, string>()
  const areOff = new Set<number>()
  const lengths = new Map<number, TrackLength>()
  mustSucceed(context.allocOutputContext2(null, container.muxer, `file:${path}`), 'written')
  context.metadata = Dictionary.fromObject({ ...contents.metadata })
  mustSucceed(await context.openOutput(), 'written')
  const waiting: (() => Promise<void>)[] = []
  let begun = false
  let videoBytes = 0
  let lastWrite: Promise<void> = Promise.resolve()
  let additions: Mp4Additions | undefined
  let marks: ReadonlyMap<number, TrackMarks> | undefined
  const filled = new Set<number>()

  const writeNow = async (packet: Packet, stream: Stream, timeBase: IRational): Promise<void> => {
    packet.rescaleTs(timeBase, stream.timeBase)
    packet.streamIndex = stream.index
    // A cover becomes a tag, not a track.
    if (!isCover(stream)) {
      filled.add(stream.index)
      if (stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO) videoBytes += packet.size
    }
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

  const videoSize = (): Extent => {
    const video = context.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
    const { width = 0, height = 0 } = video?.codecpar ?? {}
    const matrix = video?.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX) ?? null
    return turnedExtent({ width, height }, rotationOfDisplayMatrix(matrix).swapsSides)
  }

  return {
    /** Add all tracks before you call `begin`. */
    addStream(streamMetadata: Readonly<Record<string, string>>): Stream {
      const stream = context.newStream()
      const { [LANGUAGE_TAG]: tag, [REGION]: region, [OFF]: off, ...plain } = streamMetadata
      const { title, language } = plain
      // Many players show the handler's name instead of the track's title.
      const named = title !== undefined && isMp4(container) ? { handler_name: title } : {}
      stream.metadata = Dictionary.fromObject({ ...plain, ...named, ...spoken(language, tag, container) })
      if (tag !== undefined) tags.set(stream.index, tag)
      if (region !== undefined) regions.set(stream.index, region)
      if (off !== undefined) areOff.add(stream.index)
      return stream
    },
    /** Writes the header, then all packets held until now. Call this when the parameters of all tracks are known. */
    async begin(): Promise<void> {
      await inTurn(async () => {
        if (isMp4(container)) {
          additions = planAdditions(container.muxer, contents, context.streams, tags)
          marks = new Map(
            context.streams.map((stream) => [stream.index, marksOf(stream, regions.get(stream.index))]),
          )
        }
        const reserved = additions && reserveSpace(context, additions)
        const code = await withOptions(muxerOptions(container), (options) => context.writeHeader(options))
        mustSucceed(code, 'written')
        if (additions && reserved) await writeTitles(context, reserved, additions)
      })
      begun = true
      for (const action of waiting.splice(0)) void inTurn(action)
      await lastWrite
    },
    /**
     * Takes ownership of the packet. Resolves when the packet is written or, before `begin`, held.
     * @param timeBase of the packet's times
     */
    async write(packet: Packet, stream: Stream, timeBase: IRational): Promise<void> {
      const action = () => writeNow(packet, stream, timeBase)
      if (!begun) waiting.push(action)
      else await inTurn(action)
    },
    /** Hides the frames after this length. Has an effect only in MP4 and QuickTime. */
    endTrack(stream: Stream, length: TrackLength): void {
      lengths.set(stream.index, length)
    },
    videoBytes: () => videoBytes,
    /** Returns the upright dimensions of the video track, once its parameters are known. Ignores the pixel aspect ratio. */
    videoSize,
    /** Writes the index and everything that FFmpeg's muxer can't write. In MP4, MOV and M4A files, the index is at the front. */
    async finish(): Promise<void> {
      await inTurn(async () => mustSucceed(await context.writeTrailer(), 'written'))
      const size = videoSize()
      await close()
      const streams = [...filled].toSorted((one, other) => one - other)
      if (additions !== undefined) await addToIndex(path, additions, streams)
      if (marks !== undefined)
        await markTracks(
          path,
          streams.flatMap((index) => {
            const known = marks?.get(index)
            return known === undefined ? [] : { ...known, length: lengths.get(index) }
          }),
          size,
        )
      if (isMatroska(container) && tags.size > 0) await splitLanguages(path)
      if (isMatroska(container) && areOff.size > 0)
        await changeTracks(path, (tracks) => tracks.filter((_, index) => areOff.has(index)).forEach(turnOff))
      const { chapters, tags: fileTags, fileBoxes } = contents
      if (holdsFileBoxes(container) && fileBoxes.length > 0) await appendFile(path, Buffer.concat(fileBoxes))
      const parts = [
        ...(chapters.list.length === 0 ? [] : [matroskaChapters(chapters)]),
        ...(fileTags === undefined ? [] : [fileTags]),
      ]
      if (isMatroska(container) && parts.length > 0) await appendToSegment(path, parts)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await lastWrite.catch(() => undefined)
      await close()
      context.freeContext()
    },
  }
}

/** Languages with two codes in ISO 639-2: the bibliographic one, for Matroska, and the terminological one, for MP4. */
const PAIRS =
  'alb:sqi arm:hye baq:eus bur:mya chi:zho cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string])

const TERMINOLOGY = new Map(PAIRS)
const BIBLIOGRAPHY = new Map(PAIRS.map(([one, other]) => [other, one]))

function spoken(language = 'und', tag: string | undefined, container: Container) {
  if (language === 'und' && tag === undefined) return {}
  if (!isMatroska(container)) return { language: TERMINOLOGY.get(language) ?? language }
  const code = BIBLIOGRAPHY.get(language) ?? language
  return { language: tag === undefined ? code : roomForTag(code, tag) }
}

const isMp4 = ({ muxer }: Container): boolean => ['mp4', 'mov', 'ipod'].includes(muxer)

function muxerOptions(container: Container): Record<string, string> {
  // Loop forever, as users expect of animated images.
  if (container.muxer === 'webp') return { loop: '0' }
  // FFmpeg writes 360°, stereo 3D and Dolby Vision only with this.
  const strict = 'unofficial'
  if (isMp4(container)) return { strict, movflags: '+faststart' }
  // Otherwise FFmpeg marks the first track of a kind as the default one if none is.
  return isMatroska(container) ? { strict, default_mode: 'passthrough' } : {}
}
