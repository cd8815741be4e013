/**
 * HEIC, whose HEVC coding sharp's libraries can't decode for licence reasons. FFmpeg decodes plain pictures of it; libheif as
 * WebAssembly, four times slower, those that are put together in rarer ways.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import sharp from 'sharp'
import type { GainMap } from './gain-map.ts'
import type { Extent } from './geometry.ts'
import { readHeifGainMap } from './heif-gain-map.ts'
import {
  endsTooEarly,
  type HeifPicture,
  isOnItsSide,
  lightOfHeif,
  type PictureMetadata,
  readHevcPicture,
  type SaidOfLight,
} from './heif-file.ts'
import { damagedPicture, MAX_PIXELS, MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './picture-failure.ts'
import { wrapAsPng } from './stored-png.ts'

/** The part of libheif's WebAssembly build that is used here; the package brings no types. */
type LibHeif = {
  HeifDecoder: new () => { decode(file: Uint8Array): HeifImage[] }
}

type HeifImage = {
  get_width(): number
  get_height(): number
  is_primary(): boolean
  has_alpha_channel(): boolean
  is_premultiplied_alpha(): boolean
  /** Fills `target.data` with RGBA, turned and cropped as the file says; null means that it could not. */
  display(
    target: { data: Uint8ClampedArray; width: number; height: number },
    done: (target: { data: Uint8ClampedArray } | null) => void,
  ): void
}

let libheif: LibHeif | undefined

/** Loaded with the first picture that needs it: that takes longer than all else that a worker loads for a photo. */
function loadLibheif(): LibHeif {
  const decoder: LibHeif = libheif ?? createRequire(import.meta.url)('libheif-js/wasm-bundle.js')
  libheif = decoder
  return decoder
}

export type OpenHeic = Extent & {
  readonly hasAlpha: boolean
  readonly hasProfile: boolean
  readonly light: SaidOfLight
  /** What makes it brighter on screens that can show that; undefined where it can't be read. */
  readonly gainMap?: () => Promise<GainMap | undefined>
  /**
   * As a PNG, upright. A decoder that can gives it in the size that is wanted, which must not be larger than its own.
   * @throws ProcessingError when the file is damaged or incomplete
   */
  pixels(scaled?: Extent): Promise<Buffer>
}

/**
 * Without asking sharp, whose libheif refuses the many parts of a phone's largest pictures.
 *
 * @returns undefined for what FFmpeg can't decode, or what is no HEIC at all
 */
export async function openPlainHeic(filePath: string): Promise<OpenHeic | undefined> {
  const file = await readFile(filePath)
  const picture = endsTooEarly(file) ? undefined : readPlain(file)
  if (picture === undefined) return undefined
  const { width, height } = uprightSize(picture)
  refuseTooManyPixels(width, height, 1, MAX_PIXELS)
  const { metadata } = picture
  const light = lightOfHeif(file)
  return {
    width,
    height,
    hasAlpha: false,
    hasProfile: metadata.icc !== undefined,
    light,
    ...(keepsGainMap(light) ? { gainMap: () => readHeifGainMap(file) } : {}),
    async pixels(scaled) {
      // Its decoders are loaded with the first picture that needs them.
      const { decodeHeif } = await import('./heif-pixels.ts')
      const decoded = await decodeHeif(picture, scaled, light.hdr === undefined ? 8 : 16)
      if (decoded !== undefined) return wrapAsPng({ ...decoded, channels: 3, metadata })
      const other = withLibheif(file, metadata)
      if (other.width === width && other.height === height) return await other.pixels()
      throw damagedPicture('its parts contradict each other')
    },
  }
}

function readPlain(file: Buffer): HeifPicture | undefined {
  try {
    return readHevcPicture(file)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * By libheif, whatever it is put together of.
 *
 * @throws ProcessingError when the file is damaged or incomplete
 */
export async function openRareHeic(filePath: string, metadata: PictureMetadata): Promise<OpenHeic> {
  const file = await readFile(filePath)
  // Decoders show what they have of such a file: gray, or the thumbnail.
  if (endsTooEarly(file)) throw damagedPicture('the picture data ends before it should')
  return withLibheif(file, metadata)
}

function uprightSize({ cut, transforms }: HeifPicture): Extent {
  return isOnItsSide(transforms) ? { width: cut.height, height: cut.width } : cut
}

function withLibheif(file: Buffer, metadata: PictureMetadata): OpenHeic {
  const image = primaryImage(file)
  const [width, height] = [image.get_width(), image.get_height()]
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  const hasAlpha = image.has_alpha_channel()
  const light = lightOfHeif(file)
  const seen = async (size: Extent): Promise<Buffer> => {
    const pixels = await decodePixels(image, width, height)
    const raw = { width, height, channels: 4 } as const
    return await sharp(pixels, { raw })
      .extractChannel(3)
      .resize({ ...size, fit: 'fill' })
      .raw()
      .toBuffer()
  }
  return {
    width,
    height,
    hasAlpha,
    hasProfile: metadata.icc !== undefined,
    light,
    ...(keepsGainMap(light) ? { gainMap: () => readHeifGainMap(file, hasAlpha ? seen : undefined) } : {}),
    async pixels() {
      const pixels = await decodePixels(image, width, height)
      if (hasAlpha && image.is_premultiplied_alpha()) divideByAlpha(pixels)
      const content = hasAlpha
        ? { pixels, channels: 4 as const }
        : { pixels: withoutAlpha(pixels), channels: 3 as const }
      return wrapAsPng({ ...content, width, height, metadata })
    },
  }
}

const keepsGainMap = ({ hasGainMap, hdr }: SaidOfLight): boolean => hasGainMap && hdr === undefined

function primaryImage(file: Uint8Array): HeifImage {
  const images = new (loadLibheif().HeifDecoder)().decode(file)
  const primary = images.find((image) => image.is_primary()) ?? images[0]
  if (primary === undefined) throw damagedPicture('no picture was found in it')
  return primary
}

function decodePixels(image: HeifImage, width: number, height: number): Promise<Uint8ClampedArray> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (shown) => {
      if (shown === null) reject(damagedPicture('the picture could not be decoded'))
      else resolve(data)
    })
  })
}

function divideByAlpha(pixels: Uint8ClampedArray): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 255
    if (alpha === 0 || alpha === 255) continue
    for (let channel = at; channel < at + 3; channel++)
      pixels[channel] = ((pixels[channel] ?? 0) * 255) / alpha
  }
}

function withoutAlpha(pixels: Uint8ClampedArray): Uint8Array {
  const colours = new Uint8Array((pixels.length / 4) * 3)
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    colours[to++] = pixels[from] ?? 0
    colours[to++] = pixels[from + 1] ?? 0
    colours[to++] = pixels[from + 2] ?? 0
  }
  return colours
}
