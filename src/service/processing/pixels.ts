/** Calculates how many pixels results have, for predictions. */
import { type Extent, MAX_PIXELS } from '../../shared/extent.ts'
import type { FileHeader } from '../../shared/model/file-facts.ts'
import type { ImageRecipe, VideoRecipe } from '../../shared/preset/preset.ts'

/** For a video of unknown dimensions. */
export const USUAL_VIDEO: Extent = { width: 1920, height: 1080 }

/** Returns the dimensions in a header; undefined if they are unknown or absurd. A damaged header may contain any number. */
export function extentOf({ width, height }: Pick<FileHeader, 'width' | 'height'>): Extent | undefined {
  if (width === null || height === null || width < 1 || height < 1) return undefined
  return width * height <= MAX_PIXELS ? { width, height } : undefined
}

/** Returns the maximum number of pixels in the result. */
export function pixelsOfPhoto({ size }: Pick<ImageRecipe, 'size'>, { width, height }: Extent): number {
  if (size === undefined) return width * height
  // The image is cropped to the box, or the rest of the box is filled.
  if (size.fit !== 'inside') return (size.width ?? width) * (size.height ?? height)
  const scale = Math.min((size.width ?? Infinity) / width, (size.height ?? Infinity) / height)
  return width * height * Math.min(scale, size.enlarge ? Infinity : 1) ** 2
}

/** Returns the number of pixels in a frame of the result. */
export function pixelsOfVideo(recipe: Pick<VideoRecipe, 'height'>, { width, height }: Extent): number {
  const scale = Math.min(1, (recipe.height ?? Infinity) / Math.min(width, height))
  return width * height * scale ** 2
}
