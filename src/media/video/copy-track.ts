/** A stream that goes over as it is. */
import { AV_NOPTS_VALUE, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { createCopiedClock } from './clocks.ts'
import type { Container } from './container.ts'
import { codecName, mustSucceed } from '../ffmpeg/ffmpeg.ts'
import type { TargetFile } from './target-file.ts'
import { createBoundedQueue, type Track } from './track.ts'

export type CopyTrackOptions = {
  readonly source: Stream
  /** What the file's clock shows at its beginning, in the stream's time base. */
  readonly start: bigint
  readonly container: Container
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
  /** @param seconds of the finished file so far */
  onCopied?(seconds: number): void
}

const PACKETS_WAITING = 64

export function createCopyTrack(options: CopyTrackOptions): Track {
  const { source, start, target } = options
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const stream = describe(options)
  const timeBase = source.timeBase
  const isPicture = source.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  const decodingTime = createCopiedClock(source.codecpar.videoDelay, timeBase.num / timeBase.den)

  return {
    take: (packet) => packets.push(packet),
    end: () => packets.end(),
    async run() {
      for (;;) {
        const packet = await packets.take()
        if (packet === undefined) return
        if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= start
        if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= start
        const { pts } = packet
        if (isPicture && pts !== AV_NOPTS_VALUE) packet.dts = decodingTime(packet)
        await target.write(packet, stream, timeBase)
        if (pts !== AV_NOPTS_VALUE) options.onCopied?.((Number(pts) * timeBase.num) / timeBase.den)
      }
    },
    fail(reason) {
      for (const packet of packets.fail(reason)) packet.free()
    },
    free: () => undefined,
  }
}

function describe({ source, target, container, metadata }: CopyTrackOptions): Stream {
  const stream = target.addStream(metadata)
  mustSucceed(source.codecpar.copy(stream.codecpar), 'copied')
  // Each container has four-letter codes of its own; 0 lets the muxer choose.
  const apple = container.muxer === 'mp4' || container.muxer === 'mov'
  stream.codecpar.codecTag = apple && codecName(source) === 'hevc' ? 'hvc1' : 0
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition
  if (source.codecpar.codecType === AVMEDIA_TYPE_VIDEO) {
    stream.avgFrameRate = source.avgFrameRate
    stream.sampleAspectRatio = source.sampleAspectRatio
  }
  return stream
}
