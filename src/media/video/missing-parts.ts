/**
 * Decides which parts of a video are missing in its file, and whether that matters. A truncated copy may have its index, but not the data
 * that the index lists; a damaged one has frames that can't be decoded. All times are in seconds from the start of the file.
 */
import { AVMEDIA_TYPE_AUDIO } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { failed } from '../../shared/failure/failure-error.ts'
import { failure, reason } from '../../shared/failure/failure.ts'
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { createTimeline, inBoth, merged, secondsIn, type Span, type Timeline } from './coverage.ts'
import { editsOf } from './edits.ts'
import type { SourceFile } from './source-file.ts'

/** The missing parts of one track, and the track's whole length. */
export type Missing = { readonly spans: readonly Span[]; readonly length: number; readonly index: number }

export type WhatWasRead = {
  /** The timelines of the video and of each audio track that the result contains, by stream index. */
  readonly timelines: ReadonlyMap<number, Timeline>
  /** The end of the last packet of any track. The file's duration includes tracks that the result doesn't get. */
  readonly reached: number
}

/** Returns the timeline of a track, with the parts in which an edit pauses it. */
export function timelineOf({ edits, streams, startSeconds }: SourceFile, index: number): Timeline {
  const [timeline, stream] = [createTimeline(), streams[index]]
  for (const { from, to } of stream === undefined ? [] : editsOf(edits, stream).pauses)
    timeline.add(from - startSeconds, to - startSeconds)
  return timeline
}

/** Maximum length of a video that never counts as mostly missing, because the headers of short videos are too inaccurate. */
const SECONDS_WORTH_JUDGING = 2
/** Minimum difference from the header that counts. The headers of many intact files are slightly wrong. */
const SECONDS_NOT_PROMISED = 1
/** The missing parts of a track count only if they are longer than this in total. A single damaged frame doesn't count. */
const SECONDS_NOT_MISSED = 0.25

export const missingOf = (source: SourceFile, stream: Stream, spans: readonly Span[]): Missing => ({
  index: stream.index,
  spans,
  length: source.promisedEnd(stream) ?? source.promisedDuration ?? 0,
})

/**
 * Returns the parts that the header promises but that weren't read.
 * @throws FailureError if most of the file is missing
 */
export function missingPackets(source: SourceFile, { timelines, reached }: WhatWasRead): readonly Missing[] {
  const { video, streams } = source
  const tolerance = source.isCutOff ? SECONDS_NOT_MISSED : SECONDS_NOT_PROMISED
  const ends = new Map([...timelines].map(([index, timeline]) => [index, timeline.end()]))
  const tracks = [...ends].map(([index, there]) => {
    const stream = streams[index]
    return endOf(index, there, (stream && source.promisedEnd(stream)) ?? there, tolerance)
  })
  const whole = endOf(video.index, reached, source.promisedDuration ?? reached, tolerance)
  for (const missing of [whole, tracks.find(({ index }) => index === video.index)])
    if (missing !== undefined) refuseMostlyMissing(missing)
  return [whole, ...tracks, ...holes(source, timelines)]
}

const endOf = (index: number, there: number, promised: number, tolerance: number): Missing => ({
  index,
  spans: promised - there > tolerance ? [{ from: there, to: promised }] : [],
  length: promised,
})

/** Finds times at which neither the video nor any audio track has data, because it was lost. */
function holes(
  { video, canHaveHoles, promisedDuration, audioStreams }: SourceFile,
  timelines: WhatWasRead['timelines'],
): readonly Missing[] {
  const frames = timelines.get(video.index)
  const gaps = audioStreams.flatMap(({ index }) => {
    const timeline = timelines.get(index)
    return timeline === undefined ? [] : [timeline.gaps(SECONDS_NOT_PROMISED)]
  })
  if (!canHaveHoles || frames === undefined || gaps.length === 0) return []
  const spans = gaps.reduce(inBoth, frames.gaps(SECONDS_NOT_PROMISED))
  return [{ index: video.index, spans, length: promisedDuration ?? frames.end() }]
}

function refuseMostlyMissing({ spans, length }: Missing): void {
  const missing = secondsIn(spans)
  if (length <= SECONDS_WORTH_JUDGING || missing <= length / 2) return
  throw failed('fileDamaged', { reason: reason('shareMissing', { share: missing / length }) })
}

/**
 * Judges the missing parts of all tracks. The worst track counts, because damage usually affects all of them.
 * @returns undefined if nothing significant is missing
 * @throws FailureError if most of the video is missing
 */
export function whatIsMissing(source: SourceFile, all: readonly Missing[]) {
  const missed = [...Map.groupBy(all, ({ index }) => index)]
    .map(([index, parts]) => joined(index, parts))
    .filter(({ spans }) => secondsIn(spans) > SECONDS_NOT_MISSED)
    .toSorted((one, other) => secondsIn(other.spans) - secondsIn(one.spans))
  const [worst] = missed
  if (worst === undefined) return undefined
  const video = missed.find(({ index }) => index === source.video.index)
  if (video !== undefined) refuseMostlyMissing(video)
  return {
    problem: failure('fileDamaged', { reason: reasonOf(worst, source) }),
    losses: video === undefined ? [] : lossesOf(video.spans, video.length),
  }
}

function reasonOf({ index, spans, length }: Missing, source: SourceFile) {
  const seconds = rounded(secondsIn(spans))
  const values = { seconds, promised: Math.round(length), from: spans[0]?.from ?? 0 }
  if (index === source.video.index) return reason('secondsMissing', values)
  const track = audioTracksOf(source).findIndex((stream) => stream.index === index) + 1
  return reason('audioSecondsMissing', { ...values, track })
}

function joined(index: number, parts: readonly Missing[]): Missing {
  const spans = merged(parts.flatMap(({ spans: some }) => some))
  return { index, spans, length: Math.max(...parts.map(({ length }) => length), spans.at(-1)?.to ?? 0) }
}

/** Returns all audio tracks, in the order in which users count them. */
export const audioTracksOf = ({ streams }: Pick<SourceFile, 'streams'>): readonly Stream[] =>
  streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO)

const rounded = (seconds: number): number => Math.round(seconds * 10) / 10

const shownSeconds = (spans: readonly Span[]): number => Math.max(0.1, rounded(secondsIn(spans)))

/** Distance from the start or the end, in seconds, within which a span counts as reaching it. */
const AT_THE_EDGE = 0.1

function lossesOf(spans: readonly Span[], length: number): readonly Loss[] {
  const why = lossReason('damaged')
  const atStart = spans.filter(({ from }) => from < AT_THE_EDGE)
  const atEnd = spans.filter((span) => span.to > length - AT_THE_EDGE && !atStart.includes(span))
  const between = spans.filter((span) => !atStart.includes(span) && !atEnd.includes(span))
  const [first] = between
  return [
    ...(atStart.length === 0 ? [] : [loss('startSeconds', { seconds: shownSeconds(atStart) }, why)]),
    ...(first === undefined
      ? []
      : [loss('middleSeconds', { seconds: shownSeconds(between), from: first.from }, why)]),
    ...(atEnd.length === 0 ? [] : [loss('endSeconds', { seconds: shownSeconds(atEnd) }, why)]),
  ]
}
