/**
 * Where every pixel goes. The whole upright picture is scaled first, because decoders can do part of that while they
 * read; mirroring, turning and cutting follow on the smaller picture.
 */
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'

export type Extent = { readonly width: number; readonly height: number }
export type Area = Extent & { readonly left: number; readonly top: number }

export type Geometry = {
  /** The whole upright picture is scaled to this; undefined: it keeps its size. */
  readonly scaled: Extent | undefined
  readonly mirror: boolean
  /** Clockwise degrees, after scaling and mirroring. */
  readonly turn: number
  /** What is kept after turning; undefined: everything. */
  readonly kept: Area | undefined
  /** Whether `kept` is the middle of a picture that was not turned, so that a decoder may cut it out by itself. */
  readonly centred: boolean
  /** The size of the picture itself in the result. */
  readonly picture: Extent
  /** The result with the background around it; undefined: nothing is added. */
  readonly framed: Extent | undefined
}

/** Pixels given up at the edges of a turned picture, where it blends into nothing. */
const TURNED_EDGE = 2

/** @param original the upright picture, in pixels */
export function planGeometry(
  original: Extent,
  recipe: Pick<ImageRecipe, 'size' | 'crop' | 'rotate'>,
  variation: VariationValues | undefined,
): Geometry {
  const region = regionAfterCrop(original, variation)
  const tilt = variation?.rotation ?? 0
  const turn = recipe.rotate + tilt
  const edge = tilt === 0 ? 0 : TURNED_EDGE
  const { size } = recipe

  let content = withoutCorners(turnedRight(region, recipe.rotate), tilt)
  if (recipe.crop !== undefined) content = cutToAspect(content, recipe.crop.aspect)
  const box =
    size?.width !== undefined && size.height !== undefined ? sizeOf(size.width, size.height) : undefined
  if (size?.fit === 'cover' && box !== undefined) content = cutToAspect(content, box.width / box.height)

  const picture = fitInto(content, size, edge)
  const factor = Math.max((picture.width + edge) / content.width, (picture.height + edge) / content.height)
  const framed = size?.fit === 'contain' ? box : undefined
  const mirror = variation?.mirror ?? false

  const swapped = recipe.rotate % 180 !== 0
  const whole = variation === undefined && isWhole(content, turnedRight(original, recipe.rotate))
  const scaled = whole
    ? swapped
      ? sizeOf(picture.height, picture.width)
      : picture
    : sizeOf(
        Math.max(1, Math.round(original.width * factor)),
        Math.max(1, Math.round(original.height * factor)),
      )
  return {
    scaled: sameExtent(scaled, original) ? undefined : scaled,
    mirror,
    turn,
    kept: whole ? undefined : keptArea(original, region, scaled, { turn, mirror, picture }),
    centred: variation === undefined && turn === 0,
    picture,
    framed: framed !== undefined && !sameExtent(framed, picture) ? framed : undefined,
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

/** The largest box of the same shape that fits into the tilted one without showing a corner. */
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
  // At full size the edge comes off; where there is a box to be filled, the picture is scaled a little more instead.
  const lost = factor === 1 ? edge : 0
  return sizeOf(
    Math.max(1, Math.round(content.width * factor) - lost),
    Math.max(1, Math.round(content.height * factor) - lost),
  )
}

/** Follows the region's middle through scaling, mirroring and turning, and lays the picture around it. */
function keptArea(
  original: Extent,
  region: Area,
  scaled: Extent,
  after: { readonly turn: number; readonly mirror: boolean; readonly picture: Extent },
): Area {
  const angle = radians(after.turn)
  const exact = after.turn % 90 === 0
  const [sin, cos] = exact
    ? [Math.round(Math.sin(angle)), Math.round(Math.cos(angle))]
    : [Math.sin(angle), Math.cos(angle)]
  const fromMiddleX = region.left + region.width / 2 - original.width / 2
  const fromMiddleY = region.top + region.height / 2 - original.height / 2
  const x = fromMiddleX * (scaled.width / original.width) * (after.mirror ? -1 : 1)
  const y = fromMiddleY * (scaled.height / original.height)
  const turned = sizeOf(
    Math.floor(Math.abs(scaled.width * cos) + Math.abs(scaled.height * sin)),
    Math.floor(Math.abs(scaled.width * sin) + Math.abs(scaled.height * cos)),
  )
  const width = Math.min(after.picture.width, turned.width)
  const height = Math.min(after.picture.height, turned.height)
  return {
    left: clamp(Math.round(turned.width / 2 + (x * cos - y * sin) - width / 2), turned.width - width),
    top: clamp(Math.round(turned.height / 2 + (x * sin + y * cos) - height / 2), turned.height - height),
    width,
    height,
  }
}

function turnedRight({ width, height }: Extent, degrees: number): Extent {
  return degrees % 180 === 0 ? { width, height } : { width: height, height: width }
}

const sizeOf = (width: number, height: number): Extent => ({ width, height })
const sameExtent = (a: Extent, b: Extent) => a.width === b.width && a.height === b.height
const isWhole = (a: Extent, b: Extent) =>
  Math.abs(a.width - b.width) < 0.5 && Math.abs(a.height - b.height) < 0.5
const radians = (degrees: number) => (degrees * Math.PI) / 180
const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most))
