/**
 * Handles videos that are larger after encoding.
 * If the recipe only compresses, the original replaces the result. If the recipe also removes something, such as the audio,
 * the original video track is copied to a new file.
 */
import { stat } from 'node:fs/promises'
import { resultExtension } from '../../shared/media-types.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { extensionOfCopy, isTooLarge, takeOriginal } from '../never-larger.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { copyingVideo } from './convert-video.ts'
import { isVideoCodec, keepsEverySample } from './encoder-settings.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { withWantedTracks } from './track-languages.ts'
import { isInForm, isInShape } from './within-limits.ts'

/**
 * Replaces a result that is too large with the original, or with a result whose video track is copied, where the recipe allows it.
 * @param convert converts the file with the given recipe and the settings that produced `finished`
 */
export async function neverLarger(
  job: FileJob<VideoRecipe>,
  finished: FinishedFile,
  convert: (job: FileJob<VideoRecipe>, instead: { readonly isExact: boolean }) => Promise<FinishedFile>,
): Promise<FinishedFile> {
  if (!(await isTooLarge(job, finished.temporaryPath))) return finished
  await using source = await openSourceFile(job.inputPath, job.signal, job.pause)
  if (takesOriginal(job, source, finished)) {
    const extension = await extensionOfCopy(job.inputPath)
    const temporaryPath = await takeOriginal(job, extension)
    return { ...finished, temporaryPath, extension, notes: ['original-kept'], losses: [] }
  }
  if (job.recipe.codec === 'copy' || !isInForm(source.video, job.recipe)) return finished
  const isExact = keepsEverySample(job.recipe)
  const copied = await convert({ ...job, recipe: copyingVideo(job.recipe) }, { isExact })
  // The track may have been encoded, if it can't be copied.
  const isCopied = !copied.notes.includes('encoded-instead')
  if (!isCopied || !(await isSmaller(copied, finished))) return finished
  // Copying doesn't reveal damaged frames.
  return { ...copied, notes: ['pictures-copied'], problem: finished.problem ?? copied.problem }
}

async function isSmaller(one: FinishedFile, other: FinishedFile): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one.temporaryPath), stat(other.temporaryPath)])
  return first.size < second.size
}

/**
 * Returns whether the result would differ from the original only in quality. If so, the original may replace a larger result. With
 * `always`, differences in codec and format don't count.
 */
export function takesOriginal(
  { recipe, neverLarger }: Asked,
  source: SourceFile,
  { extension }: Pick<FinishedFile, 'extension'>,
): boolean {
  if (neverLarger === false || !keepsTheRest({ recipe, neverLarger }, source)) return false
  if (neverLarger === 'always') return hasVideo(recipe) && isInShape(source.video, recipe)
  return (recipe.codec === 'copy' || isInForm(source.video, recipe)) && isReally(extension, source)
}

const hasVideo = ({ codec }: VideoRecipe): boolean => codec === 'copy' || isVideoCodec(codec)

type Asked = Pick<FileJob<VideoRecipe>, 'recipe' | 'neverLarger'>

const MOV = 'mov'
const DEMUXERS: Readonly<Record<string, string>> = {
  mp4: MOV,
  mov: MOV,
  mkv: 'matroska',
  webm: 'matroska',
  avi: 'avi',
}

/** Returns whether the original has the result's format, by extension and content. Some programs give every video the same extension. */
const isReally = (extension: string, source: SourceFile): boolean =>
  resultExtension(extension, `original.${source.extension}`) === source.extension &&
  source.format.startsWith(DEMUXERS[extension] ?? '?')

/**
 * Returns whether the recipe keeps audio, subtitles and metadata. With `always`, the audio codec may differ.
 * Removing any metadata always needs a new file, because metadata may be in parts of the file that no library reads.
 */
function keepsTheRest({ recipe, neverLarger }: Asked, source: SourceFile): boolean {
  const { audio, subtitles, metadata } = recipe
  const mayDiffer = audio === 'keep' || (neverLarger === 'always' && audio !== 'none')
  const keepsAudio = mayDiffer || source.audioStreams.every((stream) => codecName(stream) === audio)
  const wanted = withWantedTracks(source, recipe)
  const keepsTracks =
    wanted.audioStreams.length === source.audioStreams.length &&
    wanted.subtitles.length === source.subtitles.length
  const keepsSubtitles = subtitles === 'keep' || source.subtitles.length === 0
  return metadata === 'keep' && keepsAudio && keepsSubtitles && keepsTracks
}
