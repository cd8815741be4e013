/** Measures a video by reading it to its end. */
import { mustSucceed, newFrame, newPacket, nothingNow } from '../ffmpeg/ffmpeg.ts'
import type { Extent } from '../image/geometry.ts'
import { silence } from './process-video.ts'
import { isHidden, openSourceFile, type SourceFile } from './source-file.ts'
import { openVideoDecoder } from './video-codecs.ts'
import { displayedExtent } from './shown-picture.ts'

export type MeasuredVideo = Extent & {
  readonly frames: number
  /** From the start of the file to the end of the last frame. */
  readonly seconds: number
}

/**
 * @param by `frames` decodes every frame of the main track; `packets` only counts its packets
 * @throws FailureError if the video can't be read, or if any of its frames can't be decoded
 */
export async function measureVideo(
  path: string,
  by: 'frames' | 'packets',
  signal: AbortSignal,
): Promise<MeasuredVideo> {
  silence()
  await using source = await openSourceFile(path, signal)
  source.readOnlyVideo()
  const { frames, seconds } =
    by === 'frames' ? await decodeAll(source, signal) : await countAll(source, signal)
  return { ...displayedExtent(source.video), frames, seconds }
}

type Counted = Pick<MeasuredVideo, 'frames' | 'seconds'>

async function countAll(source: SourceFile, signal: AbortSignal): Promise<Counted> {
  using packet = newPacket()
  const counted = { frames: 0, seconds: 0 }
  while (await source.read(packet)) {
    signal.throwIfAborted()
    if (packet.streamIndex === source.video.index && !isHidden(packet)) {
      counted.frames += 1
      counted.seconds = Math.max(counted.seconds, source.spanOf(packet)?.to ?? 0)
    }
    packet.unref()
  }
  return counted
}

async function decodeAll(source: SourceFile, signal: AbortSignal): Promise<Counted> {
  using decoder = await openVideoDecoder(source.video)
  using packet = newPacket()
  using frame = newFrame()
  const counted = { frames: 0, seconds: 0 }

  async function receiveAll(receive: () => number | Promise<number>): Promise<void> {
    for (;;) {
      const code = await receive()
      if (code < 0) {
        if (!nothingNow(code)) mustSucceed(code, 'decoded')
        return
      }
      counted.frames += 1
      frame.unref()
    }
  }

  while (await source.read(packet)) {
    signal.throwIfAborted()
    if (packet.streamIndex === source.video.index) {
      counted.seconds = Math.max(counted.seconds, source.spanOf(packet)?.to ?? 0)
      mustSucceed(await decoder.sendPacket(packet), 'decoded')
      await receiveAll(() => decoder.receiveFrameSync(frame))
    }
    packet.unref()
  }
  await decoder.sendPacket(null)
  await receiveAll(() => decoder.receiveFrame(frame))
  return counted
}
