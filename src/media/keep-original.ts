/** Replaces results whose quality is too low with their originals, without the metadata that the recipe removes. */
import type { Extent } from '../shared/extent.ts'
import { resultKindOf } from '../shared/media-types.ts'
import { ImageRecipe, VideoRecipe } from '../shared/preset/preset.ts'
import { extensionOfCopy, takeOriginal } from './never-larger.ts'
import type { FileJob, FinishedFile, Recipe, WorkerTask } from './protocol.ts'

/** Whether the measured quality is below the task's limit. An unknown quality isn't too low. */
export function isTooLow({ quality }: FinishedFile, { keepBelowQuality: limit }: WorkerTask): boolean {
  return limit !== undefined && typeof quality === 'object' && quality.score < limit
}

type Keeping = Pick<FileJob<unknown>, 'temporaryPath'> & {
  readonly process: (recipe: Recipe) => Promise<FinishedFile>
}

/**
 * @returns the original as a result, without the metadata that the recipe removes; the measured result if results can't have the original's
 * extension
 */
export async function keepOriginal(
  file: FinishedFile,
  inputPath: string,
  { keepBelowQuality: below, recipe }: WorkerTask,
  { temporaryPath, process }: Keeping,
): Promise<FinishedFile> {
  const quality = typeof file.quality === 'object' ? { ...file.quality, below } : file.quality
  const bare = withoutMetadata(recipe)
  if (bare !== undefined) {
    const made = await process(bare)
    return { ...made, quality, notes: [...made.notes, 'quality-too-low'] }
  }
  const extension = await extensionOfCopy(inputPath)
  if (resultKindOf(`original.${extension}`) === undefined) return file
  return {
    temporaryPath: await takeOriginal({ inputPath, temporaryPath }, extension),
    extension,
    ...(await extentOf(inputPath, recipe)),
    ...(file.taken === undefined ? {} : { taken: file.taken }),
    notes: ['quality-too-low'],
    losses: [],
    isCopy: true,
    quality,
  }
}

/** Returns a recipe that only removes the same metadata; undefined if the given recipe keeps all metadata. */
function withoutMetadata({ kind, ...recipe }: Recipe): Recipe | undefined {
  const { metadata } = 'image' in recipe ? recipe.image : recipe.video
  if (metadata === 'keep') return undefined
  return kind === 'image'
    ? { kind, image: ImageRecipe.parse({ metadata, quality: 92, colour: 'keep' }) }
    : { kind, video: VideoRecipe.parse({ metadata, container: 'same', codec: 'copy' }) }
}

async function extentOf(path: string, { kind }: Recipe): Promise<Extent> {
  if (kind === 'image') {
    const { openImage } = await import('./image/source-image.ts')
    const { width, height } = await openImage(path)
    return { width, height }
  }
  const { openSourceFile } = await import('./video/source-file.ts')
  const { displayedExtent } = await import('./video/shown-picture.ts')
  await using source = await openSourceFile(path, new AbortController().signal)
  return displayedExtent(source.video)
}
