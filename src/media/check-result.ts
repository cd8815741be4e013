/**
 * Checks whether a result may replace its original: decodes every pixel and every frame, and compares the result with what its recipe
 * promises.
 */
import type { ImageRecipe, VideoRecipe } from '../shared/preset/preset.ts'
import { keepsAnimation } from './image/encode-image.ts'
import { type Extent, planGeometry } from './image/geometry.ts'
import type { ResultCheck } from './protocol.ts'

/** Frames of the same video may differ by this much, because some are shown for a moment only. */
const SHARE_OFF = 0.02

/** @returns false if the result is damaged, incomplete or something else than promised */
export async function isGoodResult(check: ResultCheck, signal: AbortSignal): Promise<boolean> {
  try {
    return check.kind === 'image' ? await isGoodImage(check) : await isGoodVideo(check, signal)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

async function isGoodImage({ original, result, recipe }: ResultCheck): Promise<boolean> {
  const { openImage } = await import('./image/source-image.ts')
  const { outputFormatFor } = await import('./image/process-image.ts')
  const [before, after] = [await openImage(original), await openImage(result)]
  await decodeImage(result)
  if (recipe === null) return true
  if (recipe.kind !== 'image') return false
  const format = outputFormatFor(before, recipe.image.format)
  const isAnimated = recipe.image.animation === 'keep' && keepsAnimation(format) && before.frames > 1
  // Encoders merge equal frames.
  const hasFrames = isAnimated ? after.frames > 1 && after.frames <= before.frames : after.frames === 1
  return after.format === format && hasFrames && isPromisedSize(before, after, recipe.image)
}

/** Decodes an image completely. @throws if it is damaged */
async function decodeImage(path: string): Promise<void> {
  const { default: sharp } = await import('sharp')
  const { openImage } = await import('./image/source-image.ts')
  const image = await openImage(path)
  const { input, options } = await (image.frameSource?.() ?? image.source())
  // The pages of a TIFF may differ in size, so they aren't frames of one image.
  const pages = image.format === 'tiff' ? (image.stored?.pages ?? 1) : 1
  for (let page = 0; page < pages; page++)
    await sharp(input, { ...options, failOn: 'warning', animated: image.frames > 1, page }).stats()
}

function isPromisedSize(before: Extent, after: Extent, recipe: ImageRecipe): boolean {
  const { image, framed } = planGeometry(before, recipe, undefined)
  const promised = framed ?? image
  if (recipe.mayShrink) return after.width <= promised.width && after.height <= promised.height
  return after.width === promised.width && after.height === promised.height
}

async function isGoodVideo({ original, result, recipe }: ResultCheck, signal: AbortSignal): Promise<boolean> {
  if (recipe !== null && recipe.kind !== 'video') return false
  // An animated image has no timestamps to compare, and it is never what replaces a video.
  if (recipe?.video.codec === 'webp') return false
  const { measureVideo } = await import('./video/measure-video.ts')
  const { secondsShorter } = await import('./inventory/video-comparisons.ts')
  const [before, after] = [
    await measureVideo(original, 'packets', signal),
    await measureVideo(result, 'frames', signal),
  ]
  const isOther =
    secondsShorter(before.seconds, after.seconds) > 0 || secondsShorter(after.seconds, before.seconds) > 0
  if (isOther) return false
  if (recipe === null) return after.frames > 0
  const { fps } = recipe.video
  const promised = fps === undefined ? before.frames : Math.min(before.frames, before.seconds * fps)
  return after.frames >= promised * (1 - SHARE_OFF) - 2 && isPromisedHeight(before, after, recipe.video)
}

function isPromisedHeight(before: Extent, after: Extent, { height, crop, mayShrink }: VideoRecipe): boolean {
  const side = Math.min(after.width, after.height)
  const most = Math.min(before.width, before.height, height ?? Infinity)
  // Encoders need even sides.
  if (side > most + 1) return false
  return mayShrink || crop !== undefined || side >= most - 1
}
