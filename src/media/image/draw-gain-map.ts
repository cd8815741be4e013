/** Applies an image's geometry to its gain map, if the result's format supports gain maps. */
import { type Extent, turnedExtent } from '../../shared/extent.ts'
import type { Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { type Drawing, transformImage } from './draw-image.ts'
import type { EncodedImage } from './encode-image.ts'
import { encodeToGoal, type GoalRecipe, type Trying } from './encode-to-goal.ts'
import { encodeGainMap, type GainMap, gainMapSource } from './gain-map.ts'
import { planGeometry } from './geometry.ts'
import { NO_METADATA, type PhotoMetadata } from '../metadata/photo-metadata.ts'
import { BYTES_AROUND, joinGainMap, xmpWithGainMap } from './ultra-hdr.ts'

/** Fraction of the maximum file size that the gain map may use. The image uses the rest. */
const MOST_OF_ROOM = 0.25

/** Returns the map as a JPEG; `none` if the photo has no gain map; `lost` if the result can't keep it. */
export async function drawGainMap(drawing: Drawing): Promise<Buffer | 'none' | 'lost'> {
  const { photo, recipe, format } = drawing
  const gainMap = await photo.gainMap?.()
  if (gainMap === undefined) return photo.losesGainMap === true ? 'lost' : 'none'
  // Many programs read gain maps with libultrahdr, which rejects gain maps of gray images.
  const isGray = recipe.grayscale || photo.isGray
  if (format !== 'jpeg' || recipe.hdr === 'tone-map' || isGray) return 'lost'
  const { maxBytes = Infinity } = recipe
  try {
    const drawn = await encodeGainMap(await shapeGainMap(gainMap, drawing), gainMap)
    return drawn.length + BYTES_AROUND > maxBytes * MOST_OF_ROOM ? 'lost' : drawn
  } catch {
    // Continue without the map, because a damaged map doesn't affect the image's pixels.
    return 'lost'
  }
}

/** Applies the image's geometry to the map, at the map's lower resolution. */
async function shapeGainMap(gainMap: GainMap, drawing: Drawing): Promise<Sharp> {
  const { photo, recipe, variation } = drawing
  const { width, height } = turnedExtent(gainMap, photo.rotatedByFile)
  const own = inPixelsOf(recipe, width / photo.width, height / photo.height)
  return transformImage(
    {
      ...drawing,
      photo: { ...photo, width, height, frames: 1, hasAlpha: false },
      timing: undefined,
      source: gainMapSource(gainMap),
      geometry: planGeometry({ width, height }, own, variation),
      recipe: own,
    },
    'error',
  )
}

const NO_GAIN = '#000000'

const scaledSide = (side: number | undefined, share: number): number | undefined =>
  side === undefined ? undefined : Math.max(1, Math.round(side * share))

function inPixelsOf(recipe: ImageRecipe, across: number, down: number): ImageRecipe {
  const { size } = recipe
  return {
    ...recipe,
    background: NO_GAIN,
    size: size && { ...size, width: scaledSide(size.width, across), height: scaledSide(size.height, down) },
  }
}

export async function encodeWithGainMap(
  image: Sharp,
  gainMap: Buffer,
  recipe: GoalRecipe,
  trying: Trying,
): Promise<EncodedImage> {
  const { maxBytes } = recipe
  const room = maxBytes === undefined ? undefined : maxBytes - gainMap.length - BYTES_AROUND
  const describe = (extent: Extent): PhotoMetadata => {
    const metadata = recipe.describe?.(extent) ?? NO_METADATA
    return { ...metadata, xmp: xmpWithGainMap(metadata.xmp, gainMap.length) }
  }
  const { bytes, ...extent } = await encodeToGoal(
    image,
    'jpeg',
    { ...recipe, maxBytes: room, describe },
    trying,
  )
  return { bytes: joinGainMap(bytes, gainMap), ...extent }
}
