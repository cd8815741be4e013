/** Plans another attempt at a conversion: without an undecodable track, with encoding instead of copying, or with another container. */
import type { Stream } from 'node-av/lib'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { detailOf } from '../inventory/track-pairs.ts'
import { trackOf } from '../inventory/video-inventory.ts'
import { chooseContainer } from './container.ts'
import { secondsIn } from './coverage.ts'
import { editsOf } from './edits.ts'
import { isAudioOnly, type VideoCodec } from './encoder-settings.ts'
import { audioTracksOf } from './missing-parts.ts'
import { isKnownAudio, type SourceFile } from './source-file.ts'
import { wantedAudio } from './track-languages.ts'
import { TrackFailed } from './track.ts'

export const AS_ASKED = {
  /** Indexes of the streams to leave out, because they can't be decoded. */
  without: new Set() as ReadonlySet<number>,
  encodesVideo: false,
  isExact: false,
  encodesAudio: false,
  /** Whether audio without video needs a container that stores times. */
  needsTimes: false,
}
export type Plan = Readonly<typeof AS_ASKED>

/**
 * Returns the plan for another attempt after this error.
 * @param plan of the failed attempt. `encodesVideo` is also set if that attempt encoded the video anyway
 * @returns undefined if nothing else can be tried
 */
export function otherPlan(plan: Plan, error: unknown): Plan | undefined {
  if (error instanceof TrackFailed && error.why === 'undecodable')
    return plan.without.has(error.index)
      ? undefined
      : { ...plan, without: new Set([...plan.without, error.index]) }
  if (error instanceof TrackFailed && error.why === 'audioHasGaps') return { ...plan, needsTimes: true }
  const isAudio = error instanceof TrackFailed && error.why === 'audioNotCopyable'
  const isRefused =
    error instanceof TrackFailed ||
    (error instanceof FailureError && error.failure.code === 'videoNotWritten')
  if (!isRefused) return undefined
  if (!isAudio && !plan.encodesVideo) return { ...plan, encodesVideo: true }
  return plan.encodesAudio ? undefined : { ...plan, encodesAudio: true }
}

/** The crf at which a result looks the same as a copy. */
const FINE_CRF: Readonly<Record<VideoCodec, number>> = { h264: 18, hevc: 20, vp9: 24, av1: 24 }

/** Returns the recipe for a video whose track can't be copied. Keeps the codec if it can be encoded. */
export function encodingVideo(recipe: VideoRecipe, { video, extension }: SourceFile): VideoRecipe {
  if (recipe.codec !== 'copy') return recipe
  const present = codecName(video)
  const { container: wanted } = recipe
  const kept = wanted === 'same' ? chooseContainer('same', extension, present, true) : undefined
  const codecs: readonly VideoCodec[] =
    wanted === 'webm' || kept?.muxer === 'webm' ? ['vp9', 'av1'] : ['h264', 'hevc', 'vp9', 'av1']
  const codec = codecs.find((each) => each === present) ?? codecs[0] ?? 'h264'
  return { ...recipe, codec, crf: FINE_CRF[codec] }
}

export function withoutTracks(source: SourceFile, without: ReadonlySet<number>): SourceFile {
  if (without.size === 0) return source
  const audioStreams = source.audioStreams.filter(({ index }) => !without.has(index))
  const mainAudio = audioStreams.find(({ index }) => index === source.mainAudio?.index) ?? audioStreams[0]
  return { ...source, audioStreams, mainAudio }
}

/** Returns what an audio track loses when it is re-encoded in its own codec. */
export const encodedAgain = (source: SourceFile, stream: Stream): Loss =>
  loss(
    'audioQuality',
    { track: audioTracksOf(source).indexOf(stream) + 1, detail: codecName(stream).toUpperCase() },
    lossReason('notWritten'),
  )

/** Returns a loss for each audio track that the recipe asks for and that can't be decoded. */
export function undecodableAudio(
  source: SourceFile,
  recipe: VideoRecipe,
  without: ReadonlySet<number>,
): readonly Loss[] {
  const all = audioTracksOf(source)
  const wanted = new Set(wantedAudio(all, recipe))
  return all.flatMap((stream, index) =>
    !wanted.has(stream) || (isKnownAudio(stream) && !without.has(stream.index))
      ? []
      : [
          loss(
            'audioTrack',
            { track: index + 1, detail: detailOf(trackOf(stream)) },
            lossReason('undecodable'),
          ),
        ],
  )
}

/** Returns a loss if an edit changes the original's playback speed, because the result plays everything at normal speed. */
export function changedSpeeds({ edits, video, mainAudio }: SourceFile, recipe: VideoRecipe): readonly Loss[] {
  const track = isAudioOnly(recipe) ? mainAudio : video
  const spans = track === undefined ? [] : editsOf(edits, track).changedSpeeds
  const [first] = spans
  if (first === undefined) return []
  const seconds = Math.max(0.1, Math.round(secondsIn(spans) * 10) / 10)
  return [loss('playbackSpeed', { seconds, from: first.from }, lossReason('noFormat'))]
}
