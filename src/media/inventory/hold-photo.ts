/** Compares a finished photo with its original, by their inventories and their pixels. */
import { readFile } from 'node:fs/promises'
import { failed } from '../../shared/failure/failure-error.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { borrowJpeg } from '../borrowed-file.ts'
import { codestreamOf, headerOf } from '../image/jpeg-xl-file.ts'
import { openImage, type SourceImage } from '../image/source-image.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import type { PhotoMetadata } from '../metadata/photo-metadata.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import { PHOTO_COMPARISONS } from './photo-comparisons.ts'
import { type PhotoFacts, photoInventory, usesAlpha } from './photo-inventory.ts'
import { isWorthComparing, looksLikeOriginal } from './same-picture.ts'

export type OpenedPhoto = { readonly photo: SourceImage; readonly metadata?: PhotoMetadata | undefined }

/**
 * Returns the finished file with what it lost.
 * @param original as it was opened for the result
 * @param hasOwnPixels whether the result's pixels were encoded rather than copied
 * @throws FailureError if the result can't be read, or doesn't look like the original
 */
export async function holdPhoto(
  { inputPath, recipe, variation }: FileJob<ImageRecipe>,
  { photo, metadata }: OpenedPhoto,
  file: FinishedFile,
  hasOwnPixels = true,
): Promise<FinishedFile> {
  const isVaried = variation !== undefined
  const isCompared = hasOwnPixels && !isVaried && isWorthComparing(photo)
  if (isCompared && !(await looksLikeOriginal(inputPath, photo, file.temporaryPath, recipe)))
    throw failed('resultDiffers')
  using result = borrowJpeg(file.temporaryPath)
  const made = { path: file.temporaryPath, photo: await openedResult(file, result?.content) }
  const { before, after } = await photoInventories({ path: inputPath, photo, metadata }, made)
  const found = compareInventories(PHOTO_COMPARISONS, before, after, { recipe, isVaried })
  return { ...file, losses: mergeLosses(file.losses, found) }
}

export async function photoInventories(
  { path, photo, metadata }: OpenedPhoto & { readonly path: string },
  result: { readonly path: string; readonly photo: PhotoFacts },
) {
  const after = await photoInventory(result.path, result.photo)
  const before = await photoInventory(path, photo, metadata)
  const hasAlpha = before.hasAlpha && (after.hasAlpha || (await usesAlpha(photo)))
  return { before: { ...before, hasAlpha }, after }
}

/** Opens a result. For a still JPEG XL, parses only the header, because opening the file would decode it completely. */
async function openedResult(
  { temporaryPath, extension, width, height }: FinishedFile,
  jpeg: Buffer | undefined,
): Promise<PhotoFacts> {
  if (jpeg !== undefined) return openImage(temporaryPath, jpeg)
  const content = extension === 'jxl' ? await readFile(temporaryPath) : undefined
  const coded = content && codestreamOf(content)
  if (content === undefined || coded === undefined) return openImage(temporaryPath)
  const { plays, bits, hasAlpha, color, hdr } = headerOf(coded)
  if (plays !== undefined) return openImage(temporaryPath)
  const hasOwnColors = color !== 'sRGB'
  return {
    format: 'jxl',
    content,
    width,
    height,
    frames: 1,
    bits,
    hasAlpha,
    hasOwnColors,
    isCmyk: false,
    ...(hdr && { hdr }),
  }
}
