/** Surveys a video's packets in one pass over the file, without decoding. */
import { AV_PKT_FLAG_KEY } from 'node-av/constants'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import type { SampleWindow } from './sample.ts'
import { isHidden, type SourceFile } from './source-file.ts'

export type Survey = Awaited<ReturnType<typeof surveyVideo>>

type SurveyedFrame = {
  /** Presentation time. */
  readonly seconds: number
  readonly bytes: number
  /** Whether the frame is a keyframe, which takes many more bytes than other frames. */
  readonly alone: boolean
}

/** Reads the source to its end. */
export async function surveyVideo(source: SourceFile, signal: AbortSignal) {
  using packet = newPacket()
  const frames: SurveyedFrame[] = []
  const audioStreams = new Set(source.audioStreams.map(({ index }) => index))
  let seconds = 0
  let audioBytes = 0
  let mainAudioBytes = 0
  while (await source.read(packet)) {
    signal.throwIfAborted()
    if (packet.streamIndex === source.video.index) {
      const span = source.spanOf(packet)
      const alone = packet.hasFlags(AV_PKT_FLAG_KEY)
      if (!isHidden(packet)) frames.push({ seconds: span?.from ?? seconds, bytes: packet.size, alone })
      seconds = Math.max(seconds, span?.to ?? 0)
    } else if (audioStreams.has(packet.streamIndex)) audioBytes += packet.size
    if (packet.streamIndex === source.mainAudio?.index) mainAudioBytes += packet.size
    packet.unref()
  }
  return {
    /** Seconds from the start of the file to the end of the last frame. */
    seconds,
    /** In presentation order. */
    frames: frames.toSorted((one, other) => one.seconds - other.seconds),
    audioBytes,
    audioTracks: audioStreams.size,
    mainAudioBytes,
  }
}

/** Length of a sample: short enough to encode quickly, long enough for an encoder's bit rate to stabilize. */
const SAMPLE_SECONDS = 1
const SAMPLES = 3
const MIN_FRAMES = 8

/**
 * Chooses representative samples: one from each third of the video.
 * Returns the whole video if it is affordable, or a single sample if three would be too short.
 * @param where `busy` picks the section of each third with the most bytes, which usually has the most motion; `even` picks the
 * middle of each third
 * @param affordable maximum number of frames in all samples together; less than `MIN_FRAMES` counts as `MIN_FRAMES`; less than `MIN_FRAMES` counts as `MIN_FRAMES`
 */
export function sampleWindows(
  { seconds, frames }: Survey,
  where: 'busy' | 'even',
  affordable: number,
): readonly SampleWindow[] {
  if (frames.length <= affordable) return [{ start: 0, frames: frames.length }]
  const rate = frames.length / Math.max(seconds, Number.EPSILON)
  const samples = affordable < SAMPLES * MIN_FRAMES ? 1 : SAMPLES
  const count = Math.round(Math.max(MIN_FRAMES, Math.min(rate * SAMPLE_SECONDS, affordable / samples)))
  if (frames.length <= count * samples) return [{ start: 0, frames: Math.min(count, frames.length) }]
  const part = frames.length / samples
  return Array.from({ length: samples }, (_, index) => {
    const first = Math.floor(index * part)
    const last = Math.floor((index + 1) * part) - count
    const begin = where === 'even' ? Math.floor((first + last) / 2) : busiest(frames, first, last, count)
    return { start: frames[begin]?.seconds ?? 0, frames: count }
  })
}

/**
 * Returns the section of the video with the most motion. It is `length` seconds long, or shorter if that exceeds the affordable
 * frames.
 */
export function busiestWindow({ seconds, frames }: Survey, length: number, affordable: number): SampleWindow {
  const rate = frames.length / Math.max(seconds, Number.EPSILON)
  const count = Math.round(Math.max(1, Math.min(frames.length, rate * length, affordable)))
  const begin = busiest(movement(frames), 0, frames.length - count, count)
  return { start: frames[begin]?.seconds ?? 0, frames: count }
}

/** Sets the size of keyframes to zero, because they are large even without motion. Changes nothing if all frames are keyframes. */
const movement = (frames: Survey['frames']): Survey['frames'] =>
  frames.every(({ alone }) => alone)
    ? frames
    : frames.map((frame) => (frame.alone ? { ...frame, bytes: 0 } : frame))

/** Returns the index, from `first` to `last`, of the first of the `count` consecutive frames with the most bytes. */
function busiest(frames: Survey['frames'], first: number, last: number, count: number): number {
  let best = first
  let sum = 0
  let most = -1
  for (let index = first; index < last + count; index += 1) {
    sum += frames[index]?.bytes ?? 0
    if (index >= first + count) sum -= frames[index - count]?.bytes ?? 0
    const begin = index - count + 1
    if (begin >= first && sum > most) {
      most = sum
      best = begin
    }
  }
  return best
}

/** Returns the mean size of the window's non-keyframes, relative to their mean size in the whole video; 1 if unknown. */
export function weightOf({ frames }: Survey, window: SampleWindow): number {
  const begin = frames.findIndex(({ seconds }) => seconds >= window.start)
  const inside = frames.slice(begin, begin + window.frames)
  const weight = meanOfFollowing(inside) / meanOfFollowing(frames)
  return Number.isFinite(weight) ? weight : 1
}

function meanOfFollowing(frames: Survey['frames']): number {
  const following = frames.filter(({ alone }) => !alone)
  return following.reduce((sum, { bytes }) => sum + bytes, 0) / following.length
}
