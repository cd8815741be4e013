/** What a recipe does to the pixels of a picture, up to its encoder. */
import sharp, { type FailOnOptions, type Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import { keepsAlpha, keepsAnimation, keepsDepth, type OutputFormat } from './encode-picture.ts'
import { type Geometry, planGeometry } from './geometry.ts'
import type { Picture, PictureSource } from './picture.ts'

/** Where every pixel of a picture goes, and what is read for it. */
export type Drawing = Pick<FileJob<ImageRecipe>, 'recipe' | 'variation'> & {
  readonly picture: Picture
  readonly source: PictureSource
  readonly format: OutputFormat
  readonly geometry: Geometry
}

export async function planDrawing(
  picture: Picture,
  format: OutputFormat,
  { recipe, variation }: Pick<FileJob<ImageRecipe>, 'recipe' | 'variation'>,
): Promise<Drawing> {
  const geometry = planGeometry(picture, recipe, variation)
  // A picture that is cut out of the middle is scaled while it is cut.
  const source = await picture.source(
    geometry.kept !== undefined && geometry.centred ? undefined : geometry.scaled,
  )
  return { picture, source, format, geometry, recipe, variation }
}

/** The picture as its encoder takes it. */
export async function drawPicture(drawing: Drawing, failOn: FailOnOptions): Promise<Sharp> {
  const image = await shapePicture(drawing, failOn)
  paint(image, drawing)
  return image
}

export const isAnimated = ({ picture, recipe, format }: Drawing): boolean =>
  picture.frames > 1 && recipe.animation === 'keep' && keepsAnimation(format)

/** Size, cut and turn alone. */
export async function shapePicture(drawing: Drawing, failOn: FailOnOptions): Promise<Sharp> {
  const { picture, source, geometry, recipe } = drawing
  const options = { ...source.options, failOn }
  const animated = isAnimated(drawing)
  return animated && needsSingleFrames(geometry, picture)
    ? joinFrames(picture.frames, { ...source, options }, (frame) => shape(frame, picture, geometry, recipe))
    : shape(sharp(source.input, { ...options, animated }), picture, geometry, recipe)
}

/** Sharp turns only whole strips of frames, and those not by a quarter. */
function needsSingleFrames(geometry: Geometry, picture: Picture): boolean {
  return geometry.turn % 360 !== 0 || geometry.mirror || picture.turnedByFile
}

async function joinFrames(
  count: number,
  { input, options }: PictureSource,
  shapeFrame: (frame: Sharp) => Sharp,
): Promise<Sharp> {
  const frames: Buffer[] = []
  for (let page = 0; page < count; page++) {
    const frame = shapeFrame(sharp(input, { ...options, page }))
    frames.push(await frame.png({ compressionLevel: 0 }).toBuffer())
  }
  const { delay, loop } = await sharp(input, { animated: true }).metadata()
  return sharp(frames, { join: { animated: true } }).webp({
    ...(delay === undefined ? {} : { delay }),
    ...(loop === undefined ? {} : { loop }),
  })
}

/** Size, cut and turn. The order of the calls is the order in which sharp carries them out. */
function shape(image: Sharp, picture: Picture, geometry: Geometry, recipe: ImageRecipe): Sharp {
  const { scaled, kept, framed } = geometry
  if (kept !== undefined && geometry.centred) {
    image.resize({ ...geometry.picture, fit: 'cover' })
  } else {
    if (scaled !== undefined) image.resize({ ...scaled, fit: 'fill' })
    if (geometry.mirror) image.flop()
    if (geometry.turn !== 0) image.rotate(geometry.turn, { background: '#00000000' })
    if (kept !== undefined) image.extract(kept)
  }
  if (framed !== undefined) {
    const left = Math.floor((framed.width - geometry.picture.width) / 2)
    const top = Math.floor((framed.height - geometry.picture.height) / 2)
    image.extend({
      left,
      top,
      right: framed.width - geometry.picture.width - left,
      bottom: framed.height - geometry.picture.height - top,
      background: recipe.background,
    })
  }
  // Turning needs see-through corners while it works; they are cut away again.
  if (geometry.turn % 90 !== 0 && !picture.hasAlpha) image.removeAlpha()
  return image
}

/** Colours, transparency and metadata. */
export function paint(
  image: Sharp,
  { picture, format, recipe, variation }: Omit<Drawing, 'source' | 'geometry'>,
): void {
  if (variation !== undefined) {
    const { brightness, saturation, hue } = variation
    image.modulate({ brightness, saturation, hue: Math.round(hue) })
  }
  if (!keepsAlpha(format)) image.flatten({ background: recipe.background })
  const gray = recipe.grayscale || picture.isGray
  const deep = picture.is16Bit && keepsDepth(format, recipe)
  if (recipe.grayscale) image.grayscale()
  if (gray) image.toColourspace(deep ? 'grey16' : 'b-w')
  else if (deep) image.toColourspace('rgb16')
  if (recipe.metadata === 'keep') image.keepExif().keepXmp()
  // A profile for ink or for colour says nothing about gray pixels or about those already converted.
  const profileFits = picture.hasProfile && !picture.isCmyk && (picture.isGray || !gray)
  if (recipe.colour === 'keep' && profileFits) image.keepIccProfile()
  else if (deep && picture.hasProfile && !gray) image.withIccProfile('srgb')
}
