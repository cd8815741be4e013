/**
 * Reads what FFmpeg ignores in the edit lists of MP4 and QuickTime files (ISO/IEC 14496-12, 8.6.6): empty parts after the first one, still
 * frames, and changed speeds. FFmpeg would play the media at normal speed during still frames and changed speeds, and the media's beginning
 * during empty parts. All times are in seconds from the start of the movie's clock.
 */
import { open } from 'node:fs/promises'
import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import type { Span } from './coverage.ts'
import { editsIn, partAt, readMovie, ticksPerSecond, trackId, tracksOf } from './mp4-boxes.ts'
import { secondsIn, ticksIn, timeOf } from './packet-times.ts'
import { unlessCutOff } from '../read-part.ts'

/** A part that doesn't play. Players show either nothing or a single frame for the whole time. */
type Pause = Span & { readonly isStill: boolean }

type TrackEdits = {
  readonly pauses: readonly Pause[]
  /** Parts with a speed that FFmpeg ignores. */
  readonly changedSpeeds: readonly Span[]
}

/** The edits of each track, by its number. */
export type Edits = ReadonlyMap<number, TrackEdits>

const NO_EDITS: Edits = new Map()
const AS_IS: TrackEdits = { pauses: [], changedSpeeds: [] }

/** @param format FFmpeg's name of the container */
export async function readEdits(path: string, format: string): Promise<Edits> {
  if (!format.startsWith('mov')) return NO_EDITS
  await using file = await open(path)
  return (await unlessCutOff(async () => editsOfTracks((await readMovie(file))?.body))) ?? NO_EDITS
}

function editsOfTracks(movie: Buffer | undefined): Edits {
  const header = movie && partAt(movie, 'mvhd')
  if (movie === undefined || header === undefined) return NO_EDITS
  const ticks = ticksPerSecond(header)
  return new Map(
    tracksOf(movie).flatMap((track) => {
      const list = partAt(track, 'edts', 'elst')
      const id = list && trackId(track)
      return list === undefined || id === undefined ? [] : [[id, readList(list, ticks)]]
    }),
  )
}

const NORMAL_SPEED = 0x1_00_00

function readList(list: Buffer, ticks: number): TrackEdits {
  const pauses: Pause[] = []
  const changedSpeeds: Span[] = []
  let from = 0
  let hasShown = false
  for (const { length, start, speed } of editsIn(list)) {
    const to = from + length / ticks
    const isEmpty = start === -1
    if (isEmpty ? hasShown : speed === 0) pauses.push({ from, to, isStill: !isEmpty })
    else if (!isEmpty && speed !== NORMAL_SPEED) changedSpeeds.push({ from, to })
    hasShown ||= !isEmpty
    from = to
  }
  return { pauses, changedSpeeds }
}

export const editsOf = (edits: Edits, { id }: Stream): TrackEdits => edits.get(id) ?? AS_IS

export const hasPauses = ({ edits }: { readonly edits: Edits }, stream: Stream): boolean =>
  editsOf(edits, stream).pauses.length > 0

/**
 * Hides a packet in a pause instead of dropping it, because decoders may still need it. Extends the duration of the frame that players show
 * during the pause: the last one before an empty part, or the first one of a still part.
 */
export function applyPauses(edits: Edits, stream: Stream | undefined, packet: Packet): void {
  const time = timeOf(packet)
  if (stream === undefined || time === AV_NOPTS_VALUE || packet.hasFlags(AV_PKT_FLAG_DISCARD)) return
  const { pauses } = editsOf(edits, stream)
  if (pauses.length === 0) return
  const [from, length] = [secondsIn(stream, time), secondsIn(stream, packet.duration)]
  const middle = from + length / 2
  const isVideo = stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO
  const starts = (moment: number): boolean => Math.abs(moment - from) < length / 2
  // The first frame of a still part is the one that is shown.
  const isPaused = pauses.some(
    (pause) => middle >= pause.from && middle < pause.to && !(isVideo && pause.isStill && starts(pause.from)),
  )
  const next = pauses.find((pause) => starts(pause.from - (pause.isStill ? 0 : length)))
  if (isPaused) packet.setFlags(AV_PKT_FLAG_DISCARD)
  else if (isVideo && next !== undefined) packet.duration = ticksIn(stream, next.to - from)
}
