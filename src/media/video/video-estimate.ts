/** Estimates a result's size and encoding time by encoding short samples of the video. Assumes that the computer is otherwise idle. */
import { stat } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileEstimate, FileJob } from '../protocol.ts'
import { containerFor } from './container.ts'
import { crfForVisualQuality } from './find-visual-quality.ts'
import { COARSEST_CRF, roomAround, audioBytes } from './fit-size.ts'
import { type EncodedCodec, type VideoCodec, CODINGS, isAudioOnly, isVideoCodec } from './encoder-settings.ts'
import { audioCodec } from './audio-codec.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { encodeSample, type SampleJob, type SampleWindow, takeSample } from './sample.ts'
import { silence } from './process-video.ts'
import { bytesAt, crfFor, framesLeft, keyframesIn, initialCurve } from './size-estimate.ts'
import { takesOriginal } from './never-larger.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { sampleWindows, type Survey, surveyVideo, weightOf } from './survey.ts'
import { withWantedTracks } from './track-languages.ts'
import { isWithinLimits } from './within-limits.ts'

const MAX_FRAMES = 90
/** Minimum relative uncertainty, because some scenes aren't in any sample. */
const LEAST_SPREAD = 0.08
/** Relative uncertainty for copied tracks. They keep their size; only the container differs. */
const COPIED_SPREAD = 0.02
/** Average duration of fitting a maximum file size, in encoding runs: the samples, then one or two runs. */
const RUNS_FOR_A_SIZE = 1.8
/** Fraction of a maximum file size that results typically use. */
const USED_OF_A_SIZE = { likely: 0.96, spread: 0.1 }
/**
 * Fraction of a maximum file size that results use at coarse quality. There, each quality step saves many bytes, and the first run
 * that fits is kept.
 */
const USED_AT_COARSE_QUALITY = { likely: 0.8, spread: 0.3 }
/** Relative uncertainty of the size at the best quality, which is extrapolated from the default quality. */
const BEST_SPREAD = 0.25
/** Fraction of the shorter time to add to the longer time. Decoding and encoding run in parallel, but share the cores. */
const IN_THE_WAY = 0.5

type Video = Awaited<ReturnType<typeof readVideo>>

export type EstimateJob = SampleJob & Pick<FileJob<VideoRecipe>, 'neverLarger'>

/**
 * Estimates the size of the result and the time that the job takes.
 * @throws FailureError if the video can't be read, no part of it can be decoded, or a result without video needs audio that it lacks
 */
export async function estimateVideo(job: EstimateJob): Promise<FileEstimate> {
  silence()
  const video = await readVideo(job)
  return { ...(await estimateRead(job, video)), pixels: video.pixels }
}

async function estimateRead(job: EstimateJob, video: Video): Promise<FileEstimate> {
  const { codec } = job.recipe
  if (codec === 'none') return audioOnly(video, job.recipe)
  if (video.isCopied || codec === 'copy') return copied(video, job.recipe)
  const encoded = await estimateEncoded(job, codec, video)
  return video.mayStay ? noLarger(encoded, video.bytes) : encoded
}

/** Limits the estimate to the original's size. That size is certain if even the low end of the range isn't smaller. */
function noLarger(estimate: FileEstimate, original: number): FileEstimate {
  const { bytes, spread } = estimate
  if (bytes < original) return estimate
  return { ...estimate, bytes: original, spread: bytes * (1 - spread) < original ? spread : 0 }
}

async function estimateEncoded(job: SampleJob, codec: EncodedCodec, video: Video): Promise<FileEstimate> {
  const { maxBytes } = job.recipe
  const { recipe, searchMs } = await withResolvedQuality(job, codec)
  const sampled = await fromSamples({ ...job, recipe }, codec, video)
  const plain = { ...sampled, milliseconds: sampled.milliseconds + searchMs }
  if (maxBytes === undefined || plain.bytes <= 0) return plain
  const room = Math.min(maxBytes, video.bytes)
  const { bytes, spread } = isVideoCodec(codec)
    ? fitted(job, codec, plain, room)
    : filling(room, USED_OF_A_SIZE)
  return { bytes, spread, milliseconds: plain.milliseconds * RUNS_FOR_A_SIZE }
}

