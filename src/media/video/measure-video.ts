/** Measures a video by reading it to its end. */
import { mustSucceed, newFrame, newPacket, nothingNow } from '../ffmpeg/ffmpeg.ts'
import { silence } from './process-video.ts'
import { slotAt } from './clocks.ts'
import { isHidden, openSourceFile } from './source-file.ts'
import { openVideoDecoder } from './video-codecs.ts'
import { displayedExtent } from './shown-picture.ts'

/**
 * Counts the frames of a video and measures its length.
 * @param decoding whether every frame of the main track is decoded; otherwise, its packets are counted
 * @param mostPerSecond maximum number of packets to count per second
 * @throws FailureError if the video can't be read, or if any of its frames can't be decoded
 */
export async function measureVideo(
  path: string,
  { decoding, mostPerSecond }: { readonly decoding: boolean; readonly mostPerSecond?: number | undefined },
  signal: AbortSignal,
) {
  silence()
  await using source = await openSourceFile(path, signal)
  source.readOnlyVideo()
  await using opened = new AsyncDisposableStack()
  const decoder = decoding ? opened.use(await openVideoDecoder(source.video)) : undefined
  using packet = newPacket()
  using frame = newFrame()
  const slots = new Set<number>()
  let [frames, seconds] = [0, 0]

  async function receiveAll(receive: () => number | Promise<number>): Promise<void> {
    for (;;) {
      const code = await receive()
      if (code < 0) {
        if (!nothingNow(code)) mustSucceed(code, 'decoded')
        return
      }
      frames += 1
      frame.unref()
    }
  }

  while (await source.read(packet)) {
    signal.throwIfAborted()
    if (packet.streamIndex === source.video.index) {
      const { from = NaN, to = 0 } = source.spanOf(packet) ?? {}
      seconds = Math.max(seconds, to)
      if (decoder !== undefined) {
        mustSucceed(await decoder.sendPacket(packet), 'decoded')
        await receiveAll(() => decoder.receiveFrameSync(frame))
      } else if (!isHidden(packet)) {
        frames += 1
        slots.add(slotAt(from, mostPerSecond ?? 0))
      }
    }
    packet.unref()
  }
  await decoder?.sendPacket(null)
  if (decoder !== undefined) await receiveAll(() => decoder.receiveFrame(frame))
  const counted = mostPerSecond === undefined || decoding ? frames : slots.size
  return { ...displayedExtent(source.video), frames: counted, seconds }
}
