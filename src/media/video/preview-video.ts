/**
 * Previews the effect of a recipe on a few seconds of a video: from a given time, or those with the most motion.
 * Decodes, filters and encodes these seconds as a job does, and decodes the result. Also shows the same seconds of a video and of its
 * finished result. Writes no files.
 */
import type { VideoTrack, PreviewVideo } from '../../shared/model/preview.ts'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import type { ComparedVideos, FileJob, MadeVideo, SampleRequest } from '../protocol.ts'
import { cloneOf } from '../ffmpeg/ffmpeg.ts'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'
import { rateOf } from './clocks.ts'
import { containerFor } from './container.ts'
import { decodeSample } from './decode-sample.ts'
import { type EncodedCodec, mostFps } from './encoder-settings.ts'
import { secondsOf } from './packet-times.ts'
import { previewTrackOf } from './preview-track.ts'
import { decodeAnimatedWebp } from './animated-webp.ts'
import { openInput } from '../opened-input.ts'
import { takesOriginal } from './never-larger.ts'
import { displayedExtent } from './shown-picture.ts'
import { highDynamicRange } from './video-filters.ts'
import { silence } from './process-video.ts'
import { encodeSample, type Sample, type SampleWindow, takeSample } from './sample.ts'
import { resolveRecipe } from './resolve-recipe.ts'
import { createScoreMeter, scoreOfDecibels } from './score.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { busiestWindow, surveyVideo } from './survey.ts'

type Job = FileJob<VideoRecipe>

/**
 * Returns the previewed part of a video, before and after conversion.
 * @throws as `processVideo` does
 */
export async function previewVideo({
  path,
  identity,
  recipe,
  neverLarger = false,
  start,
}: SampleRequest): Promise<MadeVideo> {
  silence()
  await using input = await openInput(path, identity)
  const job = jobFor(input.path, recipe)
  await using source = await openSourceFile(input.path, job.signal)
  const container = containerFor(job, source)
  const resolved = await resolveRecipe(job, source)
  const facts = factsOf(source)
  const window = await windowIn(source, job, start)
  const tracks = await bothSides({ ...job, recipe: resolved }, facts, window)
  await input.requireSame()
  return {
    video: described(facts, window, tracks),
    quality: recipe.codec === 'copy' ? 'lossless' : (tracks.quality ?? null),
    recipe: resolved,
    takesOriginal: takesOriginal({ recipe, neverLarger }, source, container),
  }
}

/** @throws FailureError if either video can't be read */
export async function compareVideos(request: ComparedVideos): Promise<PreviewVideo> {
  const { start } = request
  silence()
  await using original = await openInput(request.path, request.identity)
  await using result = await openInput(request.result, request.resultIdentity)
  const made = await openedFacts(result.path)
  const { width, height } = made.extent
  // The original's crop is unknown here, so show the original in the aspect ratio of the result.
  const recipe = VideoRecipe.parse({ height: Math.min(width, height), crop: { aspect: width / height } })
  const job = jobFor(original.path, recipe)
  await using source = await openSourceFile(original.path, job.signal)
  const facts = factsOf(source)
  const window = await windowIn(source, job, start)
  const before = await plainTrack(job, window)
  const frames = Math.max(1, Math.round(made.rate * before.seconds))
  const after = await plainTrack(
    jobFor(result.path, VideoRecipe.parse({})),
    { ...window, frames },
    before.zero,
  )
  await Promise.all([original.requireSame(), result.requireSame()])
  return described(facts, window, { before, after })
}

function jobFor(inputPath: string, recipe: VideoRecipe): Job {
  return {
    inputPath,
    recipe,
    variation: undefined,
    neverLarger: false,
    temporaryPath() {
      throw new Error("A preview doesn't write files.")
    },
    onProgress() {},
    // Never aborted: the client cancels a preview by ending this process.
    signal: new AbortController().signal,
  }
}

type Facts = ReturnType<typeof factsOf>

/** @returns `rate`: frames per second */
function factsOf({ video, duration }: SourceFile) {
  const { num, den } = rateOf(video)
  return {
    extent: displayedExtent(video),
    rate: num / den,
    seconds: duration ?? 0,
    isHdr: highDynamicRange(video.codecpar) !== undefined,
  }
}

async function openedFacts(path: string): Promise<Facts> {
  await using source = await openSourceFile(path, new AbortController().signal)
  return factsOf(source)
}

