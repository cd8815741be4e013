/**
 * Finds the best quality that fits a maximum file size. Estimates the quality from samples, and encodes the whole video. If the result is
 * too large or much too small, corrects the quality and encodes the video again. Only the size of a finished file counts.
 */
import { failed } from '../../shared/failure/failure-error.ts'
import { rm, stat } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type FileJob, type FinishedFile, type ProcessingProgress } from '../protocol.ts'
import { type ConvertedVideo, convertVideo, copyingVideo } from './convert-video.ts'
import { CODINGS, type VideoCodec, hasAudio, isVideoCodec } from './encoder-settings.ts'
import { bytesAt, CRF_STEP, crfFor, estimateSize, type SizeCurve, throughRuns } from './size-estimate.ts'
import { openSourceFile } from './source-file.ts'
import { type Survey, surveyVideo } from './survey.ts'
import { withWantedTracks } from './track-languages.ts'
import { displayedShortSide, isWithinLimits } from './within-limits.ts'

/** Minimum fraction of the size limit that the first result should use. If the result is smaller, the video is encoded again. */
const ENOUGH_USED = 0.9
/** Minimum fraction after the second run. Noise makes sizes jump, so that the estimates of the first runs can be far off. */
const LEAST_USED = 0.6
/**
 * Fraction of the video's share of the size limit that the first run aims for. With this margin, the result rarely exceeds the
 * limit.
 */
const FIRST_AIM = 0.95
const MOST_RUNS = 4

/**
 * Converts a video so that its file fits the size, with smaller dimensions if necessary and allowed.
 * @throws FailureError that names the smallest possible size if nothing fits, and as `processVideo` does
 */
export async function fitVideo(job: FileJob<VideoRecipe>, maxBytes: number): Promise<FinishedFile> {
  const { codec } = job.recipe
  if (!isVideoCodec(codec)) throw failed('sizeGoalImpossible')
  const video = await inspectVideo(job)
  if (video.withinLimits && video.bytes <= maxBytes) {
    const copied = await convertVideo({ ...job, recipe: { ...job.recipe, maxBytes: undefined } })
    if ((await bytesOf(copied)) <= maxBytes) return copied
    await rm(copied.temporaryPath, { force: true })
  }
  const wantedHeight = Math.min(job.recipe.height ?? Infinity, video.shortSide)
  let smallest = Infinity
  for (let height: number | undefined = wantedHeight; height !== undefined;) {
    const plan: FitPlan = await planFit(job, codec, video, maxBytes, height)
    const made = await runUntilFit(plan, maxBytes)
    if (typeof made !== 'number') {
      const notes = plan.height < wantedHeight ? [...made.notes, 'shrunk-to-fit' as const] : made.notes
      return { ...made, notes }
    }
    smallest = Math.min(smallest, made)
    height = job.recipe.mayShrink ? smallerHeight(plan.height, 1) : undefined
  }
  throw failed('videoNotSmallEnough', { kilobytes: Math.ceil(smallest / 1000) })
}

/**
 * Returns the recipe with its maximum file size replaced by the settings of the first encoding attempt. If the original already fits and
 * meets the rest of the recipe, returns a recipe that copies the video track.
 */
export async function recipeForSize(
  job: FileJob<VideoRecipe>,
  codec: VideoCodec,
  maxBytes: number,
): Promise<VideoRecipe> {
  const video = await inspectVideo(job)
  const request = { ...job.recipe, maxBytes: undefined }
  if (video.withinLimits && video.bytes <= maxBytes) return copyingVideo(request)
  const height = Math.min(request.height ?? Infinity, video.shortSide)
  const { crf, job: sized } = await planFit(job, codec, video, maxBytes, height)
  return { ...request, height: sized.recipe.height, crf }
}

type Video = Awaited<ReturnType<typeof inspectVideo>>

async function inspectVideo(job: FileJob<VideoRecipe>) {
  const { inputPath, recipe, variation, signal, pause } = job
  await using source = await openSourceFile(inputPath, signal, pause)
  const unbounded = { ...recipe, maxBytes: undefined }
  return {
    withinLimits: variation === undefined && isWithinLimits(source.video, unbounded),
    shortSide: displayedShortSide(source.video),
    survey: await surveyVideo(withWantedTracks(source, recipe), signal),
    bytes: (await stat(inputPath)).size,
  }
}

