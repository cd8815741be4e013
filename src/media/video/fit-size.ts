/**
 * The best look that fits into so many bytes. A guess from samples, one whole run, and a second one corrected by what the
 * first has needed; the size of a finished file is what counts, never a guess.
 */
import { rm, stat } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type FileJob, type FinishedFile, ProcessingError, type ProcessingProgress } from '../protocol.ts'
import { type ConvertedVideo, convertVideo, copyingPictures } from './convert-video.ts'
import { type FilmCodec, hasSound, HIGHEST_CRF } from './encoder-settings.ts'
import { bytesAt, CRF_STEP, crfFor, forecastSize, type SizeCurve, throughRuns } from './size-forecast.ts'
import { openSourceFile } from './source-file.ts'
import { type Survey, surveyFilm } from './survey.ts'
import { displayedShortSide, isWithinLimits } from './within-limits.ts'

/** A result with less of its room used is made again, once. */
const ENOUGH_USED = 0.9
/** Of the room that is left for the pictures, so that a second run lands below and not above it. */
const FIRST_AIM = 0.95
const MOST_RUNS = 4

/**
 * @throws ProcessingError that says the smallest possible size, where nothing fits; and as `processVideo` does
 */
export async function fitVideo(job: FileJob<VideoRecipe>, maxBytes: number): Promise<FinishedFile> {
  const { codec } = job.recipe
  if (codec === 'copy' || codec === 'webp')
    throw new ProcessingError('Such pictures can’t be made to fit a size.')
  const film = await lookAtFilm(job)
  if (film.withinLimits && film.bytes <= maxBytes) {
    const copied = await convertVideo({ ...job, recipe: { ...job.recipe, maxBytes: undefined } })
    if ((await bytesOf(copied)) <= maxBytes) return copied
    await rm(copied.temporaryPath, { force: true })
  }
  const wantedHeight = Math.min(job.recipe.height ?? Infinity, film.shortSide)
  let smallest = Infinity
  for (let height: number | undefined = wantedHeight; height !== undefined;) {
    const plan: FitPlan = await planFit(job, codec, film, maxBytes, height)
    const made = await runUntilFit(plan, maxBytes)
    if (typeof made !== 'number') {
      const notes = plan.height < wantedHeight ? [...made.notes, 'shrunk-to-fit' as const] : made.notes
      return { ...made, notes }
    }
    smallest = Math.min(smallest, made)
    height = job.recipe.mayShrink ? smallerHeight(plan.height, 1) : undefined
  }
  throw new ProcessingError(
    `The video can’t be made small enough in this form: the smallest possible is ${inWords(smallest)}.`,
  )
}

/** The same recipe with what the first run would be made with in the place of its size. */
export async function recipeForSize(
  job: FileJob<VideoRecipe>,
  codec: FilmCodec,
  maxBytes: number,
): Promise<VideoRecipe> {
  const film = await lookAtFilm(job)
  const wish = { ...job.recipe, maxBytes: undefined }
  if (film.withinLimits && film.bytes <= maxBytes) return copyingPictures(wish)
  const height = Math.min(wish.height ?? Infinity, film.shortSide)
  const { crf, job: sized } = await planFit(job, codec, film, maxBytes, height)
  return { ...wish, height: sized.recipe.height, crf }
}

type Film = {
  readonly survey: Survey
  readonly shortSide: number
  readonly withinLimits: boolean
  readonly bytes: number
}

async function lookAtFilm({ inputPath, recipe, variation, signal }: FileJob<VideoRecipe>): Promise<Film> {
  const source = await openSourceFile(inputPath, signal)
  try {
    const unbounded = { ...recipe, maxBytes: undefined }
    return {
      withinLimits: variation === undefined && isWithinLimits(source.picture, unbounded),
      shortSide: displayedShortSide(source.picture),
      survey: await surveyFilm(source, signal),
      bytes: (await stat(inputPath)).size,
    }
  } finally {
    await source.close()
  }
}

