/** What becomes of a gain map: it goes the way of its picture, on which it lies, as far as the result can have one. */
import type { Sharp } from 'sharp'
import type { ImageRecipe } from '../../shared/preset/preset.ts'
import { type Drawing, shapePicture } from './draw-picture.ts'
import type { EncodedPicture } from './encode-picture.ts'
import { encodeToGoal, type GoalRecipe, type Trying } from './encode-to-goal.ts'
import { encodeGainMap, type GainMap, gainMapSource } from './gain-map.ts'
import { type Extent, planGeometry } from './geometry.ts'
import { BYTES_AROUND, joinGainMap } from './ultra-hdr.ts'

/** Of a size, so that the picture keeps the rest. */
const MOST_OF_ROOM = 0.25

/** @returns a JPEG, or why there is none */
export async function drawGainMap(drawing: Drawing): Promise<Buffer | 'none' | 'lost'> {
  const { picture, recipe, format } = drawing
  const gainMap = await picture.gainMap?.()
  if (gainMap === undefined) return picture.losesGainMap === true ? 'lost' : 'none'
  // libultrahdr, by which many programs read them, takes none for gray pictures.
  const isGray = recipe.grayscale || picture.isGray
  if (format !== 'jpeg' || recipe.hdr === 'tone-map' || isGray) return 'lost'
  const { maxBytes = Infinity } = recipe
  try {
    const drawn = await encodeGainMap(await shapeGainMap(gainMap, drawing), gainMap)
    return drawn.length + BYTES_AROUND > maxBytes * MOST_OF_ROOM ? 'lost' : drawn
  } catch {
    // Damage to the map is none to the picture.
    return 'lost'
  }
}

/** The same shape as the picture's, in the map's own pixels, of which there are fewer. */
async function shapeGainMap(gainMap: GainMap, drawing: Drawing): Promise<Sharp> {
  const { picture, recipe, variation } = drawing
  const { width, height } = picture.turnedByFile ? turned(gainMap) : gainMap
  const own = inPixelsOf(recipe, width / picture.width, height / picture.height)
  return shapePicture(
    {
      ...drawing,
      picture: { ...picture, width, height, frames: 1, hasAlpha: false },
      source: gainMapSource(gainMap),
      geometry: planGeometry({ width, height }, own, variation),
      recipe: own,
    },
    'error',
  )
}

const turned = ({ width, height }: Extent): Extent => ({ width: height, height: width })

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

/** A JPEG with its gain map behind it. */
export async function encodeWithGainMap(
  image: Sharp,
  gainMap: Buffer,
  recipe: GoalRecipe,
  trying: Trying,
): Promise<EncodedPicture> {
  const { maxBytes } = recipe
  const room = maxBytes === undefined ? undefined : maxBytes - gainMap.length - BYTES_AROUND
  const { bytes, ...extent } = await encodeToGoal(image, 'jpeg', { ...recipe, maxBytes: room }, trying)
  return { bytes: joinGainMap(bytes, gainMap), ...extent }
}