/** Resolves a visual quality target to a crf with the same search as a job, and measures how long the search takes. */
async function withResolvedQuality(
  job: SampleJob,
  codec: EncodedCodec,
): Promise<{ readonly recipe: VideoRecipe; readonly searchMs: number }> {
  const { recipe } = job
  if (recipe.look === undefined || !isVideoCodec(codec)) return { recipe, searchMs: 0 }
  const begun = performance.now()
  const crf = await crfForVisualQuality({ ...job, onProgress() {} }, codec, recipe.look)
  return { recipe: { ...recipe, look: undefined, crf }, searchMs: performance.now() - begun }
}

type Estimated = Pick<FileEstimate, 'bytes' | 'spread'>

const filling = (room: number, { likely, spread }: typeof USED_OF_A_SIZE): Estimated => ({
  bytes: room * likely,
  spread,
})

/**
 * Estimates the size of a result that must fit `room`.
 * A video with little motion may be smaller even at its best quality.
 */
function fitted({ recipe }: SampleJob, codec: VideoCodec, plain: FileEstimate, room: number): Estimated {
  const curve = initialCurve(codec, plain.bytes)
  const crf = crfFor(curve, room, codec)
  const best = bytesAt(curve, crf)
  if (best < room * USED_OF_A_SIZE.likely) return { bytes: best, spread: BEST_SPREAD }
  const isCoarse = crf > COARSEST_CRF[codec] && !recipe.mayShrink
  return filling(room, isCoarse ? USED_AT_COARSE_QUALITY : USED_OF_A_SIZE)
}

/** @returns `readingMs`: time to read the whole file */
async function readVideo(job: EstimateJob) {
  const { inputPath, recipe, variation, signal } = job
  const begun = performance.now()
  await using whole = await openSourceFile(inputPath, signal)
  const source = withWantedTracks(whole, recipe)
  const isCopied = variation === undefined && isWithinLimits(source.video, recipe)
  const mayStay = !isCopied && recipe.codec !== 'copy' && mayTakeOriginal(job, whole)
  const copiesAudio = copiesMainAudio(job, source)
  const survey = await surveyVideo(source, signal)
  const { size: bytes } = await stat(inputPath)
  const { width, height } = source.video.codecpar
  const readingMs = performance.now() - begun
  return { survey, bytes, pixels: width * height || undefined, isCopied, mayStay, copiesAudio, readingMs }
}

/**
 * Returns whether a result without video copies its audio.
 * @throws FailureError if there is no audio
 */
function copiesMainAudio(job: EstimateJob, source: SourceFile): boolean {
  const { recipe } = job
  if (!isAudioOnly(recipe)) return false
  const container = containerFor(job, source)
  const { mainAudio } = source
  const { audio } = recipe
  if (mainAudio === undefined || audio === 'none') return false
  const present = { codec: codecName(mainAudio), format: source.format, mayCopy: true, isExact: false }
  return audioCodec(audio, present, container) === 'copy'
}

const mayTakeOriginal = (job: EstimateJob, source: SourceFile): boolean =>
  job.variation === undefined && takesOriginal(job, source, containerFor(job, source))

function copied({ bytes, survey, readingMs }: Video, recipe: VideoRecipe): FileEstimate {
  const audio = audioBytes(survey, recipe, undefined) - survey.audioBytes
  return { bytes: bytes + audio, milliseconds: readingMs * 2, spread: COPIED_SPREAD }
}

/** Speed of audio encoding as a multiple of real time, measured with AAC and Opus. */
const AUDIO_SPEED = 60

