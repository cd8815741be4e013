/**
 * What a recipe makes of a photo, as pixels for a window. Shape, paint and encoders are those that make results; only what
 * is encoded is smaller: the part in view. The shaped picture is kept, so that another quality costs one encoding of a part.
 */
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import sharp, { type Sharp } from 'sharp'
import type { Spot } from '../../shared/model/preview.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { DoesNotFit, type PreviewRequest, type ShownPixels } from '../protocol.ts'
import { encodePicture, keepsDepth, type OutputFormat } from './encode-picture.ts'
import { encodeToGoal } from './encode-to-goal.ts'
import { type Extent, planGeometry } from './geometry.ts'
import { openPicture, type Picture } from './picture.ts'
import { type Drawing, paint, planDrawing, shapePicture } from './draw-picture.ts'
import { outputFormatFor } from './process-image.ts'
import { type RawPicture, rawPictureOf } from './raw-picture.ts'
import { inOrdinaryLight } from './ordinary-light.ts'
import { areaInView, cutOut, mostDetail } from './part-in-view.ts'
import { wrapAsPng } from './stored-png.ts'

export interface PicturePreview {
  /** @throws whatever opening, drawing or encoding the picture throws */
  part(request: PartRequest): Promise<{ readonly pixels: ShownPixels; readonly middle: Spot }>
  whole(request: WholeRequest): Promise<ShownPixels>
}

type PartRequest = Extract<PreviewRequest, { readonly kind: 'part' }>
type WholeRequest = Extract<PreviewRequest, { readonly kind: 'whole' }>

type Kept<Value> = { readonly key: string; readonly value: Promise<Value> }

type Shaped = { readonly drawing: Drawing; readonly content: RawPicture }

export function createPicturePreview(): PicturePreview {
  // Somebody waits for this one picture, and there is no worker beside it for every core.
  sharp.concurrency(availableParallelism())
  let opened: Kept<Picture> | undefined
  let shaped: Kept<Shaped> | undefined

  async function pictureAt(path: string): Promise<{ readonly key: string; readonly picture: Picture }> {
    const { mtimeMs, size } = await stat(path)
    const key = JSON.stringify([path, mtimeMs, size])
    if (opened?.key !== key) opened = { key, value: openShown(path) }
    return { key, picture: await opened.value }
  }

  async function shapedPicture(path: string, recipe: ImageRecipe): Promise<Shaped> {
    const { key: file, picture } = await pictureAt(path)
    const format = outputFormatFor(picture, recipe.format)
    const key = JSON.stringify([file, shapeOf(recipe), picture.is16Bit && keepsDepth(format, recipe)])
    if (shaped?.key !== key) {
      // The old pixels are let go before the new ones are made.
      shaped = { key, value: shapeAnew(picture, format, recipe) }
    }
    const made = await shaped.value
    return { ...made, drawing: { ...made.drawing, format, recipe } }
  }

  return {
    async part({ path, recipe, view }) {
      const { content, drawing } = await shapedPicture(path, recipe)
      const middle = view.middle ?? (await mostDetail(content, view))
      const area = areaInView(content, { ...view, middle })
      const cut = cutOut(content, area)
      const [before, after] = await Promise.all([
        forWindow(imageOf(cut)),
        encodedAndBack(cut, { drawing, share: shareOf(area, content) }),
      ])
      return {
        pixels: { extent: extentOf(content), original: extentOf(drawing.picture), area, before, after },
        middle,
      }
    },
    async whole({ path, recipe, result }) {
      const after = await openShown(result)
      const { picture } = await pictureAt(path)
      const { content, drawing } = await shapedPicture(path, matching(after, picture, recipe))
      const { input, options } = await after.source()
      const extent = extentOf(after)
      return {
        extent,
        original: extentOf(drawing.picture),
        area: { left: 0, top: 0, ...extent },
        before: await forWindow(imageOf(content)),
        after: await forWindow(sharp(input, options)),
      }
    },
  }
}

/** As the window shows it, which knows no more than ordinary light. */
const openShown = async (path: string): Promise<Picture> => inOrdinaryLight(await openPicture(path))