type FitPlan = {
  readonly job: FileJob<VideoRecipe>
  readonly codec: VideoCodec
  readonly curve: SizeCurve
  readonly crf: number
  /** Bits per second for each audio track. If undefined, the recipe decides. */
  readonly audioRate: number | undefined
  /** Length of the short side, in pixels. */
  readonly height: number
  readonly survey: Survey
}

/** Above this crf, a smaller frame size looks better. */
export const COARSEST_CRF: Readonly<Record<VideoCodec, number>> = { h264: 33, hevc: 35, vp9: 50, av1: 52 }
const HEIGHTS = [2160, 1440, 1080, 720, 540, 480, 360, 288, 240, 180, 144]
/** Exponent of the size by height. At the same crf, the size grows slightly more slowly than the pixel count. */
const BYTES_BY_HEIGHT = 1.6

async function planFit(
  job: FileJob<VideoRecipe>,
  codec: VideoCodec,
  video: Video,
  maxBytes: number,
  highest: number,
): Promise<FitPlan> {
  const { recipe } = job
  const { survey } = video
  const defaultRate = audioRateFor(survey, recipe, maxBytes)
  const room = maxBytes - roomAround(survey, recipe) - audioBytes(survey, recipe, defaultRate)
  for (let height = highest; ;) {
    const sized = { ...job, recipe: { ...recipe, height: height < video.shortSide ? height : recipe.height } }
    const curve = await estimateSize(sized, codec, survey, room * FIRST_AIM)
    const crf = crfFor(curve, room * FIRST_AIM, codec)
    const smaller = smallerHeight(height, room / bytesAt(curve, COARSEST_CRF[codec]))
    if (crf <= COARSEST_CRF[codec] || !recipe.mayShrink || smaller === undefined) {
      const tooMuch = bytesAt(curve, CODINGS[codec].highestCrf) > room
      const audioRate = tooMuch ? leastAudio(survey, recipe, defaultRate) : defaultRate
      return { job: sized, codec, curve, crf, audioRate, height, survey }
    }
    height = smaller
  }
}

/**
 * Returns a smaller standard height at which the video is expected to fit; the lowest one if it fits at none, and undefined if there is no
 * smaller one.
 * @param share size limit as a fraction of the expected size at this height
 */
function smallerHeight(height: number, share: number): number | undefined {
  const wanted = height * Math.min(1, Math.max(share, 0)) ** (1 / BYTES_BY_HEIGHT)
  const smaller = HEIGHTS.filter((step) => step < height)
  return smaller.find((step) => step <= wanted) ?? smaller.at(-1)
}

/**
 * Estimates the container's overhead in bytes from the number of frames and audio packets. The first encoding run reveals the exact value.
 */
export function roomAround({ frames, seconds, audioTracks }: Survey, recipe: VideoRecipe): number {
  const audioPackets = !hasAudio(recipe) ? 0 : audioTracks * seconds * 47
  return 2_000 + frames.length * 14 + audioPackets * 8
}

/** Fraction of a maximum file size that audio may use. Video uses the rest. */
const MAX_AUDIO_SHARE = 0.2
const AUDIO_RATES = [128_000, 96_000, 64_000, 48_000, 32_000, 24_000]

function audioRateFor(survey: Survey, recipe: VideoRecipe, maxBytes: number): number | undefined {
  const most = maxBytes * MAX_AUDIO_SHARE
  if (audioBytes(survey, recipe, undefined) <= most) return undefined
  const fitting = AUDIO_RATES.find((bitrate) => audioBytes(survey, recipe, bitrate) <= most)
  return fitting ?? leastAudio(survey, recipe, undefined)
}

/** Returns the lowest audio bit rate, or the current one if the audio already needs less. */
function leastAudio(survey: Survey, recipe: VideoRecipe, now: number | undefined): number | undefined {
  const least = AUDIO_RATES.at(-1)
  if (least === undefined) return now
  return audioBytes(survey, recipe, least) < audioBytes(survey, recipe, now) ? least : now
}

export function audioBytes(survey: Survey, recipe: VideoRecipe, bitrate: number | undefined): number {
  if (!hasAudio(recipe)) return 0
  const { audio, audioBitrate } = recipe
  const encoded = (perSecond: number) => (survey.audioTracks * survey.seconds * perSecond) / 8
  if (bitrate !== undefined) return encoded(bitrate)
  return audio === 'keep' ? survey.audioBytes : Math.max(survey.audioBytes, encoded(audioBitrate))
}

