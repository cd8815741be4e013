/**
 * Foresees what a result will lose. Reads as little as possible: decodes a small image only to check for transparent parts, and reads a
 * video's first packets only to find metadata and flight logs in them. The result is compared as if it had everything that its format can
 * hold. This never reports more losses than the comparison with the finished result, and often reports fewer.
 */
import { holding } from '../../shared/preset/photo-formats.ts'
import { type Foresight, NOTHING_FORESEEN } from '../../shared/loss/foreseen.ts'
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'
import { looksLikeJpegXl } from '../image/jpeg-xl-file.ts'
import { onlyRemovesMetadata } from '../image/only-compresses.ts'
import { outputFormatFor } from '../image/process-image.ts'
import { planGeometry } from '../image/geometry.ts'
import { readHead } from '../image/read-head.ts'
import { openImage } from '../image/source-image.ts'
import type { Recipe } from '../protocol.ts'
import { compareInventories } from './compare-inventories.ts'
import { mostOfPhoto, PHOTO_COMPARISONS } from './photo-comparisons.ts'
import { photoInventory, usesAlpha } from './photo-inventory.ts'

/**
 * @param path of the original, which is only read
 * @throws if the file can't be read, or the recipe can't process it
 */
export const foreseeLosses = (path: string, recipe: Recipe, signal: AbortSignal): Promise<Foresight> =>
  recipe.kind === 'image' ? foreseeInPhoto(path, recipe.image) : foreseeInVideo(path, recipe.video, signal)

const foreseeInVideo = async (path: string, recipe: VideoRecipe, signal: AbortSignal) =>
  (await import('./foresee-video.ts')).foreseeInVideo(path, recipe, signal)

/** Maximum number of pixels to check for transparent parts. Decoding more takes too long. */
const MOST_PIXELS = 25_000_000

async function foreseeInPhoto(path: string, recipe: ImageRecipe): Promise<Foresight> {
  // Opening a JPEG XL decodes it completely.
  if (looksLikeJpegXl(readHead(path))) return NOTHING_FORESEEN
  const photo = await openImage(path)
  const before = await photoInventory(path, photo)
  const { image, framed = image } = planGeometry(before, recipe, undefined)
  const isCopied = onlyRemovesMetadata(photo, recipe)
  const resultFormat = isCopied ? before.format : holding(outputFormatFor(photo, recipe)).name
  const most = mostOfPhoto(before, resultFormat)
  const pixelAspect = recipe.rotate % 180 === 0 ? most.pixelAspect : 1 / most.pixelAspect
  const after = { ...most, width: framed.width, height: framed.height, pixelAspect }
  const found = compareInventories(PHOTO_COMPARISONS, before, after, { recipe, isVaried: false })
  const isOpaque = async () =>
    photo.width * photo.height * photo.frames > MOST_PIXELS || !(await usesAlpha(photo))
  const lost = [...(photo.losses ?? []), ...found]
  const isFalse = lost.some(({ code }) => code === 'alpha') && (await isOpaque())
  return {
    losses: isFalse ? lost.filter(({ code }) => code !== 'alpha') : lost,
    holds: {
      pages: before.pages,
      chapters: 0,
      keepsHdr: before.hdr !== 'none' && after.hdr !== 'none' && recipe.hdr === 'keep',
      resultFormat: after.format,
    },
  }
}
