/**
 * What a recipe makes of a film, as a few seconds of it for a window: from where most moves, decoded, filtered and encoded
 * as for a result, and decoded again. Nothing is written.
 */
import { AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants'
import type { Extent, FilmTrack, PreviewFilm } from '../../shared/model/preview.ts'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob, MadeFilm, PreviewRequest } from '../protocol.ts'
import { believableRate } from './clocks.ts'
import { containerFor } from './container.ts'
import { decodeSample } from './decode-sample.ts'
import type { EncodedCodec } from './encoder-settings.ts'
import { filmTrackOf } from './film-track.ts'
import { decodeMovingPicture } from './moving-picture.ts'
import { takesOriginal } from './never-larger.ts'
import { turnOfDisplayMatrix } from './picture-geometry.ts'
import { highDynamicRange } from './picture-filters.ts'
import type { FilteredPicture } from './picture-stages.ts'
import { silence } from './process-video.ts'
import { encodeSample, type Sample, type SampleWindow, takeSample } from './sample.ts'
import { settleRecipe } from './settle-recipe.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { busiestWindow, surveyFilm } from './survey.ts'

type Job = FileJob<VideoRecipe>

type WishOf<Kind> = Omit<Extract<PreviewRequest, { readonly kind: Kind }>, 'id' | 'kind' | 'givesWay'>
type FilmWish = WishOf<'film'>
type FilmsWish = WishOf<'films'>

/** @throws as `processVideo` does */
export async function previewFilm({ path, recipe, start }: FilmWish): Promise<MadeFilm> {
  silence()
  const job = jobFor(path, recipe)
  const source = await openSourceFile(path, job.signal)
  try {
    const { extension } = containerFor(job, source)
    const settled = await settleRecipe(job, source)
    const facts = factsOf(source)
    const window = await windowIn(source, job, start)
    const tracks = await bothSides({ ...job, recipe: settled }, facts, window)
    return {
      film: described(facts, window, tracks),
      recipe: settled,
      takesOriginal: takesOriginal(recipe, source, extension),
    }
  } finally {
    await source.close()
  }
}

/**
 * A film beside what a job has made of it.
 *
 * @throws ProcessingError where one of them can't be read
 */
export async function compareFilms({ path, result, start }: FilmsWish): Promise<PreviewFilm> {
  silence()
  const made = await openedFacts(result)
  const { width, height } = made.extent
  // What a preset has cut away nobody knows any more; the original is shown in the shape of the result.
  const recipe = VideoRecipe.parse({ height: Math.min(width, height), crop: { aspect: width / height } })
  const job = jobFor(path, recipe)
  const source = await openSourceFile(path, job.signal)
  try {
    const facts = factsOf(source)
    const window = await windowIn(source, job, start)
    const before = await plainTrack(job, window)
    const pictures = Math.max(1, Math.round(made.rate * before.seconds))
    const after = await plainTrack(
      jobFor(result, VideoRecipe.parse({})),
      { ...window, pictures },
      before.zero,
    )
    return described(facts, window, { before, after })
  } finally {
    await source.close()
  }
}

function jobFor(inputPath: string, recipe: VideoRecipe): Job {
  return {
    inputPath,
    recipe,
    variation: undefined,
    neverLarger: false,
    temporaryPath() {
      throw new Error('A preview writes nothing.')
    },
    onProgress() {},
    // Whoever does not want it any more ends the process.
    signal: new AbortController().signal,
  }
}

type Facts = {
  /** Upright. */
  readonly extent: Extent
  /** Pictures a second. */
  readonly rate: number
  readonly seconds: number
  readonly isHdr: boolean
}

const USUAL_RATE = { num: 25, den: 1 }