type Run = { readonly crf: number; readonly video: ConvertedVideo; readonly bytes: number }

/** Encodes up to `MOST_RUNS` times. Returns the largest result that fits, or the size of the smallest one if none fits. */
export async function runUntilFit(
  plan: FitPlan,
  maxBytes: number,
  encode = runOnce,
): Promise<ConvertedVideo | number> {
  const { codec } = plan
  let { curve, crf, audioRate } = plan
  let last: Run | undefined
  let best: Run | undefined
  /** The run with the lowest crf that fits. May be smaller than the best one, because sizes jump. */
  let finest: Run | undefined
  /** The run with the highest crf that doesn't fit. */
  let tooLarge: Run | undefined
  let smallest = Infinity
  for (let count = 0; count < MOST_RUNS; count += 1) {
    const run = await encode(plan, crf, audioRate, count)
    smallest = Math.min(smallest, run.bytes)
    const fits = run.bytes <= maxBytes
    if (fits && (best === undefined || run.bytes > best.bytes)) {
      await removeRun(best)
      best = run
    } else await removeRun(run)
    if (fits && run.crf <= (finest?.crf ?? Infinity)) finest = run
    if (!fits && run.crf >= (tooLarge?.crf ?? 0)) tooLarge = run
    curve =
      finest === undefined || tooLarge === undefined ? corrected(curve, last, run) : between(tooLarge, finest)
    last = run
    const room = maxBytes - (run.bytes - run.video.videoBytes)
    const next = nextCrf(curve, room, codec, count)
    const coarser = tooLarge === undefined ? 0 : tooLarge.crf + CRF_STEP[codec]
    const wanted = Math.min(CODINGS[codec].highestCrf, Math.max(next, coarser))
    // After a result that fits, continue only if much space is unused and a lower CRF may use it.
    const leastUsed = count > 0 ? LEAST_USED : ENOUGH_USED
    const isWellUsed = best !== undefined && best.bytes >= maxBytes * leastUsed
    if (isWellUsed || (finest !== undefined && wanted >= finest.crf)) break
    if (!fits && crf >= CODINGS[codec].highestCrf) {
      const least = leastAudio(plan.survey, plan.job.recipe, audioRate)
      if (least === audioRate) break
      audioRate = least
    }
    crf = wanted
  }
  return best?.video ?? smallest
}

/** Returns the curve through a run that is too large and one that fits. */
function between(one: Run, { crf, video: { videoBytes: bytes } }: Run): SizeCurve {
  return { crf, bytes, slope: Math.log(one.video.videoBytes / bytes) / (crf - one.crf) }
}

function corrected(curve: SizeCurve, last: Run | undefined, run: Run): SizeCurve {
  const point = { crf: run.crf, bytes: run.video.videoBytes }
  if (last === undefined) return { ...curve, ...point }
  return throughRuns(curve, { crf: last.crf, bytes: last.video.videoBytes }, point)
}

/** Error margin of the estimated slope until two runs have measured it. */
const SLOPE_DOUBT = { smaller: 0.8, larger: 1.35 }
const NEXT_AIM = 0.98

function nextCrf(curve: SizeCurve, room: number, codec: VideoCodec, count: number): number {
  const wanted = room * (NEXT_AIM - 0.02 * count)
  const doubt = count > 0 ? 1 : wanted < curve.bytes ? SLOPE_DOUBT.smaller : SLOPE_DOUBT.larger
  return crfFor({ ...curve, slope: curve.slope * doubt }, wanted, codec)
}

/** Encodes the video once. Each run fills half of the remaining progress bar, because more runs may follow. */
async function runOnce(
  { job }: FitPlan,
  crf: number,
  audioRate: number | undefined,
  count: number,
): Promise<Run> {
  const begin = 1 - 0.5 ** count
  const onProgress = ({ phase, share }: ProcessingProgress): void =>
    job.onProgress({ phase, share: begin + (share * (1 - begin)) / 2 })
  const recipe = { ...job.recipe, crf, maxBytes: undefined }
  const video = await convertVideo({ ...job, recipe, onProgress }, { audioRate })
  return { crf, video, bytes: await bytesOf(video) }
}

async function removeRun(run: Run | undefined): Promise<void> {
  if (run !== undefined) await rm(run.video.temporaryPath, { force: true })
}

async function bytesOf({ temporaryPath }: FinishedFile): Promise<number> {
  return (await stat(temporaryPath)).size
}
