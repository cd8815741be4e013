/**
 * Foresees what a result will lose, from headers only. The result is compared as if it had everything that its format can hold. So this
 * never names more than what a finished result would be found to lack, but often less.
 */
import { type Foresight, NOTHING_FORESEEN } from '../../shared/loss/foreseen.ts'
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'
import { looksLikeJpegXl } from '../image/jpeg-xl-file.ts'
import { outputFormatFor } from '../image/process-image.ts'
import { planGeometry } from '../image/geometry.ts'
import { readHead } from '../image/read-head.ts'
import { openImage } from '../image/source-image.ts'
import type { Recipe } from '../protocol.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import type { Inventory } from './inventory.ts'
import { mostOfPhoto } from './photo-comparisons.ts'
import { FORMATS, photoInventory, usesAlpha } from './photo-inventory.ts'
import { hasTracks } from './video-comparisons.ts'

/**
 * @param path of the original, which is only read
 * @throws if the file can't be read, or the recipe can't process it
 */
export const foreseeLosses = (path: string, recipe: Recipe, signal: AbortSignal): Promise<Foresight> =>
  recipe.kind === 'image' ? foreseeInPhoto(path, recipe.image) : foreseeInVideo(path, recipe.video, signal)

/** Whether parts of a photo are transparent is known only from its pixels, which takes too long for larger ones. */
const MOST_PIXELS = 25_000_000

async function foreseeInPhoto(path: string, recipe: ImageRecipe): Promise<Foresight> {
  // Opening one decodes it completely.
  if (looksLikeJpegXl(readHead(path))) return NOTHING_FORESEEN
  const photo = await openImage(path)
  const before = await photoInventory(path, photo)
  const asked = { recipe: { kind: 'image', image: recipe }, isVaried: false } as const
  const { image, framed = image } = planGeometry(before, recipe, undefined)
  const most = mostOfPhoto(before, FORMATS[outputFormatFor(photo, recipe.format)])
  const pixelAspect = recipe.rotate % 180 === 0 ? most.pixelAspect : 1 / most.pixelAspect
  const after = { ...most, width: framed.width, height: framed.height, pixelAspect }
  const found = compareInventories(before, after, asked)
  const isOpaque = async () =>
    photo.width * photo.height * photo.frames > MOST_PIXELS || !(await usesAlpha(photo))
  const lost = [...(photo.losses ?? []), ...found]
  const isFalse = lost.some(({ code }) => code === 'alpha') && (await isOpaque())
  return {
    losses: isFalse ? lost.filter(({ code }) => code !== 'alpha') : lost,
    holds: {
      pages: before.pages,
      chapters: 0,
      keepsHdr: keepsHdr(before, after, recipe),
      resultFormat: after.format,
    },
  }
}

const keepsHdr = (
  before: Inventory,
  after: Inventory,
  { hdr }: Pick<ImageRecipe | VideoRecipe, 'hdr'>,
): boolean => before.hdr !== 'none' && after.hdr !== 'none' && hdr === 'keep'

async function foreseeInVideo(path: string, recipe: VideoRecipe, signal: AbortSignal): Promise<Foresight> {
  if (!hasTracks(recipe)) return NOTHING_FORESEEN
  // FFmpeg is loaded only when a video needs it.
  const { foreseeVideo } = await import('./foresee-video.ts')
  const { before, after, known } = await foreseeVideo(path, recipe, signal)
  const asked = { recipe: { kind: 'video', video: recipe }, isVaried: false } as const
  return {
    losses: mergeLosses(known, compareInventories(before, after, asked)),
    holds: {
      pages: 1,
      chapters: before.chapters,
      keepsHdr: keepsHdr(before, after, recipe),
      resultFormat: after.format,
    },
  }
}
