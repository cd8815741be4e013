/**
 * Crops and rotates an AVIF or HEIC if libheif's result differs from what browsers show. libavif writes the crop and the rotation for an
 * image's colors but not for its transparency. For a grid, it also writes them for each tile. libheif then leaves the transparency
 * unchanged, and additionally crops and rotates each tile.
 */
import type { Area } from '../../shared/extent.ts'
import { type Box, boxesIn, boxIn } from '../../node/media-header/heif-boxes.ts'
import { ownersIn } from '../../node/media-header/heif-items.ts'
import {
  alphaOf,
  apertureIn,
  isTransforming,
  itemsOf,
  sizeIn,
  type Transform,
  transformsOf,
} from './heif-file.ts'
import { unlessTooShort } from './image-failure.ts'
import type { RawImage } from './raw-image.ts'

/** How programs show the stored image. They crop it to the area before any transform. */
export type View = { readonly cut: Area | undefined; readonly transforms: readonly Transform[] }

/**
 * Separates an image from its view if libheif doesn't show it correctly.
 * @returns a copy of the file without its view, and the view; undefined if libheif shows the image correctly, or if a crop isn't the first
 * transform or isn't the only crop
 */
export const withoutView = (file: Buffer): { readonly file: Buffer; readonly view: View } | undefined =>
  unlessTooShort(() => {
    const items = itemsOf(file)
    if (items === undefined) return undefined
    const { primary, references } = items
    const own = items.propertiesOf(primary).filter(isTransforming)
    const isViewed = (item: number) =>
      own.every((one) => items.propertiesOf(item).some((other) => isEqual(file, one, other)))
    const size = sizeIn(file, items.propertiesOf(primary))
    const [aperture, ...others] = own.filter(({ type }) => type === 'clap')
    const isUsual = others.length === 0 && (aperture === undefined || own[0] === aperture)
    if (own.length === 0 || size === undefined || !isUsual) return undefined
    const tiles = references.find(({ type, from }) => type === 'dimg' && from === primary)?.to ?? []
    const alpha = alphaOf(file, items, primary)
    if (!tiles.some(isViewed) && (alpha === undefined || isViewed(alpha))) return undefined
    const cut = aperture && apertureIn(file, aperture, size)
    return { file: unlinked(file), view: { cut, transforms: transformsOf(file, items, primary) } }
  })

const isEqual = (file: Buffer, one: Box, other: Box): boolean =>
  one.type === other.type && file.subarray(one.body, one.end).equals(file.subarray(other.body, other.end))

/** Returns a copy in which no item is cropped or rotated (ISO/IEC 23008-12, 9.3). */
function unlinked(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  const meta = boxIn(file, 0, file.length, 'meta') ?? NO_BOX
  const properties = boxIn(file, meta.body + 4, meta.end, 'iprp') ?? NO_BOX
  const container = boxIn(file, properties.body, properties.end, 'ipco') ?? NO_BOX
  const all = boxesIn(file, container.body, container.end)
  const lists = boxesIn(file, properties.body, properties.end).filter(({ type }) => type === 'ipma')
  for (const { properties: owned, indexSize } of lists.flatMap((list) => [...ownersIn(file, list)]))
    for (const { at, index } of owned) {
      const property = all[index - 1]
      if (property !== undefined && isTransforming(property)) changed.fill(0, at, at + indexSize)
    }
  return changed
}

const NO_BOX: Box = { type: '', start: 0, body: 0, end: 0 }

/** Returns the pixels that are shown, upright. */
export function viewed<Image extends Omit<RawImage, 'metadata'>>(
  image: Image,
  { cut, transforms }: View,
): Image {
  const { pixels, channels, depth = 8 } = image
  let { width, height } = cut ?? image
  // The first pixel, and the distances to the next one at its right and below it, in the stored image.
  let first = (cut?.top ?? 0) * image.width + (cut?.left ?? 0)
  let [right, down] = [1, image.width]
  const mirror = () => {
    first += right * (width - 1)
    right = -right
  }
  const swap = () => {
    ;[right, down, width, height] = [down, right, height, width]
  }
  for (const transform of transforms)
    if (transform.kind === 'rotate')
      for (let left = transform.quarters; left > 0; left--) {
        mirror()
        swap()
      }
    else {
      const isUpDown = transform.over === 'upDown'
      if (isUpDown) swap()
      mirror()
      if (isUpDown) swap()
    }
  const bytes = (channels * depth) / 8
  const shown = Buffer.alloc(width * height * bytes)
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = (first + y * down + x * right) * bytes
      for (let byte = 0; byte < bytes; byte++) shown[to++] = pixels[from + byte] ?? 0
    }
  return { ...image, pixels: shown, width, height }
}