/** How the first run is made, and what it is expected to need. */
type FitPlan = {
  readonly job: FileJob<VideoRecipe>
  readonly codec: FilmCodec
  readonly curve: SizeCurve
  readonly crf: number
  /** Bits a second for each sound track; undefined leaves the sound to the recipe. */
  readonly soundBitrate: number | undefined
  /** Of the short side, in pixels. */
  readonly height: number
  readonly survey: Survey
}

/** Coarser pictures look worse than smaller ones. */
export const COARSEST_CRF: Readonly<Record<FilmCodec, number>> = { h264: 33, hevc: 35, vp9: 50, av1: 52 }
const HEIGHTS = [2160, 1440, 1080, 720, 540, 480, 360, 288, 240, 180, 144]
/** Bytes at the same crf grow a little more slowly than the number of pixels. */
const BYTES_BY_HEIGHT = 1.6

async function planFit(
  job: FileJob<VideoRecipe>,
  codec: FilmCodec,
  film: Film,
  maxBytes: number,
  highest: number,
): Promise<FitPlan> {
  const { recipe } = job
  const { survey } = film
  const usualSound = soundBitrateFor(survey, recipe, maxBytes)
  const room = maxBytes - roomAround(survey, recipe) - soundBytes(survey, recipe, usualSound)
  for (let height = highest; ;) {
    const sized = { ...job, recipe: { ...recipe, height: height < film.shortSide ? height : recipe.height } }
    const curve = await forecastSize(sized, codec, survey, room * FIRST_AIM)
    const crf = crfFor(curve, room * FIRST_AIM, codec)
    const smaller = smallerHeight(height, room / bytesAt(curve, COARSEST_CRF[codec]))
    if (crf <= COARSEST_CRF[codec] || !recipe.mayShrink || smaller === undefined) {
      const tooMuch = bytesAt(curve, HIGHEST_CRF[codec]) > room
      const soundBitrate = tooMuch ? leastSound(survey, recipe, usualSound) : usualSound
      return { job: sized, codec, curve, crf, soundBitrate, height, survey }
    }
    height = smaller
  }
}

/** @param share how many of the bytes at this height there is room for */
function smallerHeight(height: number, share: number): number | undefined {
  const wanted = height * Math.min(1, Math.max(share, 0)) ** (1 / BYTES_BY_HEIGHT)
  const smaller = HEIGHTS.filter((step) => step < height)
  return smaller.find((step) => step <= wanted) ?? smaller.at(-1)
}

/** What the container adds for each picture and packet of sound, roughly; the first run tells exactly. */
export function roomAround({ pictures, seconds, soundTracks }: Survey, recipe: VideoRecipe): number {
  const soundPackets = !hasSound(recipe) ? 0 : soundTracks * seconds * 47
  return 2_000 + pictures.length * 14 + soundPackets * 8
}

/** Of a size, so that the pictures keep the rest. */
const MOST_FOR_SOUND = 0.2
const SOUND_BITRATES = [128_000, 96_000, 64_000, 48_000, 32_000, 24_000]

function soundBitrateFor(survey: Survey, recipe: VideoRecipe, maxBytes: number): number | undefined {
  const most = maxBytes * MOST_FOR_SOUND
  if (soundBytes(survey, recipe, undefined) <= most) return undefined
  const fitting = SOUND_BITRATES.find((bitrate) => soundBytes(survey, recipe, bitrate) <= most)
  return fitting ?? leastSound(survey, recipe, undefined)
}

/** Never more than the sound has now. */
function leastSound(survey: Survey, recipe: VideoRecipe, now: number | undefined): number | undefined {
  const least = SOUND_BITRATES.at(-1)
  if (least === undefined) return now
  return soundBytes(survey, recipe, least) < soundBytes(survey, recipe, now) ? least : now
}

