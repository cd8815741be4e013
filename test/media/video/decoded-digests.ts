/** Decodes every track of a file and returns digests of what comes out. */
import { createHash } from 'node:crypto'
import {
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { avGetPixFmtName, Codec, CodecContext, FFmpegError, FormatContext, type Frame } from 'node-av/lib'
import { newFrame, newPacket, pixelFormatOf, sampleFormatName } from '../../../src/media/ffmpeg/ffmpeg.ts'

export type DecodedTrack = {
  /** FFmpeg's name of the pixel or sample format. */
  readonly format: string
  readonly digest: string
  /** Which field of the frames comes first, if they have any. */
  readonly fields: ReadonlySet<'top' | 'bottom'>
}

/** @returns the video and audio tracks, in file order */
export async function decodedDigests(path: string): Promise<readonly DecodedTrack[]> {
  await using input = new FormatContext()
  FFmpegError.throwIfError(await input.openInput(`file:${path}`))
  FFmpegError.throwIfError(await input.findStreamInfo())
  const kinds: readonly number[] = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO]
  using stack = new DisposableStack()
  const tracks = new Map<number, ReturnType<typeof digestTrack>>()
  for (const stream of input.streams) {
    if (!kinds.includes(stream.codecpar.codecType)) continue
    const codec = Codec.findDecoder(stream.codecpar.codecId)
    const decoder = stack.use(new CodecContext())
    decoder.allocContext3(codec)
    FFmpegError.throwIfError(decoder.parametersToContext(stream.codecpar))
    FFmpegError.throwIfError(await decoder.open2(codec))
    tracks.set(stream.index, digestTrack(decoder))
  }
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    tracks.get(packet.streamIndex)?.decode(packet)
  }
  return [...tracks.values()].map((track) => track.end())
}

function digestTrack(decoder: CodecContext) {
  const hash = createHash('sha256')
  let format = 'none'
  const fields = new Set<'top' | 'bottom'>()
  const decode = (packet: Parameters<CodecContext['sendPacketSync']>[0]): void => {
    decoder.sendPacketSync(packet)
    for (;;) {
      using frame = newFrame()
      if (decoder.receiveFrameSync(frame) < 0) return
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