const SAMPLE_SECONDS = 2.5
/** Maximum size of a decoded sample, because all of its frames are in memory at the same time. */
const MAX_SAMPLE_BYTES = 500_000_000
const BYTES_OF_PIXEL = 1.5

async function windowIn(
  source: SourceFile,
  { recipe, signal }: Job,
  start: number | null,
): Promise<SampleWindow> {
  const { extent, rate } = factsOf(source)
  const scale = Math.min(1, (recipe.height ?? Infinity) / Math.min(extent.width, extent.height))
  const affordable = MAX_SAMPLE_BYTES / (extent.width * extent.height * scale ** 2 * BYTES_OF_PIXEL)
  const frames = Math.ceil(Math.min(affordable, rate * SAMPLE_SECONDS))
  if (start !== null) return { start, frames }
  return busiestWindow(await surveyVideo(source, signal), SAMPLE_SECONDS, frames)
}

type Placed = VideoTrack & {
  /** Time of its first frame, in seconds of the video. */
  readonly zero: number
  readonly seconds: number
}

type Sides = {
  readonly before: Placed
  readonly after: VideoTrack | null
  readonly quality?: Quality | undefined
}

/** Overrides the settings that must not affect the original. The original's geometry still follows the recipe. */
const AS_THE_ORIGINAL = { codec: 'h264', container: 'same', fps: undefined, grayscale: false } as const

async function bothSides(job: Job, { rate }: Facts, window: SampleWindow): Promise<Sides> {
  const { recipe } = job
  const { codec, grayscale } = recipe
  const fps = mostFps(recipe) ?? rate
  if (codec === 'copy' || codec === 'none')
    return { before: await plainTrack(jobFor(job.inputPath, VideoRecipe.parse({})), window), after: null }
  // The original must not be shown with the recipe's frame rate and colors, or with the palette of a GIF.
  const isShared = fps >= rate && !grayscale && codec !== 'gif'
  const apart = isShared
    ? undefined
    : await plainTrack({ ...job, recipe: { ...recipe, ...AS_THE_ORIGINAL } }, window)
  const frames = Math.max(1, Math.round(window.frames * Math.min(1, fps / rate)))
  using sample = await takeSample(job, codec, { ...window, frames })
  const { crf, bitrate } = recipe
  using encoded = await encodeSample(sample, sample.software({ crf, bitrate }))
  const before = apart ?? (await placed(sample))
  return { before, ...(await decodedAgain(sample, codec, encoded, before.zero)) }
}

async function plainTrack(job: Job, window: SampleWindow, zero?: number): Promise<Placed> {
  using sample = await takeSample(job, 'h264', window)
  return await placed(sample, zero)
}

async function placed({ frames, rate }: Sample, zero = secondsOf(frames[0])): Promise<Placed> {
  const track = await previewTrackOf(frames, { rate, zero })
  const last = track.pictures.at(-1)?.seconds ?? 0
  return { ...track, zero, seconds: last + rate.den / rate.num }
}

async function decodedAgain(
  { frames, rate }: Sample,
  codec: EncodedCodec,
  encoded: Parameters<typeof decodeSample>[0],
  zero: number,
): Promise<Pick<Sides, 'quality'> & { readonly after: VideoTrack }> {
  const [whole] = encoded.packets
  const decoded: TimedFrame[] =
    codec === 'webp' && whole?.data ? await decodeAnimatedWebp(whole.data, frames) : []
  try {
    if (codec !== 'webp')
      await decodeSample(encoded, (frame) => {
        const original = frames[decoded.length]
        if (original === undefined) return
        const copy = cloneOf(frame)
        copy.pts = original.frame.pts
        decoded.push({ frame: copy, timeBase: original.timeBase })
      })
    return { after: await previewTrackOf(decoded, { rate, zero }), quality: await qualityOf(frames, decoded) }
  } finally {
    for (const { frame } of decoded) frame.free()
  }
}

/** Returns undefined for frames that can't be compared, such as those of a GIF. */
async function qualityOf(
  frames: Sample['frames'],
  decoded: readonly TimedFrame[],
): Promise<Quality | undefined> {
  try {
    using meter = await createScoreMeter(frames[0])
    for (const [index, { frame }] of decoded.entries()) {
      const original = frames[index]
      if (original !== undefined) meter.add(original.frame, frame)
    }
    return { score: scoreOfDecibels(meter.score()), isSampled: true }
  } catch {
    return undefined
  }
}

function described(facts: Facts, window: SampleWindow, { before, after }: Sides): PreviewVideo {
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
    videoSeconds: Math.max(facts.seconds, zero + seconds),
  }
}
