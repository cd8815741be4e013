/**
 * Decodes HEIC, because sharp's libraries lack HEVC for license reasons. FFmpeg decodes plain images. libheif decodes rarer
 * structures, but its WebAssembly build is four times slower.
 */
import { type Extent, turnedExtent, MAX_PIXELS, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import { once } from '../../shared/once.ts'
import { damagedFile } from '../damaged-file.ts'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import type { GainMap } from './gain-map.ts'
import { readHeifGainMap } from './heif-gain-map.ts'
import {
  endsTooEarly,
  type HeifImage,
  isOnItsSide,
  itemsOf,
  hdrFactsOfHeif,
  namedFacts,
  type ImageMetadata,
  readCodedItem,
  readHevcImage,
  type HdrFacts,
} from './heif-file.ts'
import { type View, viewed, withoutView } from './heif-view.ts'
import { refuseTooManyPixels, unlessTooShort } from './image-failure.ts'
import { profileOf } from './matrix-profile.ts'
import { wrapAsPng } from './stored-png.ts'
import { unpremultiply, withStraightAlpha } from './straight-alpha.ts'

/** The parts of libheif's WebAssembly build that are used here. The package has no types. */
type LibHeif = {
  HeifDecoder: new () => { decode(file: Uint8Array): LibHeifImage[] }
}

type LibHeifImage = {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  has_alpha_channel(): boolean
  is_premultiplied_alpha(): boolean
  /** Fills `target.data` with RGBA, rotated and cropped as the file specifies. Passes null if decoding failed. */
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (target: { data: Uint8ClampedArray } | null) => void,
  ): void
}

/** Loads libheif on first use. Loading it takes longer than loading all other code for a photo. */
const loadLibheif = once<LibHeif>(() => createRequire(import.meta.url)('libheif-js/wasm-bundle.js'))

export type OpenHeic = Extent & {
  readonly content: Buffer
  readonly hasAlpha: boolean
  /** Significant bits per channel of the decoded pixels. */
  readonly bits: number
  readonly metadata: ImageMetadata
  readonly light: HdrFacts
  /** Reads the gain map, which makes the image brighter on HDR screens. Resolves to undefined if the map can't be read. */
  readonly gainMap?: () => Promise<GainMap | undefined>
  /**
   * Returns an upright PNG. If the decoder can scale, the PNG has the size `scaled`, which must not exceed the image's own size.
   * @throws FailureError if the file is damaged or incomplete
   */
  pixels(scaled?: Extent): Promise<Buffer>
}

/**
 * Opens a HEIC that FFmpeg can decode. Bypasses sharp, whose libheif rejects the many tiles of a phone's largest photos.
 * @returns undefined if the file is truncated or isn't a plain HEVC image
 */
export async function openPlainHeic(filePath: string): Promise<OpenHeic | undefined> {
  const file = await readFile(filePath)
  const photo = endsTooEarly(file) ? undefined : unlessTooShort(() => readHevcImage(file))
  if (photo === undefined) return undefined
  const { width, height } = uprightSize(photo.cut, photo)
  // The whole image is decoded, even if only a part of it is kept.
  refuseTooManyPixels(
    photo.width,
    photo.height,
    1,
    photo.alpha === undefined ? MAX_PIXELS : MAX_PIXELS_IN_MEMORY,
  )
  const light = await factsOf(file, photo)
  const metadata = { ...photo.metadata, icc: photo.metadata.icc ?? profileIn(light) }
  return {
    content: file,
    width,
    height,
    hasAlpha: photo.alpha !== undefined,
    bits: photo.bits,
    metadata,
    light,
    ...(keepsGainMap(light) ? { gainMap: async () => readGainMap(file, photo, metadata) } : {}),
    async pixels(scaled) {
      const { decodeHeif, decodeWithAlpha } = await import('./heif-pixels.ts')
      const { alpha, bits } = photo
      const decoded =
        alpha === undefined
          ? await decodeHeif(photo, scaled, bits > 8 || light.hdr !== undefined ? 'rgb48le' : 'rgb24')
          : await decodeWithAlpha(photo, alpha)
      if (alpha !== undefined && decoded !== undefined && light.isPremultiplied)
        withStraightAlpha({ ...decoded, channels: 4 })
      if (decoded !== undefined)
        return wrapAsPng({ ...decoded, channels: alpha === undefined ? 3 : 4, metadata })
      const other = withLibheif(file, metadata)
      if (other.width === width && other.height === height) return await other.pixels()
      throw damagedFile('partsContradict')
    },
  }
}

