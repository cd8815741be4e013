/**
 * TIFF files of kinds that libvips refuses or shows wrongly. It still undoes their compression: each is handed to it under a
 * directory that describes the same bytes in a way that it knows, and what comes back is put together here.
 */
import { type FileHandle, open } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { MAX_PIXELS_IN_MEMORY, refuseTooManyPixels } from './picture-failure.ts'
import { type RawPicture, rawPictureOf } from './raw-picture.ts'
import { type Directory, readTiffHead, TAG, type TiffHead, withDirectory } from './tiff-directory.ts'

const OLD_JPEG = 6
const [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB] = [0, 1, 2]
const LAB: readonly number[] = [8, 9, 10]
const SEPARATE = 2
/** Of an extra sample, with colours multiplied by it or not. */
const ALPHA: readonly (number | undefined)[] = [1, 2]

/** @returns undefined for every file that libvips reads right by itself */
export async function decodeOddTiff(path: string): Promise<RawPicture | undefined> {
  const file = await open(path)
  try {
    const head = await readTiffHead(file)
    if (head === undefined) return undefined
    const decode = decoderFor(head.directory)
    if (decode === undefined) return undefined
    const first = (tag: number) => head.directory.get(tag)?.[0] ?? 0
    refuseTooManyPixels(first(TAG.width), first(TAG.height), 1, MAX_PIXELS_IN_MEMORY)
    const image = await decode(await wholeFile(file), head)
    const raw = await rawPictureOf(upright(image, first(TAG.orientation)))
    const profile = head.directory.get(TAG.profile)
    return { ...raw, metadata: profile === undefined ? {} : { icc: Buffer.from(profile) } }
  } finally {
    await file.close()
  }
}

const wholeFile = (file: FileHandle): Promise<Buffer> => file.readFile()

type Decode = (file: Buffer, head: TiffHead) => Promise<Sharp>

function decoderFor(directory: Directory): Decode | undefined {
  const get = (tag: number, otherwise: number) => directory.get(tag)?.[0] ?? otherwise
  const bits = directory.get(TAG.bits) ?? [1]
  const samples = get(TAG.samples, 1)
  const photometric = get(TAG.photometric, BLACK_IS_ZERO)
  const isSeparate = get(TAG.planes, 1) === SEPARATE && samples > 1
  if (get(TAG.compression, 1) === OLD_JPEG && directory.has(TAG.jpegOffset)) return fromOldJpeg
  if (isSeparate && (directory.has(TAG.tileOffsets) || hasEmptyPlane(directory, samples)))
    return [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB].includes(photometric) ? fromPlanes : undefined
  if (isSeparate) return undefined
  if (LAB.includes(photometric) && samples === 4 && bits.every((each) => each === 8)) return fromLab
  return photometric === RGB && bits.every((each) => each === 4) ? fromHalfBytes : undefined
}

const blocksOf = (directory: Directory) =>
  directory.has(TAG.tileOffsets)
    ? ({ offsets: TAG.tileOffsets, bytes: TAG.tileBytes } as const)
    : ({ offsets: TAG.stripOffsets, bytes: TAG.stripBytes } as const)

/** The blocks of one plane after the other. */
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

/** Each plane as a gray picture of its own; extra ones that are no alpha, or hold nothing, are left out. */
async function fromPlanes(file: Buffer, head: TiffHead): Promise<Sharp> {
  const { directory } = head
  const samples = directory.get(TAG.samples)?.[0] ?? 1
  const photometric = directory.get(TAG.photometric)?.[0] ?? BLACK_IS_ZERO
  const colours = photometric === RGB ? 3 : 1
  const { offsets, bytes } = blocksOf(directory)
  const lengths = planeOf(directory.get(bytes) ?? [], colours, samples)
  const hasAlpha =
    ALPHA.includes(directory.get(TAG.extraSamples)?.[0]) && lengths.some((length) => length > 0)
  const planes = Array.from({ length: colours + (hasAlpha ? 1 : 0) }, (_, plane) =>
    sharp(
      withDirectory(file, {
        ...head,
        directory: without(directory, [TAG.extraSamples, TAG.orientation, TAG.profile], {
          [TAG.samples]: [1],
          [TAG.planes]: [1],
          [TAG.bits]: [directory.get(TAG.bits)?.[plane] ?? 8],
          [TAG.sampleFormat]: [1],
          [TAG.photometric]: [plane === 0 && colours === 1 ? photometric : BLACK_IS_ZERO],
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

/** Gray pictures as the channels of one. */
async function joined(planes: readonly Sharp[], isDeep: boolean): Promise<Sharp> {
  const decoded = await Promise.all(
    planes.map((plane) =>
      plane
        .toColourspace(isDeep ? 'grey16' : 'b-w')
        .extractChannel(0)
        .raw({ depth: isDeep ? 'ushort' : 'uchar' })
        .toBuffer({ resolveWithObject: true }),
    ),
  )
  const [first] = decoded
  if (first === undefined) throw new Error('A picture has planes.')
  const { width, height } = first.info
  const channels = asChannels(decoded.length)
  const numbers = decoded.map(({ data }) =>
    isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data,
  )
  const length = width * height * channels
  const pixels = isDeep ? new Uint16Array(length) : new Uint8Array(length)
  for (const [channel, from] of numbers.entries())
    for (let at = 0; at < width * height; at++) pixels[at * channels + channel] = from[at] ?? 0
  return sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false })
}

function asChannels(count: number): 1 | 2 | 3 | 4 {
  return count === 1 || count === 2 || count === 3 ? count : 4
}

/** libvips takes the transparency for a colour, with a sign. The same bytes taken for RGB tell it as it is. */
async function fromLab(file: Buffer, head: TiffHead): Promise<Sharp> {
  const asRgb = new Map([...head.directory, [TAG.photometric, [RGB]] as const])
  const options = { limitInputPixels: MAX_PIXELS_IN_MEMORY }
  const alpha = await sharp(withDirectory(file, { ...head, directory: asRgb }), options)
    .extractChannel(3)
    .raw()
    .toBuffer()
  const { data, info } = await sharp(file, options)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const pixels = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    pixels.set(data.subarray(at * 3, at * 3 + 3), at * 4)
    pixels[at * 4 + 3] = alpha[at] ?? 255
  }
  return sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
}

/** Two numbers lie in each byte: the rows are read as bytes, and taken apart. */
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
    { limitInputPixels: false },
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

/** A whole JPEG lies in the file. */
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

/** As the eight orientations of Exif want it. */
function upright(image: Sharp, orientation: number): Sharp {
  if ([2, 5, 7].includes(orientation)) image.flop()
  if (orientation === 4) image.flip()
  const turn = { 3: 180, 5: 270, 6: 90, 7: 90, 8: 270 }[orientation]
  return turn === undefined ? image : image.rotate(turn)
}
