/** Copies a stream unchanged. */
import { AV_NOPTS_VALUE, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { createCopiedClock } from './clocks.ts'
import type { Container } from './container.ts'
import { codecName, mustSucceed } from '../ffmpeg/ffmpeg.ts'
import { createPacketTrack, type Track, type TrackSource } from './track.ts'

/** @param onCopied receives the seconds of the finished file so far */
export function createCopyTrack(
  work: TrackSource,
  container: Container,
  onCopied?: (seconds: number) => void,
): Track {
  const { source, start, target } = work
  const stream = describe(work, container)
  const timeBase = source.timeBase
  const isVideoTrack = source.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  const decodingTime = createCopiedClock(source.codecpar.videoDelay, timeBase.num / timeBase.den)

  return createPacketTrack(async (packets) => {
    for await (const packet of packets) {
      if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= start
      if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= start
      const { pts } = packet
      if (isVideoTrack && pts !== AV_NOPTS_VALUE) packet.dts = decodingTime(packet)
      await target.write(packet, stream, timeBase)
      if (pts !== AV_NOPTS_VALUE) onCopied?.((Number(pts) * timeBase.num) / timeBase.den)
    }
  })
}

function describe({ source, target, metadata }: TrackSource, container: Container): Stream {
  const stream = target.addStream(metadata)
  mustSucceed(source.codecpar.copy(stream.codecpar), 'copied')
  // Each container has its own four-letter codes; 0 lets the muxer choose.
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
