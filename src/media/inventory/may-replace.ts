/** Decides whether a result may replace its original: all its pixels and frames decode, nothing is lost, and it meets the recipe. */
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'
import { planGeometry } from '../image/geometry.ts'
import type { ResultCheck } from '../protocol.ts'
import { compareInventories } from './compare-inventories.ts'
import type { PhotoInventory, VideoInventory } from './inventory.ts'

/**
 * Returns whether the result may replace its original. A result that can't be read may not. Without a recipe, checks only that the result
 * decodes and, for a video, its length.
 */
export async function mayReplace(check: ResultCheck, signal: AbortSignal): Promise<boolean> {
  try {
    return check.kind === 'image' ? await mayReplacePhoto(check) : await mayReplaceVideo(check, signal)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

async function mayReplacePhoto({ original, result, recipe }: ResultCheck): Promise<boolean> {
  const { openImage } = await import('../image/source-image.ts')
  const { photoInventories } = await import('./hold-photo.ts')
  const { PHOTO_COMPARISONS } = await import('./photo-comparisons.ts')
  const { decodeWhole } = await import('../image/decode-whole.ts')
  const opened = await openImage(result)
  await decodeWhole(opened)
  if (recipe === null) return true
  if (recipe.kind !== 'image') return false
  const photo = await openImage(original)
  const { outputFormatFor } = await import('../image/process-image.ts')
  const { onlyRemovesMetadata } = await import('../image/only-compresses.ts')
  const isKept = opened.format === photo.format && onlyRemovesMetadata(photo, recipe.image)
  if (!isKept && opened.format !== outputFormatFor(photo, recipe.image)) return false
  const { before, after } = await photoInventories({ path: original, photo }, { path: result, photo: opened })
  const asked = { recipe: recipe.image, isVaried: false }
  const lost = compareInventories(PHOTO_COMPARISONS, before, after, asked)
  return lost.length === 0 && isPromisedPhoto(before, after, recipe.image)
}

/** Returns whether a photo isn't larger and doesn't have more frames than its recipe asks for. The comparison finds what is missing. */
function isPromisedPhoto(before: PhotoInventory, after: PhotoInventory, recipe: ImageRecipe): boolean {
  const { image, framed = image } = planGeometry(before, recipe, undefined)
  const frames = recipe.animation === 'keep' ? before.frames : 1
  return after.width <= framed.width && after.height <= framed.height && after.frames <= frames
}

async function mayReplaceVideo(
  { original, result, recipe }: ResultCheck,
  signal: AbortSignal,
): Promise<boolean> {
  if (recipe !== null && recipe.kind !== 'video') return false
  const { hasLength, hasTracks, VIDEO_COMPARISONS } = await import('./video-comparisons.ts')
  if (recipe !== null && !hasTracks(recipe.video)) return false
  const { inventoryOf } = await import('./hold-video.ts')
  const { measureVideo } = await import('../video/measure-video.ts')
  const measured = async (path: string, how: Parameters<typeof measureVideo>[1]): Promise<VideoInventory> => {
    const facts = await measureVideo(path, how, signal)
    return { ...(await inventoryOf(path, signal)), mostSeconds: undefined, ...facts }
  }
  const mostPerSecond = recipe?.video.fps
  const before = await measured(original, { decoding: false, mostPerSecond })
  const after = await measured(result, { decoding: true })
  // A longer result is a different video.
  if (after.frames === 0 || !hasLength(after, before) || !hasLength(before, after)) return false
  if (recipe === null) return true
  const asked = { recipe: recipe.video, isVaried: false }
  const lost = compareInventories(VIDEO_COMPARISONS, before, after, asked)
  return lost.length === 0 && isPromisedVideo(before, after, recipe.video)
}

/** Returns whether a video's short side isn't longer than its recipe asks for. Encoders need even sides, so it may be one pixel longer. */
const isPromisedVideo = (before: VideoInventory, after: VideoInventory, { height }: VideoRecipe): boolean =>
  Math.min(after.width, after.height) <= Math.min(before.width, before.height, height ?? Infinity) + 1