function factsOf({ picture, duration }: SourceFile): Facts {
  const { num, den } = believableRate([picture.avgFrameRate, picture.rFrameRate]) ?? USUAL_RATE
  const { width, height } = picture.codecpar
  const { swapsSides } = turnOfDisplayMatrix(picture.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  return {
    extent: swapsSides ? { width: height, height: width } : { width, height },
    rate: num / den,
    seconds: duration ?? 0,
    isHdr: highDynamicRange(picture.codecpar) !== undefined,
  }
}

async function openedFacts(path: string): Promise<Facts> {
  const source = await openSourceFile(path, new AbortController().signal)
  try {
    return factsOf(source)
  } finally {
    await source.close()
  }
}

const SAMPLE_SECONDS = 2.5
/** Decoded pictures are large, and a sample of them is in memory at once. */
const MOST_SAMPLE_BYTES = 500_000_000
const BYTES_OF_PIXEL = 1.5

async function windowIn(
  source: SourceFile,
  { recipe, signal }: Job,
  start: number | null,
): Promise<SampleWindow> {
  const { extent, rate } = factsOf(source)
  const scale = Math.min(1, (recipe.height ?? Infinity) / Math.min(extent.width, extent.height))
  const affordable = MOST_SAMPLE_BYTES / (extent.width * extent.height * scale ** 2 * BYTES_OF_PIXEL)
  const pictures = Math.ceil(Math.min(affordable, rate * SAMPLE_SECONDS))
  if (start !== null) return { start, pictures }
  return busiestWindow(await surveyFilm(source, signal), SAMPLE_SECONDS, pictures)
}

/** A track, and how it lies in the film. */
type Placed = FilmTrack & {
  /** When its first picture is shown, in seconds of the film. */
  readonly zero: number
  readonly seconds: number
}

type Sides = { readonly before: Placed; readonly after: FilmTrack | null }

async function bothSides(job: Job, { rate }: Facts, window: SampleWindow): Promise<Sides> {
  const { recipe } = job
  const { codec, fps = rate, grayscale } = recipe
  if (codec === 'copy')
    return { before: await plainTrack(jobFor(job.inputPath, VideoRecipe.parse({})), window), after: null }
  // What a recipe does to time and colour belongs to one side alone.
  const isShared = fps >= rate && !grayscale
  const apart = isShared
    ? undefined
    : await plainTrack({ ...job, recipe: { ...recipe, fps: undefined, grayscale: false } }, window)
  const pictures = Math.max(1, Math.round(window.pictures * Math.min(1, fps / rate)))
  const sample = await takeSample(job, codec, { ...window, pictures })
  const { crf, bitrate } = recipe
  try {
    const encoded = await encodeSample(sample, sample.software({ crf, bitrate }))
    try {
      const before = apart ?? (await placed(sample))
      const after = await decodedAgain(sample, codec, encoded, before.zero)
      return { before, after }
    } finally {
      encoded.free()
    }
  } finally {
    sample.free()
  }
}

/** The film's own pictures, in the shape that the recipe gives them. */
async function plainTrack(job: Job, window: SampleWindow, zero?: number): Promise<Placed> {
  const sample = await takeSample(job, 'h264', window)
  try {
    return await placed(sample, zero)
  } finally {
    sample.free()
  }
}

async function placed({ pictures, rate }: Sample, zero = secondsOf(pictures[0])): Promise<Placed> {
  const track = await filmTrackOf(pictures, { rate, zero })
  const last = track.pictures.at(-1)?.seconds ?? 0
  return { ...track, zero, seconds: last + rate.den / rate.num }
}

const secondsOf = ({ frame: { pts }, timeBase: { num, den } }: FilteredPicture): number =>
  (Number(pts) * num) / den

async function decodedAgain(
  { pictures, rate }: Sample,
  codec: EncodedCodec,
  encoded: Parameters<typeof decodeSample>[0],
  zero: number,
): Promise<FilmTrack> {
  const [whole] = encoded.packets
  const decoded: FilteredPicture[] =
    codec === 'webp' && whole?.data ? await decodeMovingPicture(whole.data, pictures) : []
  try {
    if (codec !== 'webp')
      await decodeSample(encoded, (frame) => {
        const original = pictures[decoded.length]
        const copy = original && frame.clone()
        if (!copy) return
        copy.pts = original.frame.pts
        decoded.push({ frame: copy, timeBase: original.timeBase })
      })
    return await filmTrackOf(decoded, { rate, zero })
  } finally {
    for (const { frame } of decoded) frame.free()
  }
}

function described(facts: Facts, window: SampleWindow, { before, after }: Sides): PreviewFilm {
  const { zero, seconds, ...track } = before
  const { width, height } = after ?? before
  return {
    extent: { width, height },
    original: facts.extent,
    isHdr: facts.isHdr,
    before: track,
    after: after && { ...after },
    start: window.start,
    seconds,
    filmSeconds: Math.max(facts.seconds, zero + seconds),
  }
}
