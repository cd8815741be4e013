/**
 * Keeps white areas white in images with 16 bits per channel. libvips reduces such images with rounded weights, which makes each row and
 * column darker by a different amount, up to 0.4 %. sharp's brightest background has a level of 65,280 instead of 65,535.
 */
import { type Extent, MAX_PIXELS } from '../../shared/extent.ts'
import sharp, { type Sharp } from 'sharp'
import { inSrgb } from './color-in-srgb.ts'
import { type RawImage, rawImageOf, deepSamples } from './raw-image.ts'
import type { SourceImage } from './source-image.ts'
import { wrapAsPng } from './stored-png.ts'

type DeepImage = Extent &
  Pick<SourceImage, 'isGray' | 'format' | 'bits'> & {
    readonly isConverted: boolean
  }

const WHITE = 0xffff
/** Number of levels that white may lose by rounding, one for each direction. */
const ROUNDING = 2

/**
 * Reduces an upright image, and converts it to sRGB if requested.
 * @param from size of the image
 */
export async function reduceDeep(image: Sharp, from: DeepImage, to: Extent): Promise<Sharp> {
  const raw = await deepPixels(image.resize({ ...to, fit: 'fill' }).keepIccProfile(), from)
  const { pixels, width, channels } = raw
  const across = await whiteness(from.width, to.width)
  const down = await whiteness(from.height, to.height)
  const stretch = stretchOf(from)
  const samples = deepSamples(pixels)
  // With transparency, correct only the alpha channel: colors are divided by it, so that the errors of both cancel out.
  const first = channels === 2 || channels === 4 ? channels - 1 : 0
  for (let at = 0, pixel = 0; at < samples.length; at += channels, pixel++) {
    const factor = (across[pixel % width] ?? 1) * (down[Math.floor(pixel / width)] ?? 1)
    for (let channel = 0; channel < channels; channel++) {
      const value = (samples[at + channel] ?? 0) * stretch * (channel < first ? 1 : factor)
      samples[at + channel] = value > WHITE - ROUNDING ? WHITE : value + 0.5
    }
  }
  return opened(raw, from)
}

/**
 * Returns the factor that restores the white of an AVIF. libvips appends zeros to its 10 or 12 bits, so that its white is darker than
 * 16-bit white.
 */
const stretchOf = ({ format, bits }: DeepImage): number =>
  format === 'avif' && bits < 16 ? WHITE / (WHITE - (WHITE >> bits)) : 1

/** Restores white in an image that isn't reduced, and converts it to sRGB if requested. */
export async function stretchDeep(image: Sharp, from: DeepImage): Promise<Sharp> {
  const stretch = stretchOf(from)
  if (stretch === 1 && !from.isConverted) return image
  const raw = await deepPixels(image.keepIccProfile(), from)
  const samples = deepSamples(raw.pixels)
  for (let at = 0; at < samples.length; at++)
    samples[at] = Math.min(WHITE, (samples[at] ?? 0) * stretch + 0.5)
  return opened(raw, from)
}

/** Returns the factor that restores white for each pixel of a reduced line. */
async function whiteness(from: number, to: number): Promise<Float64Array> {
  const line = new Uint16Array(from).fill(WHITE)
  const reduced = await sharp(line, { raw: { width: from, height: 1, channels: 1 }, limitInputPixels: false })
    .toColourspace('grey16')
    .resize({ width: to, height: 1, fit: 'fill' })
    .raw({ depth: 'ushort' })
    .toBuffer()
  return Float64Array.from(deepSamples(reduced), (value) => WHITE / Math.max(1, value))
}

export async function frameDeep(
  image: Sharp,
  { isGray }: Pick<DeepImage, 'isGray'>,
  frame: Extent,
  background: string,
): Promise<Sharp> {
  const raw = await deepPixels(image.keepIccProfile(), { isGray })
  const { width, height, channels } = raw
  const samples = deepSamples(raw.pixels)
  const shades = shadesOf(background, channels)
  const framed = Uint16Array.from(
    { length: frame.width * frame.height * channels },
    (_, at) => shades[at % channels] ?? WHITE,
  )
  const left = Math.floor((frame.width - width) / 2)
  const top = Math.floor((frame.height - height) / 2)
  for (let y = 0; y < height; y++) {
    const row = samples.subarray(y * width * channels, (y + 1) * width * channels)
    framed.set(row, ((top + y) * frame.width + left) * channels)
  }
  return toSharp({ ...raw, ...frame, pixels: new Uint8Array(framed.buffer) })
}

/**
 * Returns the samples of a background pixel.
 * @param background `#rrggbb`
 */
function shadesOf(background: string, channels: number): readonly number[] {
  const colors = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16) * 257)
  const [red = 0, green = 0, blue = 0] = colors
  // The weights of BT.709.
  const gray = Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue)
  return [...(channels < 3 ? [gray] : colors), ...(channels === 2 || channels === 4 ? [WHITE] : [])]
}

/** Runs all queued operations. Returns 16-bit pixels with their metadata. */
const deepPixels = (image: Sharp, { isGray }: Pick<DeepImage, 'isGray'>): Promise<RawImage> =>
  rawImageOf(
    image
      .toColourspace(isGray ? 'grey16' : 'rgb16')
      .keepExif()
      .keepXmp(),
  )

async function opened(raw: RawImage, { isGray, isConverted }: DeepImage): Promise<Sharp> {
  if (!isConverted || raw.metadata.icc === undefined) return toSharp(raw)
  // If the profile has tables, let libvips convert the colors.
  return toSharp(inSrgb(raw) ?? (await deepPixels(toSharp(raw).withIccProfile('srgb'), { isGray })))
}

const toSharp = (raw: RawImage): Sharp => sharp(wrapAsPng(raw), { limitInputPixels: MAX_PIXELS })
