/** Encodes frames to packets, in software or hardware. */
import type { CodecContext, Frame, IRational, Packet } from 'node-av/lib'
import { requireShape, type TimedFrame } from '../ffmpeg/filter-chain.ts'

export type VideoEncoder = Disposable & {
  readonly context: CodecContext
  /**
   * Sends a frame, which the caller still owns. `null` ends the video.
   * @returns FFmpeg's code
   */
  send(frame: Frame | null): Promise<number>
  /** Receives a packet on this thread. Call it after sending a frame, when packets are ready. */
  receiveNow(packet: Packet): number
  receive(packet: Packet): Promise<number>
}

/** @throws if the encoder isn't available, or doesn't accept frames like the first one */
export type OpenEncoder = (first: TimedFrame, rate: IRational) => Promise<VideoEncoder>

export function encoderOver(context: CodecContext): VideoEncoder {
  const { width, height, pixelFormat: format } = context
  return {
    context,
    async send(frame) {
      if (frame !== null) requireShape(frame, { width, height, format })
      return context.sendFrame(frame)
    },
    receiveNow: (packet) => context.receivePacketSync(packet),
    receive: (packet) => context.receivePacket(packet),
    [Symbol.dispose]: () => context.freeContext(),
  }
}
