/**
 * What a recipe will make of a film, from short samples of it that really are encoded: how many bytes, and how long it takes
 * with nothing else going on.
 */
import { stat } from 'node:fs/promises'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileForecast, FileJob } from '../protocol.ts'
import { containerFor } from './container.ts'
import { crfForLook } from './find-look.ts'
import { COARSEST_CRF, roomAround, soundBytes } from './fit-size.ts'
import { type EncodedCodec, type FilmCodec, HIGHEST_CRF, USUAL_CRF } from './encoder-settings.ts'
import { encodeSample, type SampleJob, type SampleWindow, takeSample } from './sample.ts'
import { silence } from './process-video.ts'
import { bytesAt, crfFor, picturesLeft, standingAlone, usualCurve } from './size-forecast.ts'
import { takesOriginal } from './never-larger.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { sampleWindows, type Survey, surveyFilm, weightOf } from './survey.ts'
import { displayedShortSide, isWithinLimits } from './within-limits.ts'

/** In all samples together. */
const MOST_PICTURES = 90
/** What nobody can know from samples, as a share: scenes that none of them has. */
const LEAST_SPREAD = 0.08
/** Copied bytes are as many as they were, but for the container. */
const COPIED_SPREAD = 0.02
/** On average: a size is met by one run or by two, and by the samples that lead up to them. */
const RUNS_FOR_A_SIZE = 1.8
/** And so much of it is used. */
const USED_OF_A_SIZE = { likely: 0.96, spread: 0.1 }
/** Coarse pictures lose many bytes with each step, and the first run that fits is taken. */
const USED_BY_COARSE_PICTURES = { likely: 0.8, spread: 0.3 }
/** What the best look needs, by what the usual one does. */
const BEST_SPREAD = 0.25
/** Decoding and encoding go on side by side, and share the cores: so much of the quicker one is added to the other. */
const IN_THE_WAY = 0.5

type Film = {
  readonly survey: Survey
  readonly bytes: number
  readonly isCopied: boolean
  /** The original takes the place of a result that is larger. */
  readonly mayStay: boolean
  readonly shortSide: number
  /** How long reading all of it has taken. */
  readonly readingMs: number
}

export type ForecastJob = SampleJob & Pick<FileJob<VideoRecipe>, 'neverLarger'>

/** @throws ProcessingError where the film can't be read, or no part of it can be decoded */
export async function forecastFilm(job: ForecastJob): Promise<FileForecast> {
  silence()
  const film = await readFilm(job)
  const { codec } = job.recipe
  if (film.isCopied || codec === 'copy') return copied(film, job.recipe)
  const encoded = await forecastEncoded(job, codec, film)
  return film.mayStay ? noLarger(encoded, film.bytes) : encoded
}

/** Where not even the smallest of what is expected would be smaller than the original, its bytes are certain. */
function noLarger(forecast: FileForecast, original: number): FileForecast {
  const { bytes, spread } = forecast
  if (bytes < original) return forecast
  return { ...forecast, bytes: original, spread: bytes * (1 - spread) < original ? spread : 0 }
}

async function forecastEncoded(job: SampleJob, codec: EncodedCodec, film: Film): Promise<FileForecast> {
  const { maxBytes } = job.recipe
  const { recipe, searchMs } = await withoutLook(job, codec)
  const sampled = await fromSamples({ ...job, recipe }, codec, film)
  const plain = { ...sampled, milliseconds: sampled.milliseconds + searchMs }
  if (maxBytes === undefined || plain.bytes <= 0) return plain
  const room = Math.min(maxBytes, film.bytes)
  const { bytes, spread } = codec === 'webp' ? filling(room, USED_OF_A_SIZE) : fitted(job, codec, plain, room)
  return { bytes, spread, milliseconds: plain.milliseconds * RUNS_FOR_A_SIZE }
}

/** A look is searched for as a job does it, which takes a job as long. */
async function withoutLook(
  job: SampleJob,
  codec: EncodedCodec,
): Promise<{ readonly recipe: VideoRecipe; readonly searchMs: number }> {
  const { recipe } = job
  if (recipe.look === undefined || codec === 'webp') return { recipe, searchMs: 0 }
  const begun = performance.now()
  const crf = await crfForLook({ ...job, onProgress() {} }, codec, recipe.look)
  return { recipe: { ...recipe, look: undefined, crf }, searchMs: performance.now() - begun }
}

type Reckoned = Pick<FileForecast, 'bytes' | 'spread'>

const filling = (room: number, { likely, spread }: typeof USED_OF_A_SIZE): Reckoned => ({
  bytes: room * likely,
  spread,
})

