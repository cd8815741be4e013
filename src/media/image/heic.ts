/** HEIC, whose HEVC coding sharp's libraries can't decode for licence reasons: libheif as WebAssembly does it. */
import { readFile } from 'node:fs/promises'
import libheif, { type HeifImage } from './libheif.js'
import type { Metadata } from 'sharp'
import { ProcessingError } from '../protocol.ts'
import { uprightExif } from './exif-orientation.ts'
import { endsTooEarly } from './heif-extents.ts'
import { MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './pixel-limit.ts'
import { wrapAsPng } from './uncompressed-png.ts'

export type DecodedHeic = {
  /** An uncompressed PNG: unlike bare pixels it carries the colour profile and the metadata along. */
  readonly input: Buffer
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
  readonly hasProfile: boolean
}

/** @throws ProcessingError when the file is damaged or incomplete */
export async function decodeHeic(
  filePath: string,
  metadata: Pick<Metadata, 'icc' | 'exif' | 'xmp'>,
): Promise<DecodedHeic> {
  const file = await readFile(filePath)
  // libheif shows what it has of such a file: gray, or the thumbnail.
  if (endsTooEarly(file)) throw damaged('the picture data ends before it should')
  const image = primaryImage(file)
  const width = image.get_width()
  const height = image.get_height()
  refuseTooManyPixels(width, height, 1, MAX_PIXELS_IN_MEMORY)
  const hasAlpha = image.has_alpha_channel()
  const pixels = await decodePixels(image, width, height)
  if (hasAlpha && image.is_premultiplied_alpha()) divideByAlpha(pixels)
  const { icc, exif, xmp } = metadata
  return {
    input: wrapAsPng({
      pixels,
      width,
      height,
      hasAlpha,
      ...(icc === undefined ? {} : { icc }),
      ...(exif === undefined ? {} : { exif: uprightExif(exif) }),
      ...(xmp === undefined ? {} : { xmp }),
    }),
    width,
    height,
    hasAlpha,
    hasProfile: icc !== undefined,
  }
}

function primaryImage(file: Uint8Array): HeifImage {
  const images = new libheif.HeifDecoder().decode(file)
  const primary = images.find((image) => image.is_primary()) ?? images[0]
  if (primary === undefined) throw damaged('no picture was found in it')
  return primary
}

function decodePixels(image: HeifImage, width: number, height: number): Promise<Uint8ClampedArray> {
  return new Promise((resolve, reject) => {
    const data = new Uint8ClampedArray(width * height * 4)
    image.display({ data, width, height }, (shown) => {
      if (shown === null) reject(damaged('the picture could not be decoded'))
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

function damaged(what: string): ProcessingError {
  return new ProcessingError(`The file is damaged or incomplete: ${what}.`)
}
