/** Holds a finished photo against its original: takes both inventories, and compares them and the pictures. */
import { readFile } from 'node:fs/promises'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { codestreamOf, playsOf } from '../image/jpeg-xl-file.ts'
import { openImage, type SourceImage } from '../image/source-image.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import { photoInventory, usesAlpha } from './photo-inventory.ts'
import { isWorthComparing, looksLikeOriginal } from './same-picture.ts'

/**
 * @param photo the original, as it was opened for the result
 * @returns the finished file with what it lost
 * @throws FailureError if the result can't be read, or doesn't look like the original
 */
export async function holdPhoto(
  { inputPath, recipe, variation }: FileJob<ImageRecipe>,
  photo: SourceImage,
  file: FinishedFile,
): Promise<FinishedFile> {
  const isVaried = variation !== undefined
  const isCompared = !isVaried && isWorthComparing(photo)
  if (isCompared && !(await looksLikeOriginal(inputPath, photo, file.temporaryPath, recipe)))
    throw new FailureError(failure('resultDiffers'))
  const after = await photoInventory(file.temporaryPath, await openedResult(photo, file))
  const before = await photoInventory(inputPath, photo)
  const hasAlpha = before.hasAlpha && !after.hasAlpha ? await usesAlpha(photo) : before.hasAlpha
  const asked = { recipe: { kind: 'image', image: recipe }, isVaried } as const
  const found = compareInventories({ ...before, hasAlpha }, after, asked)
  return { ...file, losses: mergeLosses(file.losses, found) }
}

/** Opens a result. Opening a JPEG XL decodes it completely, so that is done only to count its frames. */
async function openedResult(photo: SourceImage, file: FinishedFile): Promise<SourceImage> {
  const { temporaryPath, extension, width, height } = file
  if (extension !== 'jxl') return openImage(temporaryPath)
  if (photo.animation !== undefined && (await isAnimatedJpegXl(temporaryPath)))
    return openImage(temporaryPath)
  const { animation: _, ...still } = photo
  return { ...still, format: 'jxl', frames: 1, width, height }
}

async function isAnimatedJpegXl(path: string): Promise<boolean> {
  const coded = codestreamOf(await readFile(path))
  return coded !== undefined && playsOf(coded) !== undefined
}
