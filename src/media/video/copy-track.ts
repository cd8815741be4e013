/** Copies a stream unchanged, except for metadata that the recipe removes from its header and its frames. */
import {
  AV_CODEC_ID_VORBIS,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_DATA,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import type { CodecParameters, Packet, Stream } from 'node-av/lib'
import { createCopiedClock } from './clocks.ts'
import { type Container, isMatroska, isMp4OrMov, storesTimes } from './container.ts'
import { codecName, mustSucceed } from '../ffmpeg/ffmpeg.ts'
import { type Cleaner, cleanerOf, cleanPacket } from './frame-metadata/clean-frames.ts'
import { isHidden } from './source-file.ts'
import { pixelAspect } from './shown-picture.ts'
import { createPacketTrack, type Track, TrackFailed, type TrackSource } from './track.ts'
import { onlyRotation } from './video-geometry.ts'

/**
 * @param onCopied receives the length of the finished file so far, in seconds
 * @throws TrackFailed later, if the container can't hold the frames as the original shows them, or if their metadata can't be removed
 */
export function createCopyTrack(
  work: TrackSource,
  container: Container,
  onCopied?: (seconds: number) => void,
): Track {
  const { source, start, target } = work
  const isVideoTrack = source.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  const cleaner = cleanerOf(source, work.wanted)
  const stream = describe(work, container, cleaner)
  const timeBase = source.timeBase
  const decodingTime = createCopiedClock(source.codecpar.videoDelay, timeBase.num / timeBase.den)

  const isAudioTrack = source.codecpar.codecType === AVMEDIA_TYPE_AUDIO
  const increase = increasingTimes(container)
  const hasGapBefore = isAudioTrack && !storesTimes(container) ? gapFinder(source) : () => false
  const shown = isVideoTrack ? shownFrames(work, container, stream) : shownAudio(source)
  return createPacketTrack(async (packets) => {
    for await (const packet of packets) {
      if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= start
      if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= start
      for (const next of shown.take(packet)) {
        const { pts } = next
        if (cleaner !== undefined && !cleanPacket(next, cleaner))
          throw new TrackFailed(source, isVideoTrack ? 'videoNotCopyable' : 'audioNotCopyable')
        if (isVideoTrack && pts !== AV_NOPTS_VALUE) next.dts = decodingTime(next)
        else if (isAudioTrack) increase(next)
        if (hasGapBefore(next)) {
          next.free()
          throw new TrackFailed(source, 'audioHasGaps')
        }
        await target.write(next, stream, timeBase)
        if (pts !== AV_NOPTS_VALUE) onCopied?.((Number(pts) * timeBase.num) / timeBase.den)
      }
    }
    shown.end()
  })
}

/** Leaves out what an edit of the original hides, except what decoders need for the shown frames. */
type Shown = {
  /** Takes the next packet of the track. Returns the packets to write, and frees hidden ones. */
  take(packet: Packet): readonly Packet[]
  end(): void
}

function shownFrames({ source, target }: TrackSource, container: Container, stream: Stream): Shown {
  const hidden = createHidden()
  // Only these containers can hide frames at the start and at the end.
  const canHide = isMp4OrMov(container)
  let begin = 0n
  let last: { readonly pts: bigint; readonly dts: bigint } | undefined
  /** Where the shown part ends. Decoders need later packets, but players must not show them. */
  let end: bigint | undefined
  /** Earliest presentation time after all shown frames, among the frames hidden since the last shown packet. */
  let next: bigint | undefined
  const isOutside = ({ pts, dts }: Packet): boolean =>
    last === undefined ? pts < 0n : pts > last.pts && dts > last.dts
  return {
    take(packet) {
      const { pts, dts } = packet
      if (pts === AV_NOPTS_VALUE && source.codecpar.videoDelay > 0)
        throw new TrackFailed(source, 'videoNotCopyable')
      if (isHidden(packet)) {
        if (packet.isKeyframe) hidden.drop()
        hidden.add(packet)
        if (last !== undefined && pts > last.pts) next = earlier(next, pts)
        return []
      }
      next = undefined
      const before = hidden.takeAll()
      const isKept = before.length === 0 || (canHide && before.every(isOutside))
      if (last === undefined) begin = later(0n, (before[0] ?? packet).pts)
      else for (const one of before) end = earlier(end, one.pts)
      if (!isKept || (end !== undefined && pts >= end)) {
        for (const each of [...before, packet]) each.free()
        // Another edit of the source begins here, or this container can't hide frames.
        throw new TrackFailed(source, 'videoNotCopyable')
      }
      last = { pts: last === undefined ? pts : later(last.pts, pts), dts }
      return [...before, packet]
    },
    end() {
      hidden.drop()
      if (end === undefined) return
      target.endTrack(stream, { ticks: earlier(next, end) - begin, timeBase: source.timeBase })
    },
  }
}

const earlier = (one: bigint | undefined, other: bigint): bigint =>
  one === undefined || other < one ? other : one

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Maximum number of packets that encoders add at the start. */
const USUAL_LEAD_IN = 2

/**
 * Returns how much of the hidden audio before the first shown moment is copied. Decoders need some of it to stay in sync. A trimmed video
 * has more hidden audio, but containers other than the original's would count it differently.
 */
function leadIn({ codecId, initialPadding, frameSize }: CodecParameters) {
  // The first packet of Vorbis overlaps with the next one, and has no samples.
  if (codecId === AV_CODEC_ID_VORBIS) return { packets: 1, samples: initialPadding }
  if (frameSize <= 0) return { packets: 0, samples: 0 }
  const hidden = Math.floor(initialPadding / frameSize)
  if (hidden <= USUAL_LEAD_IN) return { packets: Infinity, samples: initialPadding }
  return { packets: 1, samples: initialPadding - (hidden - 1) * frameSize }
}

function shownAudio({ codecpar, index }: Stream): Shown {
  const { packets: most } = leadIn(codecpar)
  const hidden = createHidden()
  let hasShown = false
  return {
    take(packet) {
      if (isHidden(packet)) {
        hidden.add(packet, hasShown ? 1 : most)
        return []
      }
      const before = hidden.takeAll()
      if (!hasShown) {
        hasShown = true
        return [...before, packet]
      }
      for (const each of before) each.free()
      if (codecpar.codecType !== AVMEDIA_TYPE_AUDIO || before.length === 0) return [packet]
      packet.free()
      // The next edit begins within a packet, whose start would be audible.
      throw new TrackFailed({ index }, 'audioNotCopyable')
    },
    end: () => hidden.drop(),
  }
}

/**
 * Creates a function that keeps times in order, because containers reject decreasing times, and the audio of joined recordings may overlap.
 * Packets that are shorter than a tick of the clock, for example TrueHD in Matroska, keep equal times. Moving each to the next tick would
 * make the audio seconds late.
 */
function increasingTimes(container: Container): (packet: Packet) => void {
  // In Matroska, several packets may have the same time.
  const least = isMatroska(container) ? 0n : 1n
  let last: bigint | undefined
  return (packet) => {
    const { dts, duration } = packet
    if (dts === AV_NOPTS_VALUE) return
    if (last !== undefined && dts < last + least) {
      packet.dts = last + (duration > 1n ? duration / 2n : least)
      packet.pts = packet.dts
    }
    last = packet.dts
  }
}

/** Minimum length of a gap. Shorter ones are inaccurate times. The same limit decides where encoded audio gets silence. */
const GAP_SECONDS = 0.1

/** Creates a function that checks whether audio is missing between the previous packet and this one. */
function gapFinder({ timeBase, codecpar }: Stream): (packet: Packet) => boolean {
  const ticks = (seconds: number) => BigInt(Math.round((seconds * timeBase.den) / timeBase.num))
  const usual = ticks(codecpar.frameSize / Math.max(1, codecpar.sampleRate))
  let due: bigint | undefined
  return ({ pts, duration }) => {
    if (pts === AV_NOPTS_VALUE) return false
    const isLate = due !== undefined && pts - due > ticks(GAP_SECONDS)
    due = pts + (duration > 0n ? duration : usual)
    return isLate
  }
}

function createHidden() {
  const packets: Packet[] = []
  return {
    add(packet: Packet, most = Infinity) {
      packets.push(packet)
      while (packets.length > most) packets.shift()?.free()
    },
    takeAll: () => packets.splice(0),
    drop() {
      for (const packet of packets.splice(0)) packet.free()
    },
  }
}

function describe(
  { source, target, metadata }: TrackSource,
  container: Container,
  cleaner: Cleaner | undefined,
): Stream {
  const stream = target.addStream(metadata)
  mustSucceed(source.codecpar.copy(stream.codecpar), 'copied')
  const { extradata } = source.codecpar
  if (cleaner !== undefined && extradata !== null) stream.codecpar.extradata = cleaner.header(extradata)
  stream.codecpar.codecTag = tagOf(source, container)
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition
  if (source.codecpar.codecType === AVMEDIA_TYPE_AUDIO)
    stream.codecpar.initialPadding = leadIn(source.codecpar).samples
  if (source.codecpar.codecType === AVMEDIA_TYPE_VIDEO) {
    stream.avgFrameRate = source.avgFrameRate
    // Muxers refuse a stream whose own ratio differs from the container's.
    stream.sampleAspectRatio = pixelAspect(source)
    stream.codecpar.sampleAspectRatio = pixelAspect(source)
    const matrix = source.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)
    if (matrix !== null && isMatroska(container))
      stream.codecpar.addCodedSideData(AV_PKT_DATA_DISPLAYMATRIX, onlyRotation(matrix))
  }
  return stream
}

/** Tags of ProRes, the only information about its bit depth. */
const PRORES = ['apco', 'apcs', 'apcn', 'apch', 'ap4h', 'ap4x']

/**
 * Returns the four-letter code of the codec. Each container has its own codes.
 * @returns 0 if the muxer may choose
 */
function tagOf(source: Stream, container: Container): string | 0 {
  const { codecTagString: present } = source.codecpar
  if (present !== null && PRORES.includes(present)) return present
  if (isMp4OrMov(container) && codecName(source) === 'hevc') return 'hvc1'
  return source.codecpar.codecType === AVMEDIA_TYPE_DATA ? (present ?? 0) : 0
}
