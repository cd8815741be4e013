/** Decodes an encoded sample, to measure its visual quality or to preview it. */
import { Codec, type Frame } from 'node-av/lib'
import { mustSucceed, newFrame, openDecoder } from '../ffmpeg/ffmpeg.ts'
import { decoderThreads } from './codec-threads.ts'
import type { EncodedSample } from './sample.ts'

/** @param take receives each frame in presentation order; the frame is freed afterwards */
export async function decodeSample(
  encoded: Pick<EncodedSample, 'packets' | 'parameters'>,
  take: (frame: Frame) => void | Promise<void>,
): Promise<void> {
  const codec = Codec.findDecoder(encoded.parameters.codecId)
  if (codec === null) throw new Error('There is no decoder for the encoded sample')
  using decoder = await openDecoder(codec, encoded.parameters, { threads: decoderThreads() })
  const takeReady = async (receive: (frame: Frame) => number | Promise<number>): Promise<void> => {
    for (;;) {
      using frame = newFrame()
      if ((await receive(frame)) < 0) return
      await take(frame)
    }
  }
  for (const packet of encoded.packets) {
    mustSucceed(await decoder.sendPacket(packet), 'decoded')
    await takeReady((frame) => decoder.receiveFrameSync(frame))
  }
  await decoder.sendPacket(null)
  await takeReady((frame) => decoder.receiveFrame(frame))
}
