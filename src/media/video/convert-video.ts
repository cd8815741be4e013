/** One pass over a video, with a recipe that says how its pictures are made: read, decode, encode or copy, write. */
import { Packet, type Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { ResultNote } from '../../shared/result-notes.ts'
import { type FileJob, type FinishedFile, ProcessingError } from '../protocol.ts'
import {
  alphaMark,
  type Container,
  containerFor,
  holdsAudio,
  keptFileMetadata,
  keptStreamMetadata,
  subtitleWay,
} from './container.ts'
import { createCopyTrack } from './copy-track.ts'
import { codecName, mustSucceed } from '../ffmpeg/ffmpeg.ts'
import { hasSound } from './encoder-settings.ts'
import type { OpenEncoder } from './picture-encoder.ts'
import { createPictureTrack } from './picture-track.ts'
import { createProgressMeter, type ProgressMeter } from './progress-meter.ts'
import { createSoundTrack, type SoundCodec } from './sound-track.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { createSubtitleTrack } from './subtitle-track.ts'
import { createTargetFile, type TargetFile } from './target-file.ts'
import { runAll, type Track } from './track.ts'
import { isWithinLimits } from './within-limits.ts'

export type ConvertedVideo = FinishedFile & {
  /** Of the pictures alone, without sound and what the container adds. */
  readonly pictureBytes: number
}

/**
 * The upright default picture of the file, all its sound tracks, and what the recipe and the container keep of the rest.
 *
 * @throws as `processVideo` does
 */
export async function convertVideo(
  job: FileJob<VideoRecipe>,
  instead: Instead = {},
): Promise<ConvertedVideo> {
  const source = await openSourceFile(job.inputPath, job.signal)
  try {
    const copies = copiesPictures(job, source)
    const settled = copies ? { ...job, recipe: copyingPictures(job.recipe) } : job
    const written = await writeVideo(settled, source, instead)
    return copies ? { ...written, notes: ['pictures-copied', ...written.notes] } : written
  } finally {
    await source.close()
  }
}

/** Whether `convertVideo` would take the pictures over instead of encoding them. */
export async function isCopied(job: FileJob<VideoRecipe>): Promise<boolean> {
  const source = await openSourceFile(job.inputPath, job.signal)
  try {
    return copiesPictures(job, source)
  } finally {
    await source.close()
  }
}

const copiesPictures = ({ variation, recipe }: FileJob<VideoRecipe>, { picture }: SourceFile): boolean =>
  variation === undefined && isWithinLimits(picture, recipe)

/** The same recipe with the pictures as they are. */
export function copyingPictures(recipe: VideoRecipe): VideoRecipe {
  return { ...recipe, codec: 'copy', height: undefined, fps: undefined }
}

async function writeVideo(
  job: FileJob<VideoRecipe>,
  source: SourceFile,
  instead: Instead,
): Promise<ConvertedVideo> {
  if (job.recipe.codec === 'webp') refuseTooLong(source)
  const container = containerFor(job, source)
  const path = job.temporaryPath(container.extension)
  const target = await createTargetFile(
    path,
    container,
    keptFileMetadata(source.metadata, job.recipe.metadata),
  )
  try {
    const notes = new Set<ResultNote>()
    await convert({ job, source, target, container, ...instead, notes })
    return {
      temporaryPath: path,
      extension: container.extension,
      ...target.pictureSize(),
      pictureBytes: target.pictureBytes(),
      notes: [...notes],
    }
  } finally {
    await target.close()
  }
}

/** Of what the recipe says. */
export type Instead = {
  /** Bits a second that all sound is encoded with. */
  readonly soundBitrate?: number | undefined
  /** What encodes the pictures. */
  readonly open?: OpenEncoder | undefined
}

type Conversion = Instead & {
  readonly job: FileJob<VideoRecipe>
  readonly source: SourceFile
  readonly target: TargetFile
  readonly container: Container
  /** What turns out to be worth saying. */
  readonly notes: Set<ResultNote>
}

async function convert(conversion: Conversion): Promise<void> {
  const { job, source, target } = conversion
  const meter = createProgressMeter(
    source.duration,
    (progress) => job.onProgress(progress),
    () => performance.now(),
  )
  const tracks = new Map<number, Track>()
  try {
    await addPicture(conversion, meter, tracks)
    for (const sound of hasSound(job.recipe) ? source.sounds : []) {
      await addSound(conversion, sound, tracks)
    }
    for (const subtitle of job.recipe.subtitles === 'none' ? [] : source.subtitles) {
      addSubtitle(conversion, subtitle, tracks)
    }
    addAttachments(conversion)
    source.ignoreData()
    await runTracks(job, source, target, tracks)
    meter.finishing()
    await target.finish()
    job.signal.throwIfAborted()
  } finally {
    for (const track of tracks.values()) track.free()
  }
}

/** All pictures of it are shown without a player that could jump, and browsers decode them from the beginning. */
const LONGEST_MOVING_PICTURE_SECONDS = 60

function refuseTooLong({ duration = Infinity }: SourceFile): void {
  if (duration <= LONGEST_MOVING_PICTURE_SECONDS) return
  const long =
    duration === Infinity ? 'nobody knows how long this one is' : `this one has ${Math.round(duration)}`
  throw new ProcessingError(
    `Only films of up to ${LONGEST_MOVING_PICTURE_SECONDS} seconds become WebP pictures; ${long}.`,
  )
}

/** By the index of the stream in the source. */
type Tracks = Map<number, Track>

async function addPicture(
  { job, source, target, container, open, notes }: Conversion,
  meter: ProgressMeter,
  tracks: Tracks,
): Promise<void> {
  const { recipe, variation } = job
  const stream = source.picture
  const start = source.startIn(stream)
  const metadata = keptStreamMetadata(stream, recipe.metadata)
  const track =
    recipe.codec === 'copy'
      ? createCopyTrack({
          source: stream,
          start,
          container,
          target,
          onCopied: meter.copying,
          metadata: { ...metadata, ...alphaMark(stream) },
        })
      : await createPictureTrack({
          source: stream,
          start,
          codec: recipe.codec,
          recipe,
          variation,
          container,
          target,
          metadata,
          open,
          onDescribed: () => target.begin(),
          onEncoded: meter.encoding,
          onToneMapped: () => void notes.add('tone-mapped'),
        })
  tracks.set(stream.index, track)
}

async function addSound(
  { job, source, target, container, soundBitrate }: Conversion,
  stream: Stream,
  tracks: Tracks,
): Promise<void> {
  const { audio, audioBitrate, metadata } = job.recipe
  if (audio === 'none') return
  const present = soundBitrate === undefined ? codecName(stream) : 'none'
  const codec = soundCodec(audio, present, container)
  const common = {
    source: stream,
    start: source.startIn(stream),
    target,
    metadata: keptStreamMetadata(stream, metadata),
  }
  const track =
    codec === 'copy'
      ? createCopyTrack({ ...common, container })
      : await createSoundTrack({ ...common, codec, bitrate: soundBitrate ?? audioBitrate })
  tracks.set(stream.index, track)
}

/** Sound that is already what the recipe asks for isn't made worse by encoding it a second time. */
function soundCodec(wanted: 'keep' | SoundCodec, present: string, container: Container): SoundCodec | 'copy' {
  if (holdsAudio(container, present) && (wanted === 'keep' || wanted === present)) return 'copy'
  const usual = container.muxer === 'webm' ? 'opus' : 'aac'
  return wanted !== 'keep' && holdsAudio(container, wanted) ? wanted : usual
}

function addSubtitle({ job, source, target, container }: Conversion, stream: Stream, tracks: Tracks): void {
  const way = subtitleWay(container, codecName(stream))
  if (way === 'drop') return
  const metadata = keptStreamMetadata(stream, job.recipe.metadata)
  const common = { source: stream, start: source.startIn(stream), target, metadata }
  tracks.set(
    stream.index,
    way === 'copy' ? createCopyTrack({ ...common, container }) : createSubtitleTrack({ ...common, ...way }),
  )
}

/** The fonts of styled subtitles; they have no packets and go over with the description alone. */
function addAttachments({ job, source, target, container }: Conversion): void {
  if (container.muxer !== 'matroska' || job.recipe.subtitles === 'none') return
  for (const attachment of source.attachments) {
    const stream = target.addStream(attachment.metadata?.getAll() ?? {})
    mustSucceed(attachment.codecpar.copy(stream.codecpar), 'copied')
  }
}

async function runTracks(
  { recipe, signal }: FileJob<VideoRecipe>,
  source: SourceFile,
  target: TargetFile,
  tracks: Tracks,
): Promise<void> {
  const failAll = (reason: unknown): void => {
    for (const track of tracks.values()) track.fail(reason)
  }
  const stop = (): void => failAll(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    // Copied tracks are described from the start; a picture that is encoded is so after its first frame.
    if (recipe.codec === 'copy') await target.begin()
    await runAll([readWhole(source, tracks), ...[...tracks.values()].map((track) => track.run())], failAll)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Shorter ones have headers too rough to be held to. */
const SECONDS_WORTH_JUDGING = 2

/** A copy that was broken off has its index, but not what the index promises. */
async function readWhole(source: SourceFile, tracks: Tracks): Promise<void> {
  const reached = await readAll(source, tracks)
  const promised = source.duration ?? 0
  if (promised > SECONDS_WORTH_JUDGING && reached < promised / 2) {
    const missing = Math.round((1 - reached / promised) * 100)
    throw new ProcessingError(`The file is incomplete: ${missing} % of it are missing.`)
  }
}

/** @returns the seconds of the file that were reached, on whichever track got furthest */
async function readAll(source: SourceFile, tracks: Tracks): Promise<number> {
  let reached = 0
  for (;;) {
    const packet = new Packet()
    packet.alloc()
    if (!(await source.read(packet))) {
      packet.free()
      break
    }
    reached = Math.max(reached, source.endOf(packet))
    const track = tracks.get(packet.streamIndex)
    if (track === undefined) packet.free()
    else await track.take(packet)
  }
  for (const track of tracks.values()) track.end()
  return reached
}
