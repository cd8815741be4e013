/** Decodes the tiles of a HEIF picture with FFmpeg, which takes a quarter of the time of libheif as WebAssembly for HEVC. */
import {
  AV_LOG_QUIET,
  AV_CODEC_ID_AV1,
  AV_CODEC_ID_HEVC,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  type AVColorSpace,
} from 'node-av/constants'
import { Codec, CodecContext, Frame, Log, Packet } from 'node-av/lib'
import { nothingNow, pixelFormatName, withOptions } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain } from '../ffmpeg/filter-chain.ts'
import { ProcessingError } from '../protocol.ts'
import type { Extent } from './geometry.ts'
import {
  type CodedColours,
  type Coding,
  type Cut,
  type HeifPicture,
  isOnItsSide,
  type Transform,
} from './heif-file.ts'

export type DecodedPicture = Extent & {
  /** RGB, rows from the top. */
  readonly pixels: Buffer
  /** Bits of one channel. */
  readonly depth: 8 | 16
}

/** FFmpeg refuses what it has no matrix for: these are handed on, and one that is not named is BT.601, as everywhere. */
const MATRICES: ReadonlySet<number> = new Set([1, 4, 5, 6, 7, 9])
const UNNAMED = 2

/**
 * @param scaled the size that the upright picture is to have; its own if nothing is said
 * @returns undefined where FFmpeg can't decode it, or not all of it
 */
export async function decodeHeif(
  picture: HeifPicture,
  scaled?: Extent,
  depth: 8 | 16 = 8,
): Promise<DecodedPicture | undefined> {
  Log.setLevel(AV_LOG_QUIET)
  if (picture.colours !== undefined && ![UNNAMED, ...MATRICES].includes(picture.colours.matrix))
    return undefined
  const decoder = await openDecoder(picture.coding, picture.tiles[0].parameters)
  if (decoder === undefined) return undefined
  const join = createJoin(picture, scaled, depth)
  try {
    for (const { data } of picture.tiles) {
      if (!(await send(decoder, data))) return undefined
      if (!(await passOn(decoder, join))) return undefined
    }
    await decoder.sendPacket(null)
    return (await passOn(decoder, join)) ? await join.finished() : undefined
  } catch (error) {
    // Colours that no filter takes, say.
    if (error instanceof ProcessingError) return undefined
    throw error
  } finally {
    join.free()
    decoder.freeContext()
  }
}

const CODECS = { hevc: AV_CODEC_ID_HEVC, av1: AV_CODEC_ID_AV1 } as const

async function openDecoder(coding: Coding, parameters: Buffer): Promise<CodecContext | undefined> {
  const codec = Codec.findDecoder(CODECS[coding])
  if (codec === null) return undefined
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  decoder.extraData = parameters
  decoder.threadCount = 1
  // A tile with a flaw is none: libheif says then whether the file is damaged.
  const opened = await withOptions({ err_detect: 'explode' }, (options) => decoder.open2(codec, options))
  if (opened >= 0) return decoder
  decoder.freeContext()
  return undefined
}

async function send(decoder: CodecContext, data: Buffer): Promise<boolean> {
  const packet = new Packet()
  packet.alloc()
  try {
    packet.data = data
    return (await decoder.sendPacket(packet)) >= 0
  } finally {
    packet.free()
  }
}

type Join = {
  /** @returns whether it fits the others */
  add(frame: Frame): Promise<boolean>
  finished(): Promise<DecodedPicture | undefined>
  free(): void
}

/** Frames come out later than they went in. @returns false where one was damaged */
async function passOn(decoder: CodecContext, join: Join): Promise<boolean> {
  for (;;) {
    const frame = new Frame()
    frame.alloc()
    try {
      const code = await decoder.receiveFrame(frame)
      if (code < 0) return nothingNow(code)
      if (!(await join.add(frame))) return false
    } finally {
      frame.free()
    }
  }
}