const readGainMap = async (file: Buffer, { alpha }: HeifImage, metadata: ImageMetadata) =>
  alpha === undefined ? readHeifGainMap(file) : withLibheif(file, metadata).gainMap?.()

/** Returns the facts of the file. If it doesn't define its colors, the coded image does. */
async function factsOf(file: Buffer, photo: HeifImage): Promise<HdrFacts> {
  const facts = hdrFactsOfHeif(file)
  if (photo.colors !== undefined || photo.metadata.icc !== undefined) return facts
  const { codedColors } = await import('./heif-pixels.ts')
  return { ...facts, ...namedFacts(await codedColors(photo), false) }
}

/**
 * Opens any HEIC with libheif.
 * @throws FailureError if the file is damaged or incomplete
 */
export async function openRareHeic(filePath: string, metadata: ImageMetadata): Promise<OpenHeic> {
  const file = await readFile(filePath)
  // Decoders would fill the missing part of a truncated file with gray, or show the thumbnail.
  if (endsTooEarly(file)) throw damagedFile('imageEndsEarly')
  return withLibheif(file, metadata)
}

const uprightSize = (stored: Extent, { transforms }: Pick<View, 'transforms'>): Extent =>
  turnedExtent(stored, isOnItsSide(transforms))

function withLibheif(file: Buffer, described: ImageMetadata): OpenHeic {
  const own = withoutView(file)
  const image = primaryImage(own?.file ?? file)
  const stored = { width: image.get_width(), height: image.get_height() }
  refuseTooManyPixels(stored.width, stored.height, 1, MAX_PIXELS_IN_MEMORY)
  const { width, height } = own === undefined ? stored : uprightSize(own.view.cut ?? stored, own.view)
  const decode = async () => {
    const pixels = await decodePixels(image, stored.width, stored.height)
    return own === undefined ? pixels : viewed({ pixels, ...stored, channels: 4 }, own.view).pixels
  }
  const hasAlpha = image.has_alpha_channel()
  const light = hdrFactsOfHeif(file)
  const metadata = { ...described, icc: described.icc ?? profileIn(light) }
  const seen = async (size: Extent): Promise<Buffer> => {
    const pixels = await decode()
    const raw = { width, height, channels: 4 } as const
    return await sharp(pixels, { raw })
      .extractChannel(3)
      .resize({ ...size, fit: 'fill' })
      .raw()
      .toBuffer()
  }
  return {
    content: file,
    width,
    height,
    hasAlpha,
    // The package only returns 8 bits.
    bits: 8,
    metadata,
    light,
    ...(keepsGainMap(light) ? { gainMap: () => readHeifGainMap(file, hasAlpha ? seen : undefined) } : {}),
    async pixels() {
      await refuseDamagedTiles(file)
      const pixels = await decode()
      if (hasAlpha && image.is_premultiplied_alpha()) unpremultiply({ samples: pixels, channels: 4 })
      const content = hasAlpha
        ? { pixels, channels: 4 as const }
        : { pixels: withoutAlpha(pixels), channels: 3 as const }
      return wrapAsPng({ ...content, width, height, metadata })
    },
  }
}

/** @throws FailureError if FFmpeg decodes only some of the tiles */
async function refuseDamagedTiles(file: Buffer): Promise<void> {
  const image = unlessTooShort(() => {
    const items = itemsOf(file)
    return items && readCodedItem(file, items, items.primary, 'hevc')
  })
  if (image === undefined || image.tiles.length < 2) return
  const { hasDamagedTiles } = await import('./heif-pixels.ts')
  if (await hasDamagedTiles(image)) throw damagedFile('imagePartMissing')
}

const profileIn = ({ numbers }: HdrFacts): Buffer | undefined => numbers && profileOf(numbers)

const keepsGainMap = ({ hasGainMap, hdr }: HdrFacts): boolean => hasGainMap && hdr === undefined

function primaryImage(file: Uint8Array): LibHeifImage {
  const images = new (loadLibheif().HeifDecoder)().decode(file)
  const primary = images.find((image) => image.is_primary()) ?? images[0]
  if (primary === undefined) throw damagedFile('imageMissing')
  return primary
}

function decodePixels(image: LibHeifImage, width: number, height: number): Promise<Uint8ClampedArray> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (shown) => {
      if (shown === null) reject(damagedFile('imageNotDecodable'))
      else resolve(data)
    })
  })
}

function withoutAlpha(pixels: ArrayLike<number>): Uint8Array {
  const colors = new Uint8Array((pixels.length / 4) * 3)
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    colors[to++] = pixels[from] ?? 0
    colors[to++] = pixels[from + 1] ?? 0
    colors[to++] = pixels[from + 2] ?? 0
  }
  return colors
}