/** A calm film doesn't fill its room even at its best. */
function fitted({ recipe }: SampleJob, codec: FilmCodec, plain: FileForecast, room: number): Reckoned {
  const curve = usualCurve(codec, plain.bytes)
  const crf = crfFor(curve, room, codec)
  const best = bytesAt(curve, crf)
  if (best < room * USED_OF_A_SIZE.likely) return { bytes: best, spread: BEST_SPREAD }
  const isCoarse = crf > COARSEST_CRF[codec] && !recipe.mayShrink
  return filling(room, isCoarse ? USED_BY_COARSE_PICTURES : USED_OF_A_SIZE)
}

async function readFilm(job: ForecastJob): Promise<Film> {
  const { inputPath, recipe, variation, signal } = job
  const begun = performance.now()
  const source = await openSourceFile(inputPath, signal)
  try {
    const isCopied = variation === undefined && isWithinLimits(source.picture, recipe)
    const mayStay = !isCopied && recipe.codec !== 'copy' && takesItsPlace(job, source)
    const shortSide = displayedShortSide(source.picture)
    const survey = await surveyFilm(source, signal)
    const { size: bytes } = await stat(inputPath)
    return { survey, bytes, isCopied, mayStay, shortSide, readingMs: performance.now() - begun }
  } finally {
    await source.close()
  }
}

const takesItsPlace = (job: ForecastJob, source: SourceFile): boolean =>
  job.neverLarger &&
  job.variation === undefined &&
  takesOriginal(job.recipe, source, containerFor(job, source).extension)

function copied({ bytes, survey, readingMs }: Film, recipe: VideoRecipe): FileForecast {
  const sound = soundBytes(survey, recipe, undefined) - survey.soundBytes
  return { bytes: bytes + sound, milliseconds: readingMs * 2, spread: COPIED_SPREAD }
}

async function fromSamples(job: SampleJob, codec: EncodedCodec, film: Film): Promise<FileForecast> {
  const { survey } = film
  const { recipe } = job
  const tried: TriedWindow[] = []
  for (const window of sampleWindows(survey, 'even', MOST_PICTURES))
    tried.push(await tryWindow(job, codec, window, survey))
  const pictures = picturesLeft(survey, recipe)
  const following = tried.map((one) => one.following)
  const pictureBytes =
    (codec === 'webp' ? 0 : standingAlone(pictures, codec)) * mean(tried.map(({ alone }) => alone)) +
    pictures * mean(following)
  const byBitrate = recipe.bitrate === undefined ? undefined : (recipe.bitrate / 8) * survey.seconds
  const around = soundBytes(survey, recipe, undefined) + roomAround(survey, recipe)
  const differ = byBitrate === undefined ? deviationOf(following, mean(following)) : 0
  return {
    bytes: (byBitrate ?? pictureBytes) + around,
    milliseconds: pictures * mean(tried.map(({ milliseconds }) => milliseconds)),
    spread: Math.hypot(LEAST_SPREAD, differ / Math.sqrt(tried.length)),
  }
}

/** For each picture; those that lean on others have been set against what such pictures have all over the film. */
type TriedWindow = { readonly alone: number; readonly following: number; readonly milliseconds: number }

async function tryWindow(
  job: SampleJob,
  codec: EncodedCodec,
  window: SampleWindow,
  survey: Survey,
): Promise<TriedWindow> {
  job.signal.throwIfAborted()
  const begun = performance.now()
  const sample = await takeSample(job, codec, window)
  const taken = performance.now() - begun
  try {
    const { crf = USUAL_CRF[codec], bitrate } = job.recipe
    const quality =
      bitrate === undefined
        ? { crf: Math.min(crf, HIGHEST_CRF[codec]), bitrate }
        : { crf: undefined, bitrate }
    const encoded = await encodeSample(sample, sample.software(quality))
    const { alone, milliseconds } = encoded
    // Of a moving picture there is one packet, with all that is shown.
    const following =
      codec === 'webp' ? { pictures: sample.pictures.length, bytes: alone.bytes } : encoded.following
    encoded.free()
    const weight = weightOf(survey, window)
    return {
      alone: alone.bytes / Math.max(1, alone.pictures),
      following: following.bytes / Math.max(1, following.pictures) / Math.max(weight, Number.EPSILON),
      milliseconds: besideEachOther(
        milliseconds / sample.pictures.length,
        taken / decodedFor(window, survey),
      ),
    }
  } finally {
    sample.free()
  }
}

const besideEachOther = (one: number, other: number): number =>
  Math.max(one, other) + IN_THE_WAY * Math.min(one, other)

/** How many pictures have to be decoded for the window: from the one before it that stands alone. */
function decodedFor({ start, pictures }: SampleWindow, survey: Survey): number {
  const first = survey.pictures.findIndex(({ seconds }) => seconds >= start)
  const alone = survey.pictures.slice(0, first + 1).findLastIndex((picture) => picture.alone)
  return first - Math.max(0, alone) + pictures
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const deviationOf = (values: readonly number[], middle: number): number =>
  middle === 0
    ? 0
    : Math.sqrt(
        values.reduce((sum, value) => sum + (value / middle - 1) ** 2, 0) / Math.max(1, values.length - 1),
      )