/** Puts the tiles side by side, scales the whole in the decoder's own colours, and makes RGB of it. */
function createJoin(picture: HeifPicture, scaled: Extent | undefined, depth: 8 | 16): Join {
  let chain: FilterChain | undefined
  let shape = ''
  let count = 0
  return {
    async add(frame) {
      nameColours(frame, picture.colours)
      const own = `${frame.width}x${frame.height}:pix_fmt=${pixelFormatName(frame)}`
      if (chain === undefined) {
        const coded = { width: frame.width * picture.columns, height: frame.height * picture.rows }
        const isCovered = coded.width >= picture.width && coded.height >= picture.height
        // A grid of many large tiles behind a small picture would only cost memory.
        const isTight =
          coded.width < picture.width + frame.width && coded.height < picture.height + frame.height
        if (!isCovered || !isTight) return false
        shape = own
        const colours = `colorspace=${frame.colorSpace}:range=${frame.colorRange}`
        const parameters = `video_size=${own}:time_base=1/1:pixel_aspect=1/1:${colours}`
        chain = await createFilterChain(
          { kind: 'picture', parameters },
          filtersFor(picture, coded, scaled, depth),
        )
      }
      if (shape !== own) return false
      frame.pts = BigInt(count)
      count += 1
      await chain.put(frame)
      return true
    },
    async finished() {
      if (chain === undefined || count !== picture.tiles.length) return undefined
      await chain.put(null)
      const [whole, ...more] = chain.ready()
      try {
        return whole && { pixels: whole.toBuffer(), width: whole.width, height: whole.height, depth }
      } finally {
        for (const frame of [whole, ...more]) frame?.free()
      }
    },
    free: () => chain?.free(),
  }
}

/** What the file says counts more than what the coded picture says; where neither does, it is BT.601 within limits. */
function nameColours(frame: Frame, colours: CodedColours | undefined): void {
  if (colours !== undefined) {
    frame.colorRange = colours.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    frame.colorSpace = colours.matrix as AVColorSpace
  }
  if (frame.colorSpace === AVCOL_SPC_UNSPECIFIED) frame.colorSpace = AVCOL_SPC_SMPTE170M
  if (frame.colorRange !== AVCOL_RANGE_JPEG) frame.colorRange = AVCOL_RANGE_MPEG
}

/** Without the first of these, FFmpeg's scaler rounds so that light colours overflow. */
const CAREFUL = 'accurate_rnd+full_chroma_int+full_chroma_inp'

function filtersFor(picture: HeifPicture, coded: Extent, scaled: Extent | undefined, depth: 8 | 16): string {
  const { columns, rows, cut, transforms } = picture
  const joined = columns * rows > 1 ? [`tile=${columns}x${rows}`] : []
  return [
    ...joined,
    ...coloursAndSize(cut, coded, storedSize(picture, scaled), depth === 8 ? 'rgb24' : 'rgb48le'),
    ...transforms.flatMap(filtersOf),
  ].join(',')
}

const scale = (to: Extent | undefined): string =>
  `scale=${to?.width ?? 'iw'}:${to?.height ?? 'ih'}:flags=lanczos+${CAREFUL}`

/**
 * Scaled before it becomes RGB, which is the quicker order. Of a picture with an odd side the scaler would stretch the colours
 * by half a pixel: it becomes RGB with one more pixel, and loses that then.
 */
function coloursAndSize(
  cut: Cut,
  coded: Extent,
  size: Extent | undefined,
  format: string,
): readonly string[] {
  const even = {
    width: Math.min(coded.width - cut.left, cut.width + (cut.width % 2)),
    height: Math.min(coded.height - cut.top, cut.height + (cut.height % 2)),
  }
  const isEven = even.width === cut.width && even.height === cut.height
  const crop = `crop=${even.width}:${even.height}:${cut.left}:${cut.top}:exact=1`
  if (isEven) return [crop, scale(size), `format=${format}`]
  const toRgb = [crop, scale(undefined), `format=${format}`, `crop=${cut.width}:${cut.height}:0:0:exact=1`]
  return size === undefined ? toRgb : [...toRgb, scale(size)]
}

/** The wanted size as it is before the picture is turned. */
function storedSize({ transforms }: HeifPicture, scaled: Extent | undefined): Extent | undefined {
  return scaled && (isOnItsSide(transforms) ? { width: scaled.height, height: scaled.width } : scaled)
}

function filtersOf(transform: Transform): readonly string[] {
  if (transform.kind === 'mirror') return [transform.over === 'upDown' ? 'vflip' : 'hflip']
  switch (transform.quarters) {
    case 1:
      return ['transpose=cclock']
    case 2:
      return ['hflip', 'vflip']
    case 3:
      return ['transpose=clock']
    default:
      return []
  }
}
