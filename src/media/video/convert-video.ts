/** Converts a video in one pass: reads it, decodes, encodes or copies each track, and writes the result. */
import { failed } from '../../shared/failure/failure-error.ts'
import { rm } from 'node:fs/promises'
import { AVMEDIA_TYPE_SUBTITLE } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import { isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import {
  alphaMark,
  type Container,
  containerFor,
  isLosslessAudio,
  keptStreamMetadata,
  subtitleWay,
} from './container.ts'
import { keptChapters } from './chapters.ts'
import {
  AS_ASKED,
  changedSpeeds,
  encodedAgain,
  encodingVideo,
  otherPlan,
  type Plan,
  undecodableAudio,
  withoutTracks,
} from './convert-plan.ts'
import { createCopyTrack } from './copy-track.ts'
import { codecName, newPacket } from '../ffmpeg/ffmpeg.ts'
import { hasPauses } from './edits.ts'
import { addAttachments, addCovers } from './attached.ts'
import { holdsTelemetry, telemetryIn } from './data-tracks.ts'
import { hasAudio, isAudioOnly, keepsEverySample, supportedBitrate } from './encoder-settings.ts'
import { keptSubtitles, placesIn } from './flight-logs.ts'
import type { OpenEncoder } from './video-encoder.ts'
import { createEncodedTrack } from './encoded-track.ts'
import { audioCodec } from './audio-codec.ts'
import { createAudioTrack } from './audio-track.ts'
import {
  type Missing,
  missingOf,
  missingPackets,
  timelineOf,
  whatIsMissing,
  type WhatWasRead,
} from './missing-parts.ts'
import { isEncrypted, isMarkedEncrypted, openSourceFile, type SourceFile } from './source-file.ts'
import { createProgressReport, type Report, SHARE_BEFORE_FINISHING } from './progress-report.ts'
import { takePalette } from './sample.ts'
import { addRegions } from './subtitle-regions.ts'
import { copiedFileBoxes } from './mp4-file-boxes.ts'
import { keptTags } from './kept-tags.ts'
import { createSubtitleTrack } from './subtitle-track.ts'
import { withWantedTracks } from './track-languages.ts'
import { createTargetFile, type TargetFile } from './target-file.ts'
import { runAll, type Track, TrackFailed, type TrackSource } from './track.ts'
import { isWithinLimits } from './within-limits.ts'

export type ConvertedVideo = FinishedFile & {
  /** Bytes of the video track, without audio and container overhead. */
  readonly videoBytes: number
}

/**
 * Converts the main video track (upright) and all other tracks that the recipe and the container keep. Audio without video gets only the
 * main audio track. If a track turns out to be undecodable, converts the file again without it. If a track can't be copied, converts the
 * file again with encoding or another container.
 * @throws as `processVideo` does
 */
export async function convertVideo(
  job: FileJob<VideoRecipe>,
  instead: Instead = {},
): Promise<ConvertedVideo> {
  let plan: Plan = { ...AS_ASKED, isExact: instead.isExact ?? keepsEverySample(job.recipe) }
  for (;;) {
    let unfinished: string | undefined
    const attempt = {
      ...job,
      temporaryPath: (extension: string) => (unfinished = job.temporaryPath(extension)),
    }
    try {
      return await convertOnce(attempt, instead, plan)
    } catch (error) {
      const encodesVideo = plan.encodesVideo || !(job.recipe.codec === 'copy' || (await isCopied(job)))
      const other = otherPlan({ ...plan, encodesVideo }, error)
      if (other === undefined) throw error
      plan = other
      if (unfinished !== undefined) await rm(unfinished, { force: true })
    }
  }
}

async function convertOnce(job: FileJob<VideoRecipe>, instead: Instead, plan: Plan): Promise<ConvertedVideo> {
  await using whole = await openSourceFile(job.inputPath, job.signal, job.pause)
  const source = withWantedTracks(whole, job.recipe)
  const isAskedFor = job.recipe.codec === 'copy'
  const wantsCopy = isAskedFor || copiesVideo(job, source)
  const copies = wantsCopy && !plan.encodesVideo
  const copied = isAskedFor ? job.recipe : copyingVideo(job.recipe)
  const recipe = copies ? copied : encodingVideo(job.recipe, source)
  const written = await writeVideo({ ...job, recipe }, source, { ...instead, plan })
  const notes: ResultNote[] = []
  if (copies && !isAskedFor) notes.push('pictures-copied')
  if (wantsCopy && !copies) notes.push('encoded-instead')
  return { ...written, notes: [...notes, ...written.notes] }
}

/** Returns whether `convertVideo` would copy a video track that already meets the recipe. False if the recipe asks for a copy. */
export async function isCopied(job: FileJob<VideoRecipe>): Promise<boolean> {
  await using source = await openSourceFile(job.inputPath, job.signal, job.pause)
  return copiesVideo(job, source)
}

const copiesVideo = ({ variation, recipe }: FileJob<VideoRecipe>, { video }: SourceFile): boolean =>
  variation === undefined && isWithinLimits(video, recipe)

/** Returns the recipe, changed so that it copies the video track. */
export function copyingVideo(recipe: VideoRecipe): VideoRecipe {
  return { ...recipe, codec: 'copy', height: undefined, fps: undefined }
}

async function writeVideo(
  job: FileJob<VideoRecipe>,
  file: SourceFile,
  instead: Instead & { readonly plan: Plan },
): Promise<ConvertedVideo> {
  const source = withoutTracks(file, instead.plan.without)
  if (isAnimation(job.recipe.codec)) refuseTooLong(source)
  const container = containerFor(job, source, instead.plan)
  const path = job.temporaryPath(container.extension)
  const chapters = await keptChapters(job.inputPath, source, job.recipe.metadata)
  await using target = await createTargetFile(path, container, {
    ...keptTags(source, container, job.recipe.metadata, chapters),
    fileBoxes: await copiedFileBoxes(job.inputPath, job.recipe),
    chapters,
  })
  const notes = new Set<ResultNote>()
  const losses: Loss[] = [...changedSpeeds(source, job.recipe)]
  const missing: Missing[] = []
  const isGif = job.recipe.codec === 'gif'
  if (isGif) job.onProgress({ phase: 'Measuring', share: 0 })
  using palette = isGif ? await takePalette(job) : null
  if (hasAudio(job.recipe) && !isAudioOnly(job.recipe))
    losses.push(...undecodableAudio(source, job.recipe, instead.plan.without))
  const parts = { job, source, target, container, notes, losses, missing }
  const extents = await convert({ ...parts, ...instead, palette: palette ?? undefined })
  const gone = whatIsMissing(source, [...extents, ...missing])
  return {
    temporaryPath: path,
    extension: container.extension,
    ...target.videoSize(),
    taken: source.taken,
    videoBytes: target.videoBytes(),
    notes: [...notes],
    losses: [...losses, ...(gone?.losses ?? [])],
    problem: gone?.problem,
  }
}

export type Instead = {
  /** Whether the result must be lossless. By default, the recipe decides. */
  readonly isExact?: boolean
  /** Bits per second for every audio track. */
  readonly audioRate?: number | undefined
  readonly open?: OpenEncoder | undefined
}

type Conversion = Instead & {
  readonly job: FileJob<VideoRecipe>
  readonly source: SourceFile
  readonly target: TargetFile
  readonly container: Container
  readonly palette: Frame | undefined
  readonly notes: Set<ResultNote>
  /** Losses noticed during the conversion, with their reasons. The comparison of both files finds the other losses. */
  readonly losses: Loss[]
  /** Parts that couldn't be decoded, by track. */
  readonly missing: Missing[]
  readonly plan: Plan
}

async function convert(conversion: Conversion): Promise<readonly Missing[]> {
  const { job, source, target } = conversion
  const report = createProgressReport(source.duration, (progress) => job.onProgress(progress))
  const tracks = new Map<number, Track>()
  try {
    // Adds only the main audio track to audio without video, because most audio containers hold a single one.
    if (!isAudioOnly(job.recipe)) await addAll(conversion, report, tracks)
    else if (source.mainAudio !== undefined) await addAudio(conversion, source.mainAudio, tracks, report)
    await addCovers(job.inputPath, source, target, conversion.container, job.recipe.metadata)
    source.ignoreData(new Set(tracks.keys()))
    const extents = await runTracks(job, source, target, tracks)
    job.onProgress({ phase: 'Finishing', share: SHARE_BEFORE_FINISHING })
    await target.finish()
    job.signal.throwIfAborted()
    return extents
  } finally {
    for (const track of tracks.values()) track.free()
  }
}

async function addAll(conversion: Conversion, report: Report, tracks: Tracks): Promise<void> {
  const { job, source } = conversion
  await addVideo(conversion, report, tracks)
  for (const audio of hasAudio(job.recipe) ? source.audioStreams : [])
    await addAudio(conversion, audio, tracks)
  await addRegions(job.inputPath, source)
  for (const subtitle of await keptSubtitles(job, source)) addSubtitle(conversion, subtitle, tracks)
  addTelemetry(conversion, tracks)
  if (job.recipe.subtitles !== 'none')
    addAttachments(source, conversion.target, conversion.container, job.recipe.metadata)
}

/** Maximum length of an animated image. Users can't seek in it, and browsers decode it from the start. */
const MAX_ANIMATION_SECONDS = 60

function refuseTooLong({ duration = Infinity }: SourceFile): void {
  if (duration <= MAX_ANIMATION_SECONDS) return
  const limit = MAX_ANIMATION_SECONDS
  if (duration === Infinity) throw failed('animationOfUnknownLength', { limit })
  throw failed('animationTooLong', { limit, seconds: Math.round(duration) })
}

/** Tracks by their stream's index in the source. */
type Tracks = Map<number, Track>

async function addVideo(
  { job, source, target, container, palette, open, notes, missing }: Conversion,
  report: Report,
  tracks: Tracks,
): Promise<void> {
  const { recipe, variation } = job
  const stream = source.video
  const work = trackSource({ job, source, target }, stream)
  const { codec } = recipe
  if (codec === 'none') return
  if (codec === 'copy' && hasPauses(source, stream)) throw new TrackFailed(stream, 'videoNotCopyable')
  if (supportedBitrate(codec, recipe) !== recipe.bitrate) notes.add('bit-rate-adapted')
  const track =
    codec === 'copy'
      ? createCopyTrack(
          { ...work, metadata: { ...work.metadata, ...alphaMark(stream) } },
          container,
          (seconds) => report('Copying', seconds),
        )
      : await createEncodedTrack({
          ...work,
          codec,
          recipe,
          variation,
          container,
          palette,
          open,
          onDecoded: (spans) => void missing.push(missingOf(source, stream, spans)),
          onEncoded: (seconds) => report('Encoding', seconds),
          mayContinue: () => job.pause?.pass(job.signal),
          onToneMapped: () => void notes.add('tone-mapped'),
        })
  tracks.set(stream.index, track)
}

function trackSource(
  { job, source, target }: Pick<Conversion, 'job' | 'source' | 'target'>,
  stream: Stream,
): TrackSource {
  const wanted = job.recipe.metadata
  const metadata = keptStreamMetadata(stream, wanted)
  return { source: stream, start: source.startIn(stream), target, metadata, wanted }
}

/**
 * Adds a copied or encoded audio track, unless the recipe removes audio.
 * @param report set for audio without video, because the progress of the track is then that of the result
 */
async function addAudio(
  conversion: Conversion,
  stream: Stream,
  tracks: Tracks,
  report?: Report,
): Promise<void> {
  const { job, source, container, audioRate, plan, missing, notes } = conversion
  const { audio, audioBitrate } = job.recipe
  if (audio === 'none') return
  if (isMarkedEncrypted(stream)) throw new TrackFailed(stream, 'undecodable')
  const isSized = audioRate !== undefined
  const present = isSized ? 'none' : codecName(stream)
  const mayCopy = !isSized && !plan.encodesAudio
  const isExact = !isSized && plan.isExact
  const codec = audioCodec(audio, { codec: present, format: source.format, mayCopy, isExact }, container)
  // The comparison of both files can't find this loss. If the video is encoded, too, the note `encoded-instead` covers it.
  if (isExact && codec === present && !isLosslessAudio(present) && keepsEverySample(job.recipe))
    conversion.losses.push(encodedAgain(source, stream))
  if (codec === 'copy' && hasPauses(source, stream)) throw new TrackFailed(stream, 'audioNotCopyable')
  const work = trackSource(conversion, stream)
  const track =
    codec === 'copy'
      ? createCopyTrack(work, container, (seconds) => report?.('Copying', seconds))
      : await createAudioTrack(work, codec, audioRate ?? audioBitrate, {
          onEncoded: (seconds) => report?.('Encoding', seconds),
          onDecoded: (spans) => void missing.push(missingOf(source, stream, spans)),
          onBitrateAdapted: () => void notes.add('bit-rate-adapted'),
        })
  tracks.set(stream.index, track)
}

function addSubtitle(conversion: Conversion, stream: Stream, tracks: Tracks): void {
  const { container } = conversion
  const way = subtitleWay(container, stream, conversion.source)
  if (way === 'drop') return
  const work = trackSource(conversion, stream)
  if (way === 'copy') tracks.set(stream.index, createCopyTrack(work, container))
  else {
    const number = conversion.source.streams.filter(isSubtitle).indexOf(stream) + 1
    const onLost = (losses: readonly Loss[]) => void conversion.losses.push(...losses)
    tracks.set(stream.index, createSubtitleTrack(work, way, { number, in: container.title }, onLost))
  }
}

/** Copies telemetry, but only if all metadata is kept, because telemetry nearly always contains locations. */
function addTelemetry(conversion: Conversion, tracks: Tracks): void {
  const { job, source, container } = conversion
  if (job.recipe.metadata !== 'keep') return
  for (const { stream, type } of telemetryIn(source.streams, source.format))
    if (holdsTelemetry(container, type))
      tracks.set(stream.index, createCopyTrack(trackSource(conversion, stream), container))
}

const isSubtitle = ({ codecpar }: Stream): boolean => codecpar.codecType === AVMEDIA_TYPE_SUBTITLE

async function runTracks(
  { recipe, signal }: FileJob<VideoRecipe>,
  source: SourceFile,
  target: TargetFile,
  tracks: Tracks,
): Promise<readonly Missing[]> {
  const failAll = (reason: unknown): void => {
    for (const track of tracks.values()) track.fail(reason)
  }
  const stop = (): void => failAll(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    // If no video is encoded, the header can be written now. Otherwise, it is written once the encoder is open.
    if (recipe.codec === 'copy' || isAudioOnly(recipe)) await target.begin()
    const isRemoved = recipe.metadata === 'keep' ? () => false : placesIn(source)
    const reading = readAll(source, tracks, isRemoved)
    const writing = [...tracks.values()].map((track) => track.run())
    await runAll([reading, ...writing], failAll)
    return missingPackets(source, await reading)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Reads the whole file and passes its packets to the tracks. @throws TrackFailed if a packet is encrypted */
async function readAll(
  source: SourceFile,
  tracks: Tracks,
  isRemoved: (packet: Packet) => boolean,
): Promise<WhatWasRead> {
  // Subtitles and data have gaps anyway, so they don't show whether anything is missing.
  const audio = source.audioStreams.filter(({ index }) => tracks.has(index))
  const indexes = new Set([source.video, ...audio].map(({ index }) => index))
  const timelines = new Map([...indexes].map((index) => [index, timelineOf(source, index)]))
  let reached = 0
  for (;;) {
    const packet = newPacket()
    if (!(await source.read(packet))) {
      packet.free()
      break
    }
    const { streamIndex } = packet
    const span = source.spanOf(packet)
    const track = tracks.get(streamIndex)
    if (span !== undefined) timelines.get(streamIndex)?.add(span.from, span.to)
    reached = Math.max(reached, span?.to ?? 0)
    if (track === undefined || isRemoved(packet)) packet.free()
    else if (isEncrypted(packet)) {
      packet.free()
      throw new TrackFailed({ index: streamIndex }, 'undecodable')
    } else await track.take(packet)
  }
  for (const track of tracks.values()) track.end()
  return { timelines, reached }
}
