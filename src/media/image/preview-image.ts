/**
 * Renders the effect of a recipe on a photo, as pixels for the window.
 * Uses the same geometry, drawing and encoders as a job, but encodes only the part in view. Keeps the transformed image, so that a
 * change of quality only encodes that part again.
 */
import type { Extent } from '../../shared/extent.ts'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import sharp, { type Sharp } from 'sharp'
import { holding, type OutputFormat } from '../../shared/preset/photo-formats.ts'
import type { Spot } from '../../shared/model/preview.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import { DoesNotFit, type PartRequest, type ShownPixels, type WholeRequest } from '../protocol.ts'
import { openInput, type OpenedInput } from '../opened-input.ts'
import { displayedPixels, openEncoded } from './displayed-pixels.ts'
import { encodeImage, encodesWithoutLoss, keepsDepth } from './encode-image.ts'
import { encodeToGoal } from './encode-to-goal.ts'
import { planGeometry } from './geometry.ts'
import { openImage, type SourceImage } from './source-image.ts'
import { type Drawing, keepsProfile, paint, planDrawing, transformImage } from './draw-image.ts'
import { onlyRemovesMetadata } from './only-compresses.ts'
import { photoQuality } from './photo-quality.ts'
import { outputFormatFor } from './process-image.ts'
import { type RawImage, rawImageOf } from './raw-image.ts'
import { toSdr } from './to-sdr.ts'
import { areaInView, cutOut, mostDetail } from './part-in-view.ts'
import { wrapAsPng } from './stored-png.ts'
import { isSrgbProfile } from './srgb-profile.ts'

export type ImagePreview = ReturnType<typeof createImagePreview>

type Kept<Value> = { readonly key: string; readonly value: Promise<Value> }

type Shaped = { readonly drawing: Drawing; readonly content: RawImage }

export function createImagePreview() {
  // The user is waiting for this one image, and this process has no other workers.
  sharp.concurrency(availableParallelism())
  let opened: (Kept<SourceImage> & { readonly input: OpenedInput }) | undefined
  let shaped: Kept<Shaped> | undefined
  /** Measures the result that was shown last. */
  let measure: (() => Promise<Quality | undefined>) | undefined

  /** Keeps the file open, because a photo is read again for each shape. */
  async function openOriginal({ path, identity }: Pick<PartRequest, 'path' | 'identity'>) {
    const input = await openInput(path, identity)
    const { dev, ino, mtimeMs, size } = await stat(input.path)
    const key = JSON.stringify([dev, ino, mtimeMs, size])
    if (opened?.key === key) await input[Symbol.asyncDispose]()
    else {
      await opened?.input[Symbol.asyncDispose]()
      opened = { key, value: openShown(input.path), input }
    }
    return { key, photo: await opened.value, input: opened.input }
  }

  async function transformedImage(request: PartRequest | WholeRequest, recipe: ImageRecipe): Promise<Shaped> {
    const { key: file, photo, input } = await openOriginal(request)
    const format = outputFormatFor(photo, recipe.format)
    const kept = [photo.is16Bit && keepsDepth(format, recipe), photo.isGray && holding(format).hasGrayProfile]
    const key = JSON.stringify([file, shapeOf(recipe), kept])
    if (shaped?.key !== key) {
      // Replace the old pixels first, so that they can be freed before the new ones are created.
      shaped = { key, value: transformAgain(photo, format, recipe) }
    }
    const made = await shaped.value
    await input.requireSame()
    return { ...made, drawing: { ...made.drawing, format, recipe } }
  }

  return {
    // Closes the file.
    async [Symbol.asyncDispose]() {
      await opened?.input[Symbol.asyncDispose]()
      opened = undefined
      measure = undefined
    },
    /**
     * Shows the visible part of the original and of the result.
     * @throws any error from opening, drawing or encoding the image
     */
    async part(request: PartRequest): Promise<{ readonly pixels: ShownPixels; readonly middle: Spot }> {
      const { recipe, view } = request
      measure = undefined
      const { content, drawing } = await transformedImage(request, recipe)
      const middle = view.middle ?? (await mostDetail(content, view))
      const area = areaInView(content, { ...view, middle })
      const cut = cutOut(content, area)
      const isKept = onlyRemovesMetadata(drawing.photo, recipe)
      const [before, encoded] = await Promise.all([
        forWindow(imageOf(cut)),
        isKept ? undefined : encodedAndBack(cut, { drawing, share: shareOf(area, content) }),
      ])
      return {
        pixels: {
          extent: extentOf(content),
          original: extentOf(drawing.photo),
          area,
          before,
          after: encoded ?? before,
        },
        middle,
      }
    },
    async whole(request: WholeRequest): Promise<ShownPixels> {
      await using result = await openInput(request.result, request.resultIdentity)
      const after = await openShown(result.path)
      const { photo } = await openOriginal(request)
      const { content, drawing } = await transformedImage(request, matching(after, photo, request.recipe))
      const { input, options } = await after.source()
      const extent = extentOf(after)
      const shown = await forWindow(sharp(input, options))
      await result.requireSame()
      measure = () => qualityOf(shown, content, drawing)
      return {
        extent,
        original: extentOf(drawing.photo),
        area: { left: 0, top: 0, ...extent },
        before: await forWindow(imageOf(content)),
        after: shown,
      }
    },
    /** Measures how similar the result of the latest `whole` looks to the original. Returns undefined if that is unknown. */
    async quality(): Promise<Quality | undefined> {
      const known = await measure?.()
      // The pixels are needed only once.
      measure = undefined
      return known
    },
  }
}