export function soundBytes(survey: Survey, recipe: VideoRecipe, bitrate: number | undefined): number {
  if (!hasSound(recipe)) return 0
  const { audio, audioBitrate } = recipe
  const encoded = (perSecond: number) => (survey.soundTracks * survey.seconds * perSecond) / 8
  if (bitrate !== undefined) return encoded(bitrate)
  return audio === 'keep' ? survey.soundBytes : Math.max(survey.soundBytes, encoded(audioBitrate))
}

type Run = { readonly crf: number; readonly video: ConvertedVideo; readonly bytes: number }

/** @returns what fits, or the size of the smallest that could be made */
async function runUntilFit(plan: FitPlan, maxBytes: number): Promise<ConvertedVideo | number> {
  const { codec } = plan
  let { curve, crf, soundBitrate } = plan
  let last: Run | undefined
  let best: Run | undefined
  let smallest = Infinity
  for (let count = 0; count < MOST_RUNS; count += 1) {
    const run = await runOnce(plan, crf, soundBitrate, count)
    smallest = Math.min(smallest, run.bytes)
    const fits = run.bytes <= maxBytes
    if (fits && (best === undefined || run.bytes > best.bytes)) {
      await removeRun(best)
      best = run
    } else await removeRun(run)
    curve = corrected(curve, last, run)
    last = run
    const room = maxBytes - (run.bytes - run.video.pictureBytes)
    const next = nextCrf(curve, room, codec, count)
    // A run that fits is corrected once, and only where much room is left: two runs are what a person waits for.
    if (best !== undefined && (count > 0 || best.bytes >= maxBytes * ENOUGH_USED || next >= crf)) break
    if (!fits && crf >= HIGHEST_CRF[codec]) {
      const least = leastSound(plan.survey, plan.job.recipe, soundBitrate)
      if (least === soundBitrate) break
      soundBitrate = least
    }
    crf = fits ? next : Math.min(HIGHEST_CRF[codec], Math.max(next, crf + CRF_STEP[codec]))
  }
  return best?.video ?? smallest
}

function corrected(curve: SizeCurve, last: Run | undefined, run: Run): SizeCurve {
  const point = { crf: run.crf, bytes: run.video.pictureBytes }
  if (last === undefined) return { ...curve, ...point }
  return throughRuns(curve, { crf: last.crf, bytes: last.video.pictureBytes }, point)
}

/** How far the slope may be from what is assumed of it, until two runs have told. */
const SLOPE_DOUBT = { smaller: 0.8, larger: 1.35 }
const NEXT_AIM = 0.98

function nextCrf(curve: SizeCurve, room: number, codec: FilmCodec, count: number): number {
  const wanted = room * (NEXT_AIM - 0.02 * count)
  const doubt = count > 0 ? 1 : wanted < curve.bytes ? SLOPE_DOUBT.smaller : SLOPE_DOUBT.larger
  return crfFor({ ...curve, slope: curve.slope * doubt }, wanted, codec)
}

/** Each run has the next part of the progress: half of it, then half of the rest. */
async function runOnce(
  { job }: FitPlan,
  crf: number,
  soundBitrate: number | undefined,
  count: number,
): Promise<Run> {
  const begin = 1 - 0.5 ** count
  const onProgress = ({ phase, share }: ProcessingProgress): void =>
    job.onProgress({ phase, share: begin + (share * (1 - begin)) / 2 })
  const recipe = { ...job.recipe, crf, maxBytes: undefined }
  const video = await convertVideo({ ...job, recipe, onProgress }, { soundBitrate })
  return { crf, video, bytes: await bytesOf(video) }
}

async function removeRun(run: Run | undefined): Promise<void> {
  if (run !== undefined) await rm(run.video.temporaryPath, { force: true })
}

async function bytesOf({ temporaryPath }: FinishedFile): Promise<number> {
  return (await stat(temporaryPath)).size
}

function inWords(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(Math.ceil(bytes / 10_000) / 100).toFixed(2)} MB`
}
