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
import { unlessColorsLost } from '../rate-result.ts'
import { openEncoded } from './displayed-pixels.ts'
import { encodeImage, keepsDepth } from './encode-image.ts'
import { encodeToGoal } from './encode-to-goal.ts'
import type { SourceImage } from './source-image.ts'
import { type Drawing, paint } from './draw-image.ts'
import { keepsPixels, onlyRemovesMetadata } from './only-compresses.ts'
import { qualityOfShown } from './photo-quality.ts'
import { outputFormatFor } from './process-image.ts'
import type { RawImage } from './raw-image.ts'
import { AREAS_TO_CHECK } from './sample-areas.ts'
import { areaInView, cutOut, mostDetail } from './part-in-view.ts'
import { imageOf, inSrgb, matching, openShown, type Shaped, shapePhoto } from './shown-photo.ts'

export type ImagePreview = ReturnType<typeof createImagePreview>

type Kept<Value> = { readonly key: string; readonly value: Promise<Value> }

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

  async function transformedImage(request: PartRequest | WholeRequest, recipe: ImageRecipe) {
    const { key: file, photo, input } = await openOriginal(request)
    const format = outputFormatFor(photo, recipe)
    const kept = [photo.is16Bit && keepsDepth(format, recipe), photo.isGray && holding(format).hasGrayProfile]
    const key = JSON.stringify([file, shapeOf(recipe), kept])
    if (shaped?.key !== key) {
      // Replace the old pixels first, so that they can be freed before the new ones are created.
      shaped = { key, value: shapePhoto(photo, format, recipe) }
    }
    const made = await shaped.value
    await input.requireSame()
    return { ...made, drawing: { ...made.drawing, format, recipe }, path: input.path }
  }

  return {
    async [Symbol.asyncDispose]() {
      await opened?.input[Symbol.asyncDispose]()
      opened = undefined
      measure = undefined
    },
    /**
     * Renders the visible part of the original and of the result.
     * @throws any error from opening, drawing or encoding the image
     */
    async part(request: PartRequest): Promise<{ readonly pixels: ShownPixels; readonly middle: Spot }> {
      const { recipe, view } = request
      measure = undefined
      const { content, drawing, path } = await transformedImage(request, recipe)
      const middle = view.middle ?? (await mostDetail(content, view))
      const area = areaInView(content, { ...view, middle })
      const cut = cutOut(content, area)
      const isKept = await keepsPixels(path, drawing.photo, recipe)
      const [before, encoded] = await Promise.all([
        inSrgb(imageOf(cut)),
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
      const shown = await inSrgb(sharp(input, options))
      await result.requireSame()
      const { losses = [], notes = [] } = request
      const isKept = onlyRemovesMetadata(drawing.photo, drawing.recipe) && !notes.includes('encoded-instead')
      measure = async () =>
        unlessColorsLost(
          isKept ? 'lossless' : await qualityOfShown(shown, content, drawing, AREAS_TO_CHECK),
          losses,
        )
      return {
        extent,
        original: extentOf(drawing.photo),
        area: { left: 0, top: 0, ...extent },
        before: await inSrgb(imageOf(content)),
        after: shown,
      }
    },
    /**
     * Measures how similar the result of the latest `whole` looks to the original.
     * @returns undefined if they can't be compared, or if `quality` or `part` was called after that `whole`
     */
    async quality(): Promise<Quality | undefined> {
      const known = await measure?.()
      measure = undefined
      return known
    },
  }
}

/** The recipe fields that change pixels before encoding. */
const shapeOf = ({ size, crop, rotate, background, colour }: ImageRecipe) => [
  size,
  crop,
  rotate,
  background,
  colour,
]

type Part = { readonly drawing: Drawing; /** Fraction of all pixels, 0..1. */ readonly share: number }

async function encodedAndBack(cut: RawImage, { drawing, share }: Part): Promise<Buffer<ArrayBuffer>> {
  const image = imageOf(cut)
  paint(image, drawing)
  const { format, recipe } = drawing
  const bytes = await encodedPart(image, format, recipeOfPart(recipe, share))
  return inSrgb(await openEncoded(bytes, format))
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

const extentOf = ({ width, height }: Extent): Extent => ({ width, height })
