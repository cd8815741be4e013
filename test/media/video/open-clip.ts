/** Reads files packet by packet and frame by frame, with the FFmpeg libraries that the app uses. */
import {
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  type Frame,
  type Packet,
  type Stream,
} from 'node-av/lib'
import { newFrame, newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

export function check(code: number): void {
  FFmpegError.throwIfError(code)
}

export async function openClip(path: string): Promise<FormatContext> {
  const input = new FormatContext()
  check(await input.openInput(`file:${path}`))
  check(await input.findStreamInfo())
  return input
}

/** Yields all packets of a file. Each is freed when the next one is requested. */
export function* packetsIn(input: FormatContext): Generator<Packet, void> {
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) return
    yield packet
  }
}

export async function decoderOf({ codecpar, timeBase }: Stream): Promise<CodecContext> {
  const codec = Codec.findDecoder(codecpar.codecId)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  check(decoder.parametersToContext(codecpar))
  decoder.pktTimebase = timeBase
  check(await decoder.open2(codec))
  return decoder
}

/**
 * Decodes a packet and yields the frames that are ready. Each is freed when the next one is requested.
 * @param packet null at the end of the track
 */
export function* framesFrom(decoder: CodecContext, packet: Packet | null): Generator<Frame, void> {
  decoder.sendPacketSync(packet)
  for (;;) {
    using frame = newFrame()
    if (decoder.receiveFrameSync(frame) < 0) return
    yield frame
  }
}

type Clock = { readonly timeBase: { readonly num: number; readonly den: number } }

/** Returns the packet's time in seconds. */
export const secondsOf = ({ pts }: Packet, { timeBase: { num, den } }: Clock): number =>
  (Number(pts) * num) / den
