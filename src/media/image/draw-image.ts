/** Applies everything in a recipe that precedes encoding. */
import sharp, { type FailOnOptions, type Sharp } from 'sharp'
import { holding, type OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import type { Animation } from './animation.ts'
import { keepsDepth, refuseTooLongSides } from './encode-image.ts'
import { frameDeep, reduceDeep, stretchDeep } from './full-white.ts'
import { type Geometry, planGeometry } from './geometry.ts'
import { grayInSrgb } from './gray-in-srgb.ts'
import type { SharpSource } from './sharp-source.ts'
import type { SourceImage } from './source-image.ts'

export type Drawing = Pick<FileJob<ImageRecipe>, 'recipe' | 'variation'> & {
  readonly photo: SourceImage
  readonly source: SharpSource
  /** Timing of the result; undefined if it isn't animated. */
  readonly timing?: Animation | undefined
  readonly format: OutputFormat
  readonly geometry: Geometry
}

/**
 * Plans the geometry of a result and chooses the source to read.
 * @throws FailureError if the format can't hold an image of the result's size
 */
export async function planDrawing(
  photo: SourceImage,
  format: OutputFormat,
  { recipe, variation }: Pick<FileJob<ImageRecipe>, 'recipe' | 'variation'>,
): Promise<Drawing> {
  const geometry = planGeometry(photo, recipe, variation)
  refuseTooLongSides(format, geometry.framed ?? geometry.image)
  const timing = recipe.animation === 'keep' && holding(format).hasAnimation ? photo.animation : undefined
  if (timing !== undefined && photo.frameSource !== undefined) {
    const source = await photo.frameSource()
    return { photo, source, format, geometry, recipe, variation, timing }
  }
  // A centered crop is scaled in the same step, so the decoder must not scale.
  const source = await photo.source(
    geometry.kept !== undefined && geometry.centred ? undefined : geometry.scaled,
  )
  const plan = { photo, source, format, geometry, recipe, variation, timing }
  const drawing = convertsAtOnce(plan)
    ? { ...plan, source: { ...source, options: { ...source.options, ignoreIcc: true } } }
    : plan
  const isConverted = photo.isGray && photo.hasProfile && !keepsProfile(drawing)
  const converted = isConverted ? await grayInSrgb(source) : undefined
  if (converted === undefined) return drawing
  return { ...drawing, photo: { ...photo, hasProfile: false }, source: converted }
}

/**
 * Returns whether the colors of a 16-bit image are converted for an 8-bit result in one step. Otherwise, sharp converts them to Display P3
 * first, which makes colors outside Display P3 less saturated. Excludes color changes, and backgrounds other than black and white, because
 * they need sRGB earlier.
 */
function convertsAtOnce(drawing: Drawing): boolean {
  const { photo, format, geometry, recipe, variation } = drawing
  const hasBackground =
    (photo.hasAlpha && !holding(format).hasAlpha) ||
    geometry.framed !== undefined ||
    geometry.rotation % 90 !== 0
  return (
    drawing.timing === undefined &&
    !isDeep(drawing) &&
    photo.is16Bit &&
    photo.hasProfile &&
    photo.hdr === undefined &&
    !photo.isGray &&
    !photo.isCmyk &&
    !recipe.grayscale &&
    variation === undefined &&
    !keepsProfile(drawing) &&
    (!hasBackground || /^#(?:000000|ffffff)$/i.test(recipe.background))
  )
}

/** Returns the size in bytes of the profile that the result keeps; 0 without a profile. Formats may compress it. */
export async function profileBytes(drawing: Drawing): Promise<number> {
  if (!keepsProfile(drawing)) return 0
  const { input, options } = drawing.source
  return (await sharp(input, options).metadata()).icc?.length ?? 0
}

/** Returns whether the result has the colors of the file and its profile. Other results are converted to sRGB. */
export function keepsProfile({
  photo,
  format,
  recipe,
}: Pick<Drawing, 'photo' | 'format' | 'recipe'>): boolean {
  // A color profile doesn't apply to gray pixels, and a CMYK profile doesn't apply to pixels that were already converted.
  const profileFits = photo.isGray ? holding(format).hasGrayProfile : !recipe.grayscale
  return recipe.colour === 'keep' && photo.hasProfile && !photo.isCmyk && profileFits
}

export async function drawImage(drawing: Drawing, failOn: FailOnOptions): Promise<Sharp> {
  const image = await transformImage(drawing, failOn)
  paint(image, drawing)
  return image
}

/** Applies the geometry. Converts the colors only of deep images. */
export async function transformImage(drawing: Drawing, failOn: FailOnOptions): Promise<Sharp> {
  const { photo, source, geometry, recipe, timing } = drawing
  const options = { ...source.options, failOn }
  const animated = timing !== undefined
  if (isDeep(drawing)) return shapeDeep(sharp(source.input, options), drawing)
  return animated && needsSingleFrames(geometry, photo)
    ? joinFrames(timing, { ...source, options }, (frame) => {
        const shaped = shape(frame, photo, geometry, recipe).keepIccProfile()
        return photo.is16Bit ? shaped.toColourspace(photo.isGray ? 'grey16' : 'rgb16') : shaped
      })
    : shape(sharp(source.input, { ...options, animated }), photo, geometry, recipe)
}

/**
 * Returns whether the result is a still image with 16 bits per channel. Excludes CMYK, and HDR, whose transfer functions don't end at
 * white.
 */
const isDeep = ({ photo, format, recipe, timing }: Omit<Drawing, 'source' | 'geometry'>): boolean =>
  timing === undefined &&
  photo.is16Bit &&
  photo.hdr === undefined &&
  !photo.isCmyk &&
  keepsDepth(format, recipe)

async function shapeDeep(image: Sharp, drawing: Drawing): Promise<Sharp> {
  const { geometry, recipe } = drawing
  const { isGray, hasProfile } = drawing.photo
  const isConverted = hasProfile && !isGray && !keepsProfile(drawing)
  const photo = { ...drawing.photo, isConverted }
  const { scaled, framed } = geometry
  const isReduced = scaled !== undefined && (scaled.width < photo.width || scaled.height < photo.height)
  const rest = { ...geometry, centred: false, framed: undefined }
  const shaped = isReduced
    ? shape(await reduceDeep(image, photo, scaled), photo, { ...rest, scaled: undefined }, recipe)
    : shape(await stretchDeep(image, photo), photo, rest, recipe)
  if (framed === undefined) return shaped
  return frameDeep(shaped, photo, framed, recipe.background)
}

/**
 * Returns whether each frame must be processed separately.
 * sharp rotates the whole strip of frames as one image, and can't rotate the strip by quarter turns.
 */
function needsSingleFrames(geometry: Geometry, photo: SourceImage): boolean {
  return geometry.rotation % 360 !== 0 || geometry.mirror || photo.stored?.isRotated === true
}

async function joinFrames(
  { delays }: Animation,
  { input, options }: SharpSource,
  shapeFrame: (frame: Sharp) => Sharp,
): Promise<Sharp> {
  const frames: Buffer[] = []
  for (const page of delays.keys()) {
    const frame = shapeFrame(sharp(input, { ...options, page }))
    frames.push(await frame.png({ compressionLevel: 0 }).toBuffer())
  }
  return sharp(frames, { join: { animated: true } })
}

/** Applies the geometry in sharp's order of operations. */
function shape(image: Sharp, photo: SourceImage, geometry: Geometry, recipe: ImageRecipe): Sharp {
  const { scaled, kept, framed } = geometry
  if (kept !== undefined && geometry.centred) {
    image.resize({ ...geometry.image, fit: 'cover' })
  } else {
    if (scaled !== undefined) image.resize({ ...scaled, fit: 'fill' })
    if (geometry.mirror) image.flop()
    if (geometry.rotation !== 0) image.rotate(geometry.rotation, { background: '#00000000' })
    if (kept !== undefined) image.extract(kept)
  }
  if (framed !== undefined) {
    const left = Math.floor((framed.width - geometry.image.width) / 2)
    const top = Math.floor((framed.height - geometry.image.height) / 2)
    image.extend({
      left,
      top,
      right: framed.width - geometry.image.width - left,
      bottom: framed.height - geometry.image.height - top,
      background: recipe.background,
    })
  }
  // Rotation adds an alpha channel for empty corners, but the crop removes those corners.
  if (geometry.rotation % 90 !== 0 && !photo.hasAlpha) image.removeAlpha()
  return image
}

/** Applies colors and transparency. Metadata is added after encoding. */
export function paint(image: Sharp, drawing: Omit<Drawing, 'source' | 'geometry'>): void {
  const { photo, format, recipe, variation } = drawing
  if (variation !== undefined) {
    const { brightness, saturation, hue } = variation
    image.modulate({ brightness, saturation, hue: Math.round(hue) })
  }
  if (!holding(format).hasAlpha) image.flatten({ background: recipe.background })
  const gray = recipe.grayscale || photo.isGray
  const deep = photo.is16Bit && keepsDepth(format, recipe)
  if (recipe.grayscale) image.grayscale()
  if (gray) image.toColourspace(deep ? 'grey16' : 'b-w')
  else if (deep) image.toColourspace('rgb16')
  // A deep image has already been converted.
  if (keepsProfile(drawing) || (isDeep(drawing) && photo.hasProfile && !gray)) image.keepIccProfile()
  // sharp converts the colors of deep images to Display P3, and to sRGB only on request.
  else if (photo.is16Bit && photo.hasProfile && !gray) image.withIccProfile('srgb', { attach: deep })
}
