/** Decodes the tiles of a HEIF image with FFmpeg. For HEVC, FFmpeg is four times as fast as libheif in WebAssembly. */
import { type Area, type Extent, turnedExtent } from '../../shared/extent.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import {
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_HEVC,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  type AVColorSpace,
} from 'node-av/constants'
import { Codec, CodecContext, type Frame } from 'node-av/lib'
import { newFrame, newPacket, nothingNow, silenceFfmpeg, withOptions } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain, sourceOf } from '../ffmpeg/filter-chain.ts'
import { type CodedColors, type Coding, type HeifImage, isOnItsSide, type Transform } from './heif-file.ts'
import type { NamedColors } from './matrix-profile.ts'

/** FFmpeg's names of the pixel formats that images are decoded to. */
type Form = 'rgb24' | 'rgb48le' | 'gray16le'

export type DecodedImage = Extent & {
  /** RGB, gray, or RGBA if the image was decoded with its transparency; rows from the top. */
  readonly pixels: Buffer
  /** Bits per channel. */
  readonly depth: 8 | 16
}

/**
 * Matrices that FFmpeg supports. libheif decodes images with any other matrix. An unspecified matrix means BT.601, as in
 * other decoders.
 */
const MATRICES: ReadonlySet<number> = new Set([1, 4, 5, 6, 7, 9])
const UNNAMED = 2
const TRANSPARENCY: CodedColors = { primaries: 1, transfer: 13, matrix: 1, fullRange: true }

/**
 * Decodes an image to upright pixels.
 * @param scaled target size of the upright image; undefined: not scaled
 * @returns undefined if FFmpeg can't decode the whole image
 */
export async function decodeHeif(
  image: HeifImage,
  scaled?: Extent,
  form: Form = 'rgb24',
): Promise<DecodedImage | undefined> {
  silenceFfmpeg()
  if (image.colors !== undefined && ![UNNAMED, ...MATRICES].includes(image.colors.matrix)) return undefined
  using decoder = await openTileDecoder(image.coding, image.tiles[0].parameters)
  if (decoder === undefined) return undefined
  using join = createJoin(image, scaled, form)
  try {
    for (const { data } of image.tiles) {
      if (!(await send(decoder, data))) return undefined
      if (!(await passOn(decoder, join))) return undefined
    }
    await decoder.sendPacket(null)
    return (await passOn(decoder, join)) ? await join.finished() : undefined
  } catch (error) {
    // FFmpeg can't process this image. For example, no filter may support its colors.
    if (error instanceof FailureError) return undefined
    throw error
  }
}

/**
 * Decodes an image with its transparency to RGBA of 16 bits.
 * @returns undefined if FFmpeg can't decode both, or if their dimensions differ
 */
export async function decodeWithAlpha(image: HeifImage, alpha: HeifImage): Promise<DecodedImage | undefined> {
  const colors = await decodeHeif(image, undefined, 'rgb48le')
  // Transparency uses the full range, even if the coded image specifies otherwise.
  const plane = { ...alpha, colors: TRANSPARENCY }
  const seen = await decodeHeif(plane, undefined, 'gray16le')
  if (
    colors === undefined ||
    seen === undefined ||
    seen.width !== colors.width ||
    seen.height !== colors.height
  )
    return undefined
  const pixels = Buffer.alloc((colors.pixels.length / 3) * 4)
  for (let pixel = 0; pixel < pixels.length / 8; pixel++) {
    colors.pixels.copy(pixels, pixel * 8, pixel * 6, pixel * 6 + 6)
    seen.pixels.copy(pixels, pixel * 8 + 6, pixel * 2, pixel * 2 + 2)
  }
  return { ...colors, pixels }
}

/** Returns the color numbers of the coded image, for a file that doesn't specify any; undefined without a decoder. */
export async function codedColors({
  coding,
  tiles: [{ parameters }],
}: Pick<HeifImage, 'coding' | 'tiles'>): Promise<NamedColors | undefined> {
  silenceFfmpeg()
  using decoder = await openTileDecoder(coding, parameters)
  return decoder && { primaries: decoder.colorPrimaries, transfer: decoder.colorTrc }
}

/**
 * Returns whether FFmpeg can decode only some of the tiles, because the others are damaged. libheif fills damaged tiles with a color or
 * with wrong pixels, without an error. If FFmpeg can't decode any tile, it may lack a feature that the encoder used, so the photo doesn't
 * count as damaged.
 */
export async function hasDamagedTiles({ coding, tiles }: HeifImage): Promise<boolean> {
  silenceFfmpeg()
  using decoder = await openTileDecoder(coding, tiles[0].parameters)
  if (decoder === undefined) return false
  let damaged = 0
  for (const { data } of tiles)
    if (!(await send(decoder, data)) || !(await passOn(decoder, { add: () => Promise.resolve(true) })))
      damaged++
  return damaged > 0 && damaged < tiles.length
}

const CODECS = { hevc: AV_CODEC_ID_HEVC, av1: AV_CODEC_ID_AV1 } as const

async function openTileDecoder(coding: Coding, parameters: Buffer): Promise<CodecContext | undefined> {
  const codec = Codec.findDecoder(CODECS[coding])
  if (codec === null) return undefined
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  decoder.extraData = parameters
  decoder.threadCount = 1
  const opened = await withOptions({ err_detect: 'explode' }, (options) => decoder.open2(codec, options))
  if (opened >= 0) return decoder
  decoder.freeContext()
  return undefined
}

async function send(decoder: CodecContext, data: Buffer): Promise<boolean> {
  using packet = newPacket()
  packet.data = data
  return (await decoder.sendPacket(packet)) >= 0
}

type Join = ReturnType<typeof createJoin>