function audioOnly({ survey, copiesAudio, readingMs }: Video, { audioBitrate }: VideoRecipe): FileEstimate {
  if (copiesAudio) return { bytes: survey.mainAudioBytes, milliseconds: readingMs * 2, spread: COPIED_SPREAD }
  return {
    bytes: (survey.seconds * audioBitrate) / 8,
    milliseconds: readingMs + (survey.seconds * 1_000) / AUDIO_SPEED,
    spread: LEAST_SPREAD,
  }
}

async function fromSamples(job: SampleJob, codec: EncodedCodec, video: Video): Promise<FileEstimate> {
  const { survey } = video
  const { recipe } = job
  const tried: TriedWindow[] = []
  for (const window of sampleWindows(survey, 'even', MAX_FRAMES))
    tried.push(await tryWindow(job, codec, window, survey))
  const frames = framesLeft(survey, recipe)
  const following = tried.map((one) => one.following)
  const videoBytes =
    keyframesOf(frames, codec) * mean(tried.map(({ alone }) => alone)) + frames * mean(following)
  const byBitrate = recipe.bitrate === undefined ? undefined : (recipe.bitrate / 8) * survey.seconds
  const around = audioBytes(survey, recipe, undefined) + roomAround(survey, recipe)
  const differ = byBitrate === undefined ? deviationOf(following, mean(following)) : 0
  return {
    bytes: (byBitrate ?? videoBytes) + around,
    milliseconds: frames * mean(tried.map(({ milliseconds }) => milliseconds)),
    spread: Math.hypot(LEAST_SPREAD, differ / Math.sqrt(tried.length)),
  }
}

/** Returns the number of keyframes. An animated WebP is one packet that holds all frames. In a GIF, only the first frame is complete. */
function keyframesOf(frames: number, codec: EncodedCodec): number {
  if (isVideoCodec(codec)) return keyframesIn(frames, codec)
  return codec === 'gif' ? 1 : 0
}

/** Bytes and milliseconds per frame. The bytes of non-keyframes are corrected for their mean size in the whole video. */
type TriedWindow = { readonly alone: number; readonly following: number; readonly milliseconds: number }

async function tryWindow(
  job: SampleJob,
  codec: EncodedCodec,
  window: SampleWindow,
  survey: Survey,
): Promise<TriedWindow> {
  job.signal.throwIfAborted()
  const begun = performance.now()
  using sample = await takeSample(job, codec, window)
  const taken = performance.now() - begun
  const { defaultCrf, highestCrf } = CODINGS[codec]
  const { crf = defaultCrf, bitrate } = job.recipe
  const quality =
    bitrate === undefined ? { crf: Math.min(crf, highestCrf), bitrate } : { crf: undefined, bitrate }
  using encoded = await encodeSample(sample, sample.software(quality))
  const { alone, milliseconds } = encoded
  // An animated WebP is one packet that holds all frames.
  const following =
    codec === 'webp' ? { frames: sample.frames.length, bytes: alone.bytes } : encoded.following
  const weight = weightOf(survey, window)
  return {
    alone: alone.bytes / Math.max(1, alone.frames),
    following: following.bytes / Math.max(1, following.frames) / Math.max(weight, Number.EPSILON),
    milliseconds: besideEachOther(milliseconds / sample.frames.length, taken / decodedFor(window, survey)),
  }
}

const besideEachOther = (one: number, other: number): number =>
  Math.max(one, other) + IN_THE_WAY * Math.min(one, other)

/** Returns how many frames must be decoded for the sample, including those from the previous keyframe on. */
function decodedFor({ start, frames }: SampleWindow, survey: Survey): number {
  const first = survey.frames.findIndex(({ seconds }) => seconds >= start)
  const alone = survey.frames.slice(0, first + 1).findLastIndex((frame) => frame.alone)
  return first - Math.max(0, alone) + frames
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const deviationOf = (values: readonly number[], middle: number): number =>
  middle === 0
    ? 0
    : Math.sqrt(
        values.reduce((sum, value) => sum + (value / middle - 1) ** 2, 0) / Math.max(1, values.length - 1),
      )
