/** What an encoder has made of a sample, as a decoder shows it. */
import { Codec, CodecContext, type Frame } from 'node-av/lib'
import { mustSucceed } from '../ffmpeg/ffmpeg.ts'
import { newFrame } from './picture-stages.ts'
import type { EncodedSample } from './sample.ts'

/** @param take gets each picture in the order of time; it is freed afterwards */
export async function decodeSample(
  encoded: Pick<EncodedSample, 'packets' | 'parameters'>,
  take: (frame: Frame) => void | Promise<void>,
): Promise<void> {
  const decoder = await openDecoder(encoded)
  const takeReady = async (receive: (frame: Frame) => number | Promise<number>): Promise<void> => {
    for (;;) {
      const frame = newFrame()
      try {
        if ((await receive(frame)) < 0) return
        await take(frame)
      } finally {
        frame.free()
      }
    }
  }
  try {
    for (const packet of encoded.packets) {
      mustSucceed(await decoder.sendPacket(packet), 'decoded')
      await takeReady((frame) => decoder.receiveFrameSync(frame))
    }
    await decoder.sendPacket(null)
    await takeReady((frame) => decoder.receiveFrame(frame))
  } finally {
    decoder.freeContext()
  }
}

async function openDecoder({ parameters }: Pick<EncodedSample, 'parameters'>): Promise<CodecContext> {
  const codec = Codec.findDecoder(parameters.codecId)
  if (codec === null) throw new Error('There is no decoder for what was encoded')
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(parameters), 'decoded')
  decoder.threadCount = 0
  mustSucceed(await decoder.open2(codec), 'decoded')
  return decoder
}