/** All of a recipe that moves pixels, or changes what they are before the encoder's own settings count. */
const shapeOf = ({ size, crop, rotate, background, colour }: ImageRecipe) => [
  size,
  crop,
  rotate,
  background,
  colour,
]

async function shapeAnew(picture: Picture, format: OutputFormat, recipe: ImageRecipe): Promise<Shaped> {
  const drawing = await planDrawing(picture, format, {
    recipe: { ...recipe, animation: 'first-frame' },
    variation: undefined,
  })
  const image = await shapePicture(drawing, 'error')
  return { drawing, content: await pixelsOf(image, drawing) }
}

/** Colours that stay as they are need their profile; everything else has become sRGB by now. */
async function pixelsOf(image: Sharp, { picture, format, recipe }: Drawing): Promise<RawPicture> {
  const isDeep = picture.is16Bit && keepsDepth(format, recipe)
  const keepsProfile = recipe.colour === 'keep' && picture.hasProfile && !picture.isCmyk
  if (isDeep || keepsProfile || picture.isGray) {
    if (isDeep) image.toColourspace(picture.isGray ? 'grey16' : 'rgb16')
    if (keepsProfile) image.keepIccProfile()
    return rawPictureOf(image)
  }
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  return { pixels: data, width: info.width, height: info.height, channels, metadata: {} }
}

type Part = { readonly drawing: Drawing; /** Of all pixels of the result. */ readonly share: number }

/** The part as a file of its own, decoded again. */
async function encodedAndBack(cut: RawPicture, { drawing, share }: Part): Promise<Buffer> {
  const image = imageOf(cut)
  paint(image, drawing)
  const { format, recipe } = drawing
  const bytes = await encodedPart(image, format, recipeOfPart(recipe, share))
  if (format !== 'jxl') return forWindow(sharp(bytes))
  const { decodeJpegXlBytes } = await import('./jpeg-xl.ts')
  return forWindow(imageOf(await decodeJpegXlBytes(bytes)))
}

async function encodedPart(image: Sharp, format: OutputFormat, recipe: ImageRecipe): Promise<Buffer> {
  try {
    const { bytes } = await encodeToGoal(image.clone(), format, recipe, {
      isAnimated: false,
      beforeEach: () => {},
    })
    return bytes
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error
    // Whether the whole fits only the whole tells, and how small it can be; until then this is what it would look like.
    const { bytes } = await encodePicture(image, format, { ...recipe, quality: LEAST_QUALITY })
    return bytes
  }
}

const LEAST_QUALITY = 1

/** Of the bytes that the whole may have, a part gets what it has of the pixels. How small a picture must become, only the whole tells. */
function recipeOfPart(recipe: ImageRecipe, share: number): ImageRecipe {
  const { maxBytes } = recipe
  return maxBytes === undefined
    ? recipe
    : { ...recipe, maxBytes: Math.ceil(maxBytes * share), mayShrink: false }
}

const shareOf = (area: Extent, whole: Extent): number =>
  (area.width * area.height) / (whole.width * whole.height)

/** Only as a file do pixels have a profile. */
function imageOf(content: RawPicture): Sharp {
  const { pixels, width, height, channels, depth = 8, metadata } = content
  if (depth === 8 && metadata.icc === undefined) return sharp(pixels, { raw: { width, height, channels } })
  return sharp(wrapAsPng({ ...content, metadata: { icc: metadata.icc } }), { limitInputPixels: false })
}

/** Both sides come to the window in the same colours, and through the same converter. */
const forWindow = (image: Sharp): Promise<Buffer> =>
  image.toColourspace('srgb').png({ compressionLevel: 0 }).toBuffer()

/** The recipe, unless the result has another size: it may have had to become smaller still, or its recipe is not known. */
function matching({ width, height }: Extent, picture: Picture, recipe: ImageRecipe): ImageRecipe {
  const planned = planGeometry(picture, recipe, undefined)
  const whole = planned.framed ?? planned.picture
  if (whole.width === width && whole.height === height) return recipe
  return { ...recipe, size: { width, height, fit: 'cover', enlarge: true } }
}

const extentOf = ({ width, height }: Extent): Extent => ({ width, height })
