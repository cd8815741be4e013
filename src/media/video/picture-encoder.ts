/** What makes packets of pictures, in software or on a chip. */
import type { CodecContext, Frame, IRational, Packet } from 'node-av/lib'

export type PictureEncoder = {
  /** What the packets will be like. */
  readonly context: CodecContext
  /** The picture stays the caller's. `null` ends the film. @returns FFmpeg's code */
  send(frame: Frame | null): Promise<number>
  /** What is ready after a picture went in, without a change of threads. */
  receiveNow(packet: Packet): number
  receive(packet: Packet): Promise<number>
  free(): void
}

export type FirstPicture = { readonly frame: Frame; readonly timeBase: IRational }

/** @throws where there is no such encoder, or it doesn't take pictures like the first one */
export type OpenEncoder = (first: FirstPicture, rate: IRational) => Promise<PictureEncoder>

export const encoderOver = (context: CodecContext): PictureEncoder => ({
  context,
  send: (frame) => context.sendFrame(frame),
  receiveNow: (packet) => context.receivePacketSync(packet),
  receive: (packet) => context.receivePacket(packet),
  free: () => context.freeContext(),
})