async function qualityOf(shown: Buffer, content: RawImage, drawing: Drawing): Promise<Quality | undefined> {
  const { photo, format, recipe } = drawing
  if (onlyRemovesMetadata(photo, recipe) || encodesWithoutLoss(format, recipe)) return 'lossless'
  const original = imageOf(content)
  // A loss that the recipe asks for, such as that of colors, doesn't count.
  paint(original, drawing)
  const [before, after] = [await forWindow(original), shown]
  return photoQuality(await displayedPixels(sharp(before)), await displayedPixels(sharp(after)))
}

/** Opens the image and converts HDR to SDR, because the window can't show HDR. */
const openShown = async (path: string): Promise<SourceImage> => toSdr(await openImage(path))

/** The recipe fields that change pixels before encoding. */
const shapeOf = ({ size, crop, rotate, background, colour }: ImageRecipe) => [
  size,
  crop,
  rotate,
  background,
  colour,
]

async function transformAgain(
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

type Part = { readonly drawing: Drawing; /** Fraction of all pixels, 0..1. */ readonly share: number }

/** Encodes the part as a separate file and decodes it again. */
async function encodedAndBack(cut: RawImage, { drawing, share }: Part): Promise<Buffer<ArrayBuffer>> {
  const image = imageOf(cut)
  paint(image, drawing)
  const { format, recipe } = drawing
  const bytes = await encodedPart(image, format, recipeOfPart(recipe, share))
  return forWindow(await openEncoded(bytes, format))
}

async function encodedPart(image: Sharp, format: OutputFormat, recipe: ImageRecipe): Promise<Buffer> {
  try {
    const { bytes } = await encodeToGoal(image.clone(), format, recipe, {
      beforeEach: () => {},
    })
    return bytes
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error
    // Only encoding the whole image shows how small the result can be and whether it fits. Until then, show the lowest quality.
    const { bytes } = await encodeImage(image, format, { ...recipe, quality: LEAST_QUALITY })
    return bytes
  }
}

const LEAST_QUALITY = 1

/**
 * Reduces the maximum file size to a part's fraction of the pixels.
 * Doesn't reduce dimensions, because they are known only after the whole image has been encoded.
 */
function recipeOfPart(recipe: ImageRecipe, share: number): ImageRecipe {
  const { maxBytes } = recipe
  return maxBytes === undefined
    ? recipe
    : { ...recipe, maxBytes: Math.ceil(maxBytes * share), mayShrink: false }
}

const shareOf = (area: Extent, whole: Extent): number =>
  (area.width * area.height) / (whole.width * whole.height)

/** Opens pixels with sharp. Wraps them in a PNG if they have a profile, because raw pixels can't carry one. */
function imageOf(content: RawImage): Sharp {
  const { pixels, width, height, channels, depth = 8, metadata } = content
  if (depth === 8 && metadata.icc === undefined) return sharp(pixels, { raw: { width, height, channels } })
  return sharp(wrapAsPng({ ...content, metadata: { icc: metadata.icc } }), { limitInputPixels: false })
}

/** Converts an image for the window. Uses the same color conversion for the original and the result. */
async function forWindow(image: Sharp): Promise<Buffer<ArrayBuffer>> {
  const { depth, space, icc } = await image.metadata()
  if (depth === 'ushort' && space !== 'grey16' && icc !== undefined) {
    // Otherwise, sharp would show deep colors as if they were those of Display P3.
    if (isSrgbProfile(icc)) image.keepIccProfile()
    else image.withIccProfile('srgb', { attach: false })
  }
  return image.toColourspace('srgb').png({ compressionLevel: 0 }).toBuffer()
}

/** Returns the recipe, adjusted to the result's size. The job may have reduced the size further, or its recipe may be unknown. */
function matching({ width, height }: Extent, photo: SourceImage, recipe: ImageRecipe): ImageRecipe {
  const planned = planGeometry(photo, recipe, undefined)
  const whole = planned.framed ?? planned.image
  if (whole.width === width && whole.height === height) return recipe
  return { ...recipe, size: { width, height, fit: 'cover', enlarge: true } }
}

const extentOf = ({ width, height }: Extent): Extent => ({ width, height })
