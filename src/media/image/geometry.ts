/**
 * Plans the geometry of a result.
 * Scales the whole upright image first, because decoders can do part of the scaling while reading. Mirroring, rotation and cropping
 * then process fewer pixels.
 */
import { type Area, type Extent, turnedExtent } from '../../shared/extent.ts'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'

export type Geometry = ReturnType<typeof planGeometry>

/** Number of pixels to remove from the width and height of a tilted image, because its edges blend into transparency. */
const ROTATED_EDGE = 2

/** @param original dimensions of the upright image */
export function planGeometry(
  original: Extent,
  recipe: Pick<ImageRecipe, 'size' | 'crop' | 'rotate'>,
  variation: VariationValues | undefined,
) {
  const region = regionAfterCrop(original, variation)
  const tilt = variation?.rotation ?? 0
  const rotation = recipe.rotate + tilt
  const swapped = recipe.rotate % 180 !== 0
  const edge = tilt === 0 ? 0 : ROTATED_EDGE
  const { size } = recipe

  let content = withoutCorners(turnedExtent(region, swapped), tilt)
  if (recipe.crop !== undefined) content = cutToAspect(content, recipe.crop.aspect)
  const box =
    size?.width !== undefined && size.height !== undefined ? sizeOf(size.width, size.height) : undefined
  if (size?.fit === 'cover' && box !== undefined) content = cutToAspect(content, box.width / box.height)

  const image = fitInto(content, size, edge)
  const factor = Math.max((image.width + edge) / content.width, (image.height + edge) / content.height)
  const framed = size?.fit === 'contain' ? box : undefined
  const mirror = variation?.mirror ?? false

  const whole = variation === undefined && isWhole(content, turnedExtent(original, swapped))
  const scaled = whole
    ? turnedExtent(image, swapped)
    : sizeOf(
        Math.max(1, Math.round(original.width * factor)),
        Math.max(1, Math.round(original.height * factor)),
      )
  return {
    /** Size to which the whole upright image is scaled; undefined: not scaled. */
    scaled: sameExtent(scaled, original) ? undefined : scaled,
    mirror,
    /** Clockwise degrees, applied after scaling and mirroring. */
    rotation,
    /** Crop applied after rotation; undefined: no crop. */
    kept: whole ? undefined : keptArea(original, region, scaled, { rotation, mirror, image }),
    /** Whether `kept` is centered and the image isn't rotated. In that case, scaling and cropping take a single step. */
    centred: variation === undefined && rotation === 0,
    /** Size of the image in the result, without the background. */
    image,
    /** Size including the background; undefined: no background. */
    framed: framed !== undefined && !sameExtent(framed, image) ? framed : undefined,
  }
}

function regionAfterCrop(original: Extent, variation: VariationValues | undefined): Area {
  if (variation === undefined) return { left: 0, top: 0, ...original }
  const { cropLeft, cropTop, cropRight, cropBottom } = variation
  return {
    left: original.width * cropLeft,
    top: original.height * cropTop,
    width: Math.max(1, original.width * (1 - cropLeft - cropRight)),
    height: Math.max(1, original.height * (1 - cropTop - cropBottom)),
  }
}

/** Returns the largest box of the same aspect ratio that fits into the tilted image without including its empty corners. */
function withoutCorners({ width, height }: Extent, tiltDegrees: number): Extent {
  const tilt = Math.abs(radians(tiltDegrees))
  const [sin, cos] = [Math.sin(tilt), Math.cos(tilt)]
  const share = Math.min(width / (width * cos + height * sin), height / (width * sin + height * cos))
  return { width: width * share, height: height * share }
}

function cutToAspect({ width, height }: Extent, aspect: number): Extent {
  return width / height > aspect ? { width: height * aspect, height } : { width, height: width / aspect }
}

function fitInto(content: Extent, size: ImageRecipe['size'], edge: number): Extent {
  const wanted = Math.min(
    (size?.width ?? Infinity) / content.width,
    (size?.height ?? Infinity) / content.height,
  )
  const factor = wanted === Infinity ? 1 : size?.enlarge === true ? wanted : Math.min(1, wanted)
  // At full size, remove the blended edge. When the image is scaled, it is enlarged slightly instead, so that it still fills its
  // box.
  const lost = factor === 1 ? edge : 0
  return sizeOf(
    Math.max(1, Math.round(content.width * factor) - lost),
    Math.max(1, Math.round(content.height * factor) - lost),
  )
}

/** Returns the crop after scaling, mirroring and rotation. It is centered on the region's center if the edges of the image allow that. */
function keptArea(
  original: Extent,
  region: Area,
  scaled: Extent,
  after: { readonly rotation: number; readonly mirror: boolean; readonly image: Extent },
): Area {
  const angle = radians(after.rotation)
  const exact = after.rotation % 90 === 0
  const [sin, cos] = exact
    ? [Math.round(Math.sin(angle)), Math.round(Math.cos(angle))]
    : [Math.sin(angle), Math.cos(angle)]
  const fromMiddleX = region.left + region.width / 2 - original.width / 2
  const fromMiddleY = region.top + region.height / 2 - original.height / 2
  const x = fromMiddleX * (scaled.width / original.width) * (after.mirror ? -1 : 1)
  const y = fromMiddleY * (scaled.height / original.height)
  const rotated = sizeOf(
    Math.floor(Math.abs(scaled.width * cos) + Math.abs(scaled.height * sin)),
    Math.floor(Math.abs(scaled.width * sin) + Math.abs(scaled.height * cos)),
  )
  const width = Math.min(after.image.width, rotated.width)
  const height = Math.min(after.image.height, rotated.height)
  return {
    left: clamp(Math.round(rotated.width / 2 + (x * cos - y * sin) - width / 2), rotated.width - width),
    top: clamp(Math.round(rotated.height / 2 + (x * sin + y * cos) - height / 2), rotated.height - height),
    width,
    height,
  }
}

const sizeOf = (width: number, height: number): Extent => ({ width, height })
const sameExtent = (a: Extent, b: Extent) => a.width === b.width && a.height === b.height
const isWhole = (a: Extent, b: Extent) =>
  Math.abs(a.width - b.width) < 0.5 && Math.abs(a.height - b.height) < 0.5
const radians = (degrees: number) => (degrees * Math.PI) / 180
const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most))
