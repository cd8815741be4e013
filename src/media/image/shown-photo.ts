/** Photos as the window shows them, for previews and for measuring quality: upright, SDR, sRGB. */
import type { Extent } from '../../shared/extent.ts'
import sharp, { type Sharp } from 'sharp'
import type { OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { type Drawing, keepsProfile, planDrawing, transformImage } from './draw-image.ts'
import { keepsDepth } from './encode-image.ts'
import { planGeometry } from './geometry.ts'
import { type RawImage, rawImageOf } from './raw-image.ts'
import { openImage, type SourceImage } from './source-image.ts'
import { isSrgbProfile } from './srgb-profile.ts'
import { wrapAsPng } from './stored-png.ts'
import { toSdr } from './to-sdr.ts'

/** An original at the result's dimensions, crop and rotation. */
export type Shaped = { readonly drawing: Drawing; readonly content: RawImage }

/** Opens the image and converts HDR to SDR, because the window can't show HDR. */
export const openShown = async (path: string): Promise<SourceImage> => toSdr(await openImage(path))

export async function shapePhoto(
  photo: SourceImage,
  format: OutputFormat,
  recipe: ImageRecipe,
): Promise<Shaped> {
  const drawing = await planDrawing(photo, format, {
    recipe: { ...recipe, animation: 'first-frame' },
    variation: undefined,
  })
  const image = await transformImage(drawing, 'error')
  return { drawing, content: await pixelsOf(image, drawing) }
}

/** Returns the pixels, with their profile if the recipe keeps colors. Without a profile, the pixels are already sRGB. */
async function pixelsOf(image: Sharp, drawing: Drawing): Promise<RawImage> {
  const { photo, format, recipe } = drawing
  const isDeep = photo.is16Bit && keepsDepth(format, recipe)
  const isProfiled = keepsProfile(drawing)
  if (isDeep || isProfiled || photo.isGray) {
    if (isDeep) image.toColourspace(photo.isGray ? 'grey16' : 'rgb16')
    // A deep image has already been converted.
    if (isProfiled || isDeep) image.keepIccProfile()
    return rawImageOf(image)
  }
  if (photo.is16Bit && photo.hasProfile) image.withIccProfile('srgb')
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  return { pixels: data, width: info.width, height: info.height, channels, metadata: {} }
}

/** Opens pixels with sharp. Wraps them in a PNG if they have 16 bits, or a profile, which raw pixels can't carry. */
export function imageOf(content: RawImage): Sharp {
  const { pixels, width, height, channels, depth = 8, metadata } = content
  if (depth === 8 && metadata.icc === undefined) return sharp(pixels, { raw: { width, height, channels } })
  return sharp(wrapAsPng({ ...content, metadata: { icc: metadata.icc } }), { limitInputPixels: false })
}

/** Converts an image to a PNG in sRGB. Uses the same color conversion for the original and the result. */
export async function inSrgb(image: Sharp): Promise<Buffer<ArrayBuffer>> {
  const { depth, space, icc } = await image.metadata()
  if (depth === 'ushort' && space !== 'grey16' && icc !== undefined) {
    // Otherwise, sharp would treat 16-bit colors as Display P3.
    if (isSrgbProfile(icc)) image.keepIccProfile()
    else image.withIccProfile('srgb', { attach: false })
  }
  return image.toColourspace('srgb').png({ compressionLevel: 0 }).toBuffer()
}

/** Returns the recipe, adjusted to the result's size. The job may have reduced the size further, or its recipe may be unknown. */
export function matching({ width, height }: Extent, photo: SourceImage, recipe: ImageRecipe): ImageRecipe {
  const planned = planGeometry(photo, recipe, undefined)
  const whole = planned.framed ?? planned.image
  if (whole.width === width && whole.height === height) return recipe
  return { ...recipe, size: { width, height, fit: 'cover', enlarge: true } }
}
