/**
 * Decodes TIFF variants that libvips rejects or decodes incorrectly.
 * libvips still decompresses each part. This module rewrites each part's directory into one that libvips supports, and combines the
 * results.
 */
import { damagedFile } from '../damaged-file.ts'
import { type FileHandle, open } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import type { Extent } from './geometry.ts'
import { MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './image-failure.ts'
import { type RawImage, rawImageOf } from './raw-image.ts'
import { type Directory, readTiffHead, TAG, type TiffHead, withDirectory } from './tiff-directory.ts'

const OLD_JPEG = 6
const [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB] = [0, 1, 2]
const LAB: readonly number[] = [8, 9, 10]
const SEPARATE = 2
/** More channels per pixel than any photo has. A file can claim billions. */
const MOST_SAMPLES = 64
/** ExtraSamples values for premultiplied and straight alpha. */
const ALPHA: readonly (number | undefined)[] = [1, 2]

/** @returns undefined if libvips reads the file correctly */
export async function decodeTiffVariant(path: string): Promise<RawImage | undefined> {
  const file = await open(path)
  try {
    const head = await readTiffHead(file)
    if (head === undefined) return undefined
    const decode = decoderFor(head.directory)
    if (decode === undefined) return undefined
    const first = (tag: number) => head.directory.get(tag)?.[0] ?? 0
    refuseTooManyPixels(first(TAG.width), first(TAG.height), 1, MAX_PIXELS_IN_MEMORY)
    const content = await wholeFile(file)
    requirePixels(content, head.directory)
    const image = await decode(content, head)
    const raw = await rawImageOf(upright(image, first(TAG.orientation)))
    const profile = head.directory.get(TAG.profile)
    return { ...raw, metadata: profile === undefined ? {} : { icc: Buffer.from(profile) } }
  } finally {
    await file.close()
  }
}

const wholeFile = (file: FileHandle): Promise<Buffer> => file.readFile()

const UNCOMPRESSED = 1
/** Maximum ratio of pixel data to file size. Blank strips compress to a thousandth of their size or less. */
const MOST_EXPANSION = 4_096
/** Compressed images with up to this many bytes of pixel data aren't checked, because they may compress to almost nothing. */
const LITTLE = 2 ** 22

/**
 * Rejects a small file that claims to be huge. A decoder would allocate several times the claimed size before noticing.
 * @throws FailureError if the file is too small for its pixels
 */
function requirePixels(file: Buffer, directory: Directory): void {
  const get = (tag: number, otherwise: number) => directory.get(tag)?.[0] ?? otherwise
  const photometric = get(TAG.photometric, BLACK_IS_ZERO)
  const colors = photometric === RGB || LAB.includes(photometric) ? 3 : 1
  const bytes = (get(TAG.width, 0) * get(TAG.height, 0) * colors * get(TAG.bits, 1)) / 8
  const isCompressed = get(TAG.compression, UNCOMPRESSED) !== UNCOMPRESSED
  const most = isCompressed ? Math.max(LITTLE, file.length * MOST_EXPANSION) : file.length
  if (bytes > most) throw damagedFile('imagePartMissing')
}

type Decode = (file: Buffer, head: TiffHead) => Promise<Sharp>

function decoderFor(directory: Directory): Decode | undefined {
  const get = (tag: number, otherwise: number) => directory.get(tag)?.[0] ?? otherwise
  const bits = directory.get(TAG.bits) ?? [1]
  const samples = get(TAG.samples, 1)
  const photometric = get(TAG.photometric, BLACK_IS_ZERO)
  if (samples > MOST_SAMPLES) return undefined
  const isSeparate = get(TAG.planes, 1) === SEPARATE && samples > 1
  if (get(TAG.compression, 1) === OLD_JPEG && directory.has(TAG.jpegOffset)) return fromOldJpeg
  if (isSeparate && (directory.has(TAG.tileOffsets) || hasEmptyPlane(directory, samples)))
    return [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB].includes(photometric) ? fromPlanes : undefined
  if (isSeparate) return undefined
  if (LAB.includes(photometric) && samples === 4 && bits.every((each) => each === 8 || each === 16))
    return fromLab
  return photometric === RGB && bits.every((each) => each === 4) ? fromHalfBytes : undefined
}

const blocksOf = (directory: Directory) =>
  directory.has(TAG.tileOffsets)
    ? ({ offsets: TAG.tileOffsets, bytes: TAG.tileBytes } as const)
    : ({ offsets: TAG.stripOffsets, bytes: TAG.stripBytes } as const)

/** Returns one plane's values from a list of all planes' values, plane by plane. */
function planeOf<T>(values: readonly T[], plane: number, samples: number): readonly T[] {
  const each = values.length / samples
  return values.slice(plane * each, (plane + 1) * each)
}

function hasEmptyPlane(directory: Directory, samples: number): boolean {
  const bytes = directory.get(blocksOf(directory).bytes) ?? []
  return Array.from({ length: samples }, (_, plane) => planeOf(bytes, plane, samples)).some((blocks) =>
    blocks.every((length) => length === 0),
  )
}

/** Decodes each plane as a gray image. Skips extra planes that are empty or don't hold alpha. */
async function fromPlanes(file: Buffer, head: TiffHead): Promise<Sharp> {
  const { directory } = head
  const samples = directory.get(TAG.samples)?.[0] ?? 1
  const photometric = directory.get(TAG.photometric)?.[0] ?? BLACK_IS_ZERO
  const colors = photometric === RGB ? 3 : 1
  const { offsets, bytes } = blocksOf(directory)
  const lengths = planeOf(directory.get(bytes) ?? [], colors, samples)
  const hasAlpha =
    ALPHA.includes(directory.get(TAG.extraSamples)?.[0]) && lengths.some((length) => length > 0)
  const planes = Array.from({ length: colors + (hasAlpha ? 1 : 0) }, (_, plane) =>
    sharp(
      withDirectory(file, {
        ...head,
        directory: without(directory, [TAG.extraSamples, TAG.orientation, TAG.profile], {
          [TAG.samples]: [1],
          [TAG.planes]: [1],
          [TAG.bits]: [directory.get(TAG.bits)?.[plane] ?? 8],
          [TAG.sampleFormat]: [1],
          [TAG.photometric]: [plane === 0 && colors === 1 ? photometric : BLACK_IS_ZERO],
          [offsets]: planeOf(directory.get(offsets) ?? [], plane, samples),
          [bytes]: planeOf(directory.get(bytes) ?? [], plane, samples),
        }),
      }),
      { limitInputPixels: MAX_PIXELS_IN_MEMORY },
    ),
  )
  const isDeep = directory.get(TAG.bits)?.[0] === 16
  return joined(planes, isDeep)
}

/** Combines gray images into the channels of one image. */
async function joined(planes: readonly Sharp[], isDeep: boolean): Promise<Sharp> {
  const decoded = await Promise.all(
    planes.map((plane) =>
      numbersOf(plane.toColourspace(isDeep ? 'grey16' : 'b-w').extractChannel(0), isDeep),
    ),
  )
  const [first] = decoded
  if (first === undefined) throw new Error('The image has no planes.')
  const { width, height } = first
  const channels = asChannels(decoded.length)
  const length = width * height * channels
  const pixels = isDeep ? new Uint16Array(length) : new Uint8Array(length)
  for (const [channel, { numbers }] of decoded.entries())
    for (let at = 0; at < width * height; at++) pixels[at * channels + channel] = numbers[at] ?? 0
  return imageOf(pixels, { width, height, channels })
}

function imageOf(pixels: Uint8Array | Uint16Array, raw: Extent & { channels: 1 | 2 | 3 | 4 }): Sharp {
  const image = sharp(pixels, { raw, limitInputPixels: false })
  // Without this color space, sharp would convert to 8 bits.
  return pixels instanceof Uint16Array ? image.toColourspace(raw.channels < 3 ? 'grey16' : 'rgb16') : image
}

function asChannels(count: number): 1 | 2 | 3 | 4 {
  return count === 1 || count === 2 || count === 3 ? count : 4
}

/**
 * Decodes a Lab image with alpha.
 * libvips reads the alpha of a Lab image as a signed color channel. So alpha comes from a second pass that reads the same bytes as
 * RGB.
 */
async function fromLab(file: Buffer, head: TiffHead): Promise<Sharp> {
  const isDeep = head.directory.get(TAG.bits)?.[0] === 16
  const asRgb = new Map([...head.directory, [TAG.photometric, [RGB]] as const])
  const options = { limitInputPixels: MAX_PIXELS_IN_MEMORY }
  const alpha = sharp(withDirectory(file, { ...head, directory: asRgb }), options)
    .extractChannel(3)
    .toColourspace(isDeep ? 'grey16' : 'b-w')
  const colors = sharp(file, options)
    .removeAlpha()
    .toColourspace(isDeep ? 'rgb16' : 'srgb')
  const [opacity, color] = [await numbersOf(alpha, isDeep), await numbersOf(colors, isDeep)]
  const { width, height } = color
  const length = width * height * 4
  const pixels = isDeep ? new Uint16Array(length) : new Uint8Array(length)
  for (let at = 0; at < width * height; at++) {
    pixels.set(color.numbers.subarray(at * 3, at * 3 + 3), at * 4)
    pixels[at * 4 + 3] = opacity.numbers[at] ?? (isDeep ? 0xffff : 0xff)
  }
  return imageOf(pixels, { width, height, channels: 4 })
}

async function numbersOf(image: Sharp, isDeep: boolean) {
  const { data, info } = await image
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const numbers = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
  return { numbers, width: info.width, height: info.height }
}

/** Decodes 4-bit channels. Reads the rows as bytes and splits each byte into two samples. */
async function fromHalfBytes(file: Buffer, head: TiffHead): Promise<Sharp> {
  const get = (tag: number) => head.directory.get(tag)?.[0] ?? 0
  const [width, height, samples] = [get(TAG.width), get(TAG.height), get(TAG.samples)]
  const stride = Math.ceil((width * samples) / 2)
  const tileWidth = head.directory.get(TAG.tileWidth)?.[0]
  const rows = await sharp(
    withDirectory(file, {
      ...head,
      directory: without(head.directory, [TAG.extraSamples, TAG.orientation, TAG.predictor, TAG.profile], {
        [TAG.width]: [stride],
        [TAG.bits]: [8],
        [TAG.samples]: [1],
        [TAG.photometric]: [BLACK_IS_ZERO],
        [TAG.sampleFormat]: [1],
        ...(tileWidth === undefined ? {} : { [TAG.tileWidth]: [(tileWidth * samples) / 2] }),
      }),
    }),
    // Four 4-bit channels take two bytes per pixel.
    { limitInputPixels: 2 * MAX_PIXELS_IN_MEMORY },
  )
    .toColourspace('b-w')
    .raw()
    .toBuffer()
  const hasAlpha = samples > 3 && ALPHA.includes(get(TAG.extraSamples))
  const channels = hasAlpha ? 4 : 3
  const pixels = new Uint8Array(width * height * channels)
  let to = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < channels; channel++) {
        const half = x * samples + channel
        const byte = rows[y * stride + (half >> 1)] ?? 0
        pixels[to++] = (half % 2 === 0 ? byte >> 4 : byte & 15) * 17
      }
  return sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false })
}

/** Decodes old-style JPEG compression: the file contains a complete JPEG. */
function fromOldJpeg(file: Buffer, { directory }: TiffHead): Promise<Sharp> {
  const start = directory.get(TAG.jpegOffset)?.[0] ?? 0
  const length = directory.get(TAG.jpegBytes)?.[0] ?? file.length
  return Promise.resolve(
    sharp(file.subarray(start, start + length), { limitInputPixels: MAX_PIXELS_IN_MEMORY }),
  )
}

function without(
  directory: Directory,
  tags: readonly number[],
  changes: Readonly<Record<number, readonly number[]>>,
): Directory {
  const kept = [...directory].filter(([tag]) => !tags.includes(tag))
  const changed = Object.entries(changes).map(([tag, values]) => [Number(tag), values] as const)
  return new Map([...kept, ...changed])
}

/** Applies one of the eight Exif orientations. */
function upright(image: Sharp, orientation: number): Sharp {
  if ([2, 5, 7].includes(orientation)) image.flop()
  if (orientation === 4) image.flip()
  const rotation = { 3: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation]
  return rotation === undefined ? image : image.rotate(rotation)
}
