/** Decodes the frames of animated JPEG XL, AVIF and HEIC with FFmpeg, because libvips can't. */
import { type Extent, MAX_PIXELS_IN_MEMORY } from '../../shared/extent.ts'
import {
  AV_CODEC_ID_JPEGXL_ANIM,
  AVCOL_SPC_RGB,
  AVCOL_SPC_SMPTE170M,
  AVCOL_SPC_UNSPECIFIED,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import {
  Codec,
  CodecContext,
  FormatContext,
  type Frame,
  type Packet,
  Rational,
  type Stream,
} from 'node-av/lib'
import { damagedFile } from '../damaged-file.ts'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import { describeFormat } from '../ffmpeg/pixel-format.ts'
import {
  newFrame,
  newPacket,
  nothingNow,
  openDecoder,
  pixelFormatName,
  silenceFfmpeg,
  withOptions,
} from '../ffmpeg/ffmpeg.ts'
import { type FrameStrip, samplesOf, withoutUnusedAlpha } from './frame-strip.ts'
import { cropTo, filtersOf } from './heif-pixels.ts'
import type { View } from './heif-view.ts'
import { headerOf } from './jpeg-xl-file.ts'
import { unpremultiply } from './straight-alpha.ts'
import { refuseTooManyPixels } from './image-failure.ts'

const OPEN_OPTIONS = { protocol_whitelist: 'file', format_whitelist: 'mov,mp4,m4a,3gp,3g2,mj2' }

/**
 * Decodes the frames of an animated image.
 * @param count number of frames that the file promises
 * @param isPremultiplied whether the colors are premultiplied by the alpha in another track
 * @throws FailureError if the file can't be decoded or has a different number of frames
 */
export async function decodeFrames(
  path: string,
  count: number,
  isPremultiplied: boolean,
  view: View,
): Promise<FrameStrip> {
  silenceFfmpeg()
  const file = new FormatContext()
  try {
    const opened = await withOptions(OPEN_OPTIONS, (options) => file.openInput(`file:${path}`, null, options))
    if (opened < 0 || (await file.findStreamInfo()) < 0) throw damagedFile('imageNotDecodable')
    const tracks = file.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
    // AVIF stores transparency in another track. A track with a different number of frames is a preview.
    const [colors, alpha] = tracks.filter(({ nbFrames }) => nbFrames === 0n || Number(nbFrames) === count)
    if (colors === undefined) throw damagedFile('imageNotDecodable')
    const strips = await decodeTracks(file, alpha === undefined ? [colors] : [colors, alpha], view)
    const [pictures, masks] = strips
    if (pictures?.frames.length !== count) throw damagedFile('imagePartMissing')
    if (masks !== undefined && masks.frames.length !== count) throw damagedFile('imagePartMissing')
    if (masks === undefined) return withoutUnusedAlpha(pictures)
    const whole = withMasks(pictures, masks)
    return withoutUnusedAlpha(isPremultiplied ? straightened(whole) : whole)
  } finally {
    await file.closeInput()
  }
}

async function decodeTracks(
  file: FormatContext,
  tracks: readonly Stream[],
  view: View,
): Promise<readonly FrameStrip[]> {
  const strips: CollectedStrip[] = []
  try {
    for (const track of tracks) strips.push(await openStrip(track, view))
    using packet = newPacket()
    while ((await file.readFrame(packet)) >= 0) {
      const strip = strips[tracks.findIndex(({ index }) => index === packet.streamIndex)]
      await strip?.take(packet)
      packet.unref()
    }
    for (const strip of strips) await strip.take(null)
    return strips.map((strip) => strip.finished())
  } finally {
    for (const strip of strips) strip[Symbol.dispose]()
  }
}

type CollectedStrip = ReturnType<typeof collectFrames>

async function openStrip(track: Stream, { cut, transforms }: View): Promise<CollectedStrip> {
  const codec = Codec.findDecoder(track.codecpar.codecId)
  if (codec === null) throw damagedFile('imageNotDecodable')
  const decoder = await openDecoder(codec, track.codecpar, { timeBase: track.timeBase, threads: 1 })
  const filters = [...(cut === undefined ? [] : [cropTo(cut)]), ...transforms.flatMap(filtersOf)]
  return collectFrames(decoder, filters)
}

/** @param filters applied after the conversion to RGB */
function collectFrames(decoder: CodecContext, filters: readonly string[], onFrame?: (frame: Frame) => void) {
  let coded: Extent | undefined
  const collected: FrameStrip[] = []
  return {
    async take(packet: Packet | null): Promise<void> {
      if ((await decoder.sendPacket(packet)) < 0 && packet !== null) throw damagedFile('imageNotDecodable')
      for (;;) {
        using frame = newFrame()
        const code = await decoder.receiveFrame(frame)
        if (code < 0) {
          if (!nothingNow(code)) throw damagedFile('imageNotDecodable')
          return
        }
        coded ??= { width: frame.width, height: frame.height }
        const { width, height } = coded
        refuseTooManyPixels(width, height, collected.length + 1, MAX_PIXELS_IN_MEMORY)
        if (frame.width !== width || frame.height !== height) throw damagedFile('partsContradict')
        onFrame?.(frame)
        collected.push(await pixelsOf(frame, filters))
      }
    },
    finished(): FrameStrip {
      const [first] = collected
      if (first === undefined) throw damagedFile('imageNotDecodable')
      return { ...first, frames: collected.flatMap(({ frames }) => frames) }
    },
    [Symbol.dispose]: () => decoder.freeContext(),
  }
}

/** Without `accurate_rnd`, light colors overflow when FFmpeg's scaler rounds them. */
const CAREFUL = 'scale=flags=lanczos+accurate_rnd+full_chroma_int+full_chroma_inp'

/** Converts any frame to RGB with transparency, then applies the filters. */
async function pixelsOf(frame: Frame, filters: readonly string[]): Promise<FrameStrip> {
  const name = pixelFormatName(frame)
  const depth = (describeFormat(name)?.bitDepth ?? 8) > 8 ? 16 : 8
  // YUV images without matrix coefficients count as BT.601, as in other decoders.
  if (!name.startsWith('yuv')) frame.colorSpace = AVCOL_SPC_RGB
  else if (frame.colorSpace === AVCOL_SPC_UNSPECIFIED) frame.colorSpace = AVCOL_SPC_SMPTE170M
  frame.pts = 0n
  const toRgb = [CAREFUL, `format=${depth === 16 ? 'rgba64le' : 'rgba'}`]
  using shown = await filterFrame(frame, [...toRgb, ...filters].join(','))
  if (shown === undefined) throw damagedFile('imageNotDecodable')
  const { width, height } = shown
  return { frames: [shown.toBuffer()], width, height, channels: 4, depth }
}

/** Uses the brightness of the masks as the opacity of the images. */
function withMasks(pictures: FrameStrip, masks: FrameStrip): FrameStrip {
  if (pictures.width !== masks.width || pictures.height !== masks.height) throw damagedFile('partsContradict')
  const [colors, opacities] = [samplesOf(pictures), samplesOf(masks)]
  for (const [index, to] of colors.entries()) {
    const from = opacities[index] ?? []
    const factor = (pictures.depth === 16 ? 0xffff : 0xff) / (masks.depth === 16 ? 0xffff : 0xff)
    for (let at = 0; at < to.length; at += 4) to[at + 3] = (from[at] ?? 0) * factor
  }
  return pictures
}

function straightened(strip: FrameStrip): FrameStrip {
  for (const samples of samplesOf(strip)) unpremultiply({ samples, channels: strip.channels })
  return strip
}

/** Milliseconds. */
const TIME_BASE = new Rational(1, 1000)

/**
 * Decodes the frames of an animated JPEG XL.
 * @param coded a codestream without its container
 * @returns undefined if all frames are equal, or if there is only one
 */
export async function decodeJpegXlFrames(coded: Buffer): Promise<(FrameStrip & DecodedTiming) | undefined> {
  silenceFfmpeg()
  const codec = Codec.findDecoder(AV_CODEC_ID_JPEGXL_ANIM)
  if (codec === null) throw new Error('FFmpeg was built without JPEG XL.')
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  decoder.threadCount = 1
  decoder.pktTimebase = TIME_BASE
  const delays: number[] = []
  using strip = collectFrames(decoder, [], ({ duration }) => void delays.push(Number(duration)))
  if ((await decoder.open2(codec, null)) < 0) throw damagedFile('imageNotDecodable')
  using packet = newPacket()
  packet.data = coded
  await strip.take(packet)
  await strip.take(null)
  const finished = headerOf(coded).isPremultiplied ? straightened(strip.finished()) : strip.finished()
  const decoded = mergeEqual(withoutUnusedAlpha(finished), delays)
  return decoded.delays.length < 2 ? undefined : decoded
}

/** Merges equal consecutive frames, which encoders use to show a frame for longer. */
function mergeEqual({ frames, ...strip }: FrameStrip, delays: readonly number[]): FrameStrip & DecodedTiming {
  const kept: { readonly frame: Uint8Array; delay: number }[] = []
  for (const [index, frame] of frames.entries()) {
    const [last, delay] = [kept.at(-1), delays[index] ?? 0]
    if (last !== undefined && Buffer.compare(last.frame, frame) === 0) last.delay += delay
    else kept.push({ frame, delay })
  }
  return { ...strip, frames: kept.map(({ frame }) => frame), delays: kept.map(({ delay }) => delay) }
}

type DecodedTiming = { readonly delays: readonly number[] }
