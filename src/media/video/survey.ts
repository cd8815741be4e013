/** What a film holds, as its packets tell it: one reading of the file, and nothing decoded. */
import { AV_NOPTS_VALUE, AV_PKT_FLAG_KEY } from 'node-av/constants'
import { Packet } from 'node-av/lib'
import type { SampleWindow } from './sample.ts'
import type { SourceFile } from './source-file.ts'

export type Survey = {
  /** From the beginning to the end of the last picture. */
  readonly seconds: number
  /** In the order of time. */
  readonly pictures: readonly SurveyedPicture[]
  /** Of all sound tracks together. */
  readonly soundBytes: number
  readonly soundTracks: number
}

type SurveyedPicture = {
  /** When it is shown. */
  readonly seconds: number
  readonly bytes: number
  /** Whether it can be decoded without any other, which costs many more bytes. */
  readonly alone: boolean
}

/** Reads the source to its end. */
export async function surveyFilm(source: SourceFile, signal: AbortSignal): Promise<Survey> {
  const packet = new Packet()
  packet.alloc()
  try {
    const pictures: SurveyedPicture[] = []
    const { num, den } = source.picture.timeBase
    const sounds = new Set(source.sounds.map(({ index }) => index))
    let seconds = 0
    let soundBytes = 0
    while (await source.read(packet)) {
      signal.throwIfAborted()
      if (packet.streamIndex === source.picture.index) {
        const end = source.endOf(packet)
        const known = packet.pts !== AV_NOPTS_VALUE || packet.dts !== AV_NOPTS_VALUE
        const alone = packet.hasFlags(AV_PKT_FLAG_KEY)
        const begin = end - (Number(packet.duration) * num) / den
        pictures.push({ seconds: known ? begin : seconds, bytes: packet.size, alone })
        seconds = Math.max(seconds, end)
      } else if (sounds.has(packet.streamIndex)) soundBytes += packet.size
      packet.unref()
    }
    return {
      seconds,
      pictures: pictures.toSorted((one, other) => one.seconds - other.seconds),
      soundBytes,
      soundTracks: sounds.size,
    }
  } finally {
    packet.free()
  }
}

/** Short enough to be quick, long enough for an encoder to find its pace. */
const SAMPLE_SECONDS = 1
const SAMPLES = 3
const LEAST_PICTURES = 8

/**
 * Parts that stand for the whole film: one from each third of it, or a single one where that is all that is affordable.
 *
 * @param where `busy` takes the part of the third where most moves, which is where most bytes are; `even` its middle
 * @param affordable pictures, in all samples together
 */
export function sampleWindows(
  { seconds, pictures }: Survey,
  where: 'busy' | 'even',
  affordable: number,
): readonly SampleWindow[] {
  if (pictures.length <= affordable) return [{ start: 0, pictures: pictures.length }]
  const rate = pictures.length / Math.max(seconds, Number.EPSILON)
  const samples = affordable < SAMPLES * LEAST_PICTURES ? 1 : SAMPLES
  const count = Math.round(Math.max(LEAST_PICTURES, Math.min(rate * SAMPLE_SECONDS, affordable / samples)))
  if (pictures.length <= count * samples) return [{ start: 0, pictures: Math.min(count, pictures.length) }]
  const part = pictures.length / samples
  return Array.from({ length: samples }, (_, index) => {
    const first = Math.floor(index * part)
    const last = Math.floor((index + 1) * part) - count
    const begin = where === 'even' ? Math.floor((first + last) / 2) : busiest(pictures, first, last, count)
    return { start: pictures[begin]?.seconds ?? 0, pictures: count }
  })
}

/** The one part of the film where most moves, so many seconds of it and no more pictures than are affordable. */
export function busiestWindow(
  { seconds, pictures }: Survey,
  length: number,
  affordable: number,
): SampleWindow {
  const rate = pictures.length / Math.max(seconds, Number.EPSILON)
  const count = Math.round(Math.max(1, Math.min(pictures.length, rate * length, affordable)))
  const begin = busiest(movement(pictures), 0, pictures.length - count, count)
  return { start: pictures[begin]?.seconds ?? 0, pictures: count }
}

/** A picture that stands alone has many bytes wherever it is. */
const movement = (pictures: Survey['pictures']): Survey['pictures'] =>
  pictures.every(({ alone }) => alone)
    ? pictures
    : pictures.map((picture) => (picture.alone ? { ...picture, bytes: 0 } : picture))

/** @returns the index between the two from which as many pictures as counted have the most bytes */
function busiest(pictures: Survey['pictures'], first: number, last: number, count: number): number {
  let best = first
  let sum = 0
  let most = -1
  for (let index = first; index < last + count; index += 1) {
    sum += pictures[index]?.bytes ?? 0
    if (index >= first + count) sum -= pictures[index - count]?.bytes ?? 0
    const begin = index - count + 1
    if (begin >= first && sum > most) {
      most = sum
      best = begin
    }
  }
  return best
}

/** How many bytes a picture of the window has that leans on others, against such a picture anywhere in the film. */
export function weightOf({ pictures }: Survey, window: SampleWindow): number {
  const begin = pictures.findIndex(({ seconds }) => seconds >= window.start)
  const inside = pictures.slice(begin, begin + window.pictures)
  const weight = meanOfFollowing(inside) / meanOfFollowing(pictures)
  return Number.isFinite(weight) ? weight : 1
}

function meanOfFollowing(pictures: Survey['pictures']): number {
  const following = pictures.filter(({ alone }) => !alone)
  return following.reduce((sum, { bytes }) => sum + bytes, 0) / following.length
}