/**
 * Adds the frames decoded so far. The decoder returns frames with a delay.
 * @returns false if a frame is damaged or doesn't match the others
 */
async function passOn(decoder: CodecContext, join: Pick<Join, 'add'>): Promise<boolean> {
  for (;;) {
    using frame = newFrame()
    const code = await decoder.receiveFrame(frame)
    if (code < 0) return nothingNow(code)
    if (!(await join.add(frame))) return false
  }
}

/** Joins the tiles. Also crops, scales, converts and rotates the joined image. */
function createJoin(image: HeifImage, scaled: Extent | undefined, form: Form) {
  const depth = form === 'rgb24' ? 8 : 16
  let chain: FilterChain | undefined
  let shape = ''
  let count = 0
  return {
    /** Adds a decoded tile. Returns false if it doesn't match the image or the tiles before it. */
    async add(frame: Frame): Promise<boolean> {
      nameColors(frame, image.colors)
      const own = `${frame.width}x${frame.height} ${frame.format}`
      if (chain === undefined) {
        const coded = { width: frame.width * image.columns, height: frame.height * image.rows }
        const isCovered = coded.width >= image.width && coded.height >= image.height
        // A grid that is much larger than the image would only waste memory.
        const isTight = coded.width < image.width + frame.width && coded.height < image.height + frame.height
        if (!isCovered || !isTight) return false
        shape = own
        chain = await createFilterChain(sourceOf(frame), filtersFor(image, coded, scaled, form))
      }
      if (shape !== own) return false
      frame.pts = BigInt(count)
      count += 1
      await chain.put(frame)
      return true
    },
    async finished(): Promise<DecodedImage | undefined> {
      if (chain === undefined || count !== image.tiles.length) return undefined
      await chain.put(null)
      const [whole, ...more] = chain.ready()
      try {
        return whole && { pixels: whole.toBuffer(), width: whole.width, height: whole.height, depth }
      } finally {
        for (const frame of [whole, ...more]) frame?.free()
      }
    },
    [Symbol.dispose]: () => chain?.[Symbol.dispose](),
  }
}

/**
 * Sets the frame's color information.
 * Prefers the file's information over the coded image's. If both are missing, assumes BT.601 with limited range.
 */
function nameColors(frame: Frame, colors: CodedColors | undefined): void {
  if (colors !== undefined) {
    frame.colorRange = colors.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    frame.colorSpace = colors.matrix as AVColorSpace
  }
  if (frame.colorSpace === AVCOL_SPC_UNSPECIFIED) frame.colorSpace = AVCOL_SPC_SMPTE170M
  if (frame.colorRange !== AVCOL_RANGE_JPEG) frame.colorRange = AVCOL_RANGE_MPEG
}

/** Without `accurate_rnd`, light colors overflow when FFmpeg's scaler rounds them. */
const CAREFUL = 'accurate_rnd+full_chroma_int+full_chroma_inp'

function filtersFor(image: HeifImage, coded: Extent, scaled: Extent | undefined, form: Form): string {
  const { columns, rows, cut, transforms } = image
  const joined = columns * rows > 1 ? [`tile=${columns}x${rows}`] : []
  // Extract the luma plane. Otherwise, FFmpeg would compute gray from the colors.
  const brightness = form === 'gray16le' ? ['extractplanes=y'] : []
  return [
    ...brightness,
    ...joined,
    ...colorsAndSize(cut, coded, storedSize(image, scaled), form),
    ...transforms.flatMap(filtersOf),
  ].join(',')
}

const scale = (to: Extent | undefined): string =>
  `scale=${to?.width ?? 'iw'}:${to?.height ?? 'ih'}:flags=lanczos+${CAREFUL}`

/** Returns a crop filter. Before the conversion to RGB, the area's top left corner must not split a chroma sample. */
export const cropTo = ({ width, height, left, top }: Area): string =>
  `crop=${width}:${height}:${left}:${top}:exact=1`

/**
 * Scales before converting to RGB, because that is faster. For an odd width or height, the scaler would shift the colors by half a pixel.
 * Such an image is converted to RGB with one extra pixel and cropped before it is scaled. An area that starts within a chroma sample is
 * also cropped in RGB.
 */
function colorsAndSize(
  cut: Area,
  coded: Extent,
  size: Extent | undefined,
  format: string,
): readonly string[] {
  const even = {
    width: Math.min(coded.width - cut.left, cut.width + (cut.width % 2)),
    height: Math.min(coded.height - cut.top, cut.height + (cut.height % 2)),
  }
  const isEven = even.width === cut.width && even.height === cut.height
  const crop = cropTo({ ...cut, ...even })
  const isAligned = cut.left % 2 === 0 && cut.top % 2 === 0
  if (isEven && isAligned) return [crop, scale(size), `format=${format}`]
  const inRgb = [scale(undefined), `format=${format}`]
  const toRgb = isAligned ? [crop, ...inRgb, cropTo({ ...cut, left: 0, top: 0 })] : [...inRgb, cropTo(cut)]
  return size === undefined ? toRgb : [...toRgb, scale(size)]
}

/** Returns the target size before the file's transforms. */
const storedSize = ({ transforms }: HeifImage, scaled: Extent | undefined): Extent | undefined =>
  scaled && turnedExtent(scaled, isOnItsSide(transforms))

/** The filters for each number of counterclockwise quarter turns. */
const TURNS = [[], ['transpose=cclock'], ['hflip', 'vflip'], ['transpose=clock']]

export function filtersOf(transform: Transform): readonly string[] {
  if (transform.kind === 'mirror') return [transform.over === 'upDown' ? 'vflip' : 'hflip']
  return TURNS[transform.quarters] ?? []
}
