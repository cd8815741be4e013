/** Decodes every track of a file and returns digests of what comes out. */
import { createHash } from 'node:crypto'
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { avGetPixFmtName, type CodecContext, type Frame } from 'node-av/lib'
import { pixelFormatOf, sampleFormatName } from '../../../src/media/ffmpeg/ffmpeg.ts'
import { decoderOf, framesFrom, openClip, packetsIn } from './open-clip.ts'

export type DecodedTrack = {
  /** FFmpeg's name of the pixel or sample format. */
  readonly format: string
  readonly digest: string
  /** Which field of the frames comes first, if they have any. */
  readonly fields: ReadonlySet<'top' | 'bottom'>
}

/** @returns the video and audio tracks, in file order */
export async function decodedDigests(path: string): Promise<readonly DecodedTrack[]> {
  await using input = await openClip(path)
  const kinds: readonly number[] = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO]
  using stack = new DisposableStack()
  const tracks = new Map<number, ReturnType<typeof digestTrack>>()
  for (const stream of input.streams) {
    if (!kinds.includes(stream.codecpar.codecType)) continue
    tracks.set(stream.index, digestTrack(stack.use(await decoderOf(stream))))
  }
  for (const packet of packetsIn(input)) tracks.get(packet.streamIndex)?.decode(packet)
  return [...tracks.values()].map((track) => track.end())
}

function digestTrack(decoder: CodecContext) {
  const hash = createHash('sha256')
  let format = 'none'
  const fields = new Set<'top' | 'bottom'>()
  const decode = (packet: Parameters<typeof framesFrom>[1]): void => {
    for (const frame of framesFrom(decoder, packet)) {
      format = frame.isVideo() ? (avGetPixFmtName(pixelFormatOf(frame)) ?? '') : sampleFormatName(frame)
      if (frame.isVideo() && frame.hasFlags(AV_FRAME_FLAG_INTERLACED)) fields.add(firstField(frame))
      hash.update(frame.toBuffer())
    }
  }
  return {
    decode,
    end(): DecodedTrack {
      decode(null)
      return { format, digest: hash.digest('hex'), fields }
    },
  }
}

const firstField = (frame: Frame) => (frame.hasFlags(AV_FRAME_FLAG_TOP_FIELD_FIRST) ? 'top' : 'bottom')
