/**
 * The first two stages of a picture's way: decode and filter. Each is one loop that hands on through a short queue and works
 * on a thread of its own.
 */
import {
  AV_FRAME_DATA_DISPLAYMATRIX,
  AV_PICTURE_TYPE_NONE,
  AV_PKT_DATA_DISPLAYMATRIX,
} from 'node-av/constants'
import { type CodecContext, Frame, type IRational, type Packet, type Stream } from 'node-av/lib'
import { HDR_CODECS, type VideoRecipe } from '../../shared/preset/preset.ts'
import type { VariationValues } from '../../shared/preset/variation.ts'
import { ProcessingError } from '../protocol.ts'
import { nothingNow } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain } from '../ffmpeg/filter-chain.ts'
import { believableRate, createFrameClock } from './clocks.ts'
import type { Container } from './container.ts'
import { type EncodedCodec, type EncoderSettings, encoderSettings } from './encoder-settings.ts'
import { encoderFormats } from './picture-codecs.ts'
import type { HdrMetadata } from './hdr-metadata.ts'
import {
  factsOfFrame,
  hasAlpha,
  isToneMapped,
  type PictureFacts,
  pictureFilters,
  type PictureTarget,
  sourceOf,
} from './picture-filters.ts'
import type { BoundedQueue } from './track.ts'

/** What is made of the pictures of one stream. */
export type PictureWork = {
  readonly source: Stream
  /** What the file's clock shows at its beginning, in the stream's time base. */
  readonly start: bigint
  readonly codec: EncodedCodec
  readonly recipe: VideoRecipe
  readonly variation: VariationValues | undefined
  readonly container: Container
  /** A high dynamic range is brought down to that of ordinary screens. */
  onToneMapped?(): void
}

export const PACKETS_WAITING = 16
export const PICTURES_WAITING = 3

/** A picture as the encoder takes it. */
export type FilteredPicture = { readonly frame: Frame; readonly timeBase: IRational }

export type Tally = { good: number; bad: number }

/** Keeps what can be kept, but a video of which most is missing is not passed off as whole. */
export function judge(tally: Tally): void {
  if (tally.good === 0)
    throw new ProcessingError('The file is damaged: not one picture in it can be decoded.')
  if (tally.bad > tally.good) {
    throw new ProcessingError('The file is damaged: most of its pictures can’t be decoded.')
  }
}

export async function decodeAll(
  decoder: CodecContext,
  packets: BoundedQueue<Packet>,
  decoded: BoundedQueue<Frame>,
  tally: Tally,
): Promise<void> {
  for (;;) {
    const packet = await packets.take()
    if (packet === undefined) break
    const code = await decoder.sendPacket(packet)
    packet.free()
    if (code < 0) tally.bad += 1
    await handOn(decoder, decoded, tally)
  }
  await decoder.sendPacket(null)
  await drain(decoder, decoded, tally)
  decoded.end()
}

/** After a packet went in, what comes out is ready: no reason to change threads for it. */
async function handOn(decoder: CodecContext, decoded: BoundedQueue<Frame>, tally: Tally): Promise<void> {
  for (;;) {
    const frame = newFrame()
    const code = decoder.receiveFrameSync(frame)
    if (code < 0) {
      frame.free()
      if (nothingNow(code)) return
      tally.bad += 1
      continue
    }
    tally.good += 1
    await decoded.push(frame)
  }
}

/** At the end, each picture may still have to be decoded. */
async function drain(decoder: CodecContext, decoded: BoundedQueue<Frame>, tally: Tally): Promise<void> {
  for (;;) {
    const frame = newFrame()
    const code = await decoder.receiveFrame(frame)
    if (code >= 0) {
      tally.good += 1
      await decoded.push(frame)
      continue
    }
    frame.free()
    if (nothingNow(code)) return
    tally.bad += 1
  }
}

export function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}

export async function filterAll(
  work: PictureWork,
  decoded: BoundedQueue<Frame>,
  filtered: BoundedQueue<FilteredPicture>,
): Promise<void> {
  const { source, start, recipe } = work
  const timeBase = source.timeBase
  const clock = createFrameClock(start, timeBase.num / timeBase.den, recipe.fps)
  const leastDuration =
    recipe.fps === undefined ? 0n : BigInt(Math.round(timeBase.den / timeBase.num / recipe.fps))
  let current: { readonly chain: FilterChain; readonly shape: string } | undefined
  const finish = async (chain: FilterChain): Promise<void> => {
    await chain.put(null)
    await pass(chain, filtered)
    chain.free()
  }
  try {
    for (;;) {
      const frame = await decoded.take()
      if (frame === undefined) break
      const time = clock.timeOf(frame.bestEffortTimestamp, frame.duration)
      if (time === undefined) {
        frame.free()
        continue
      }
      frame.pts = time
      if (leastDuration > frame.duration) frame.duration = leastDuration
      frame.pictType = AV_PICTURE_TYPE_NONE
      const shape = shapeOf(frame)
      if (current?.shape !== shape) {
        if (current !== undefined) await finish(current.chain)
        current = { chain: await chainFor(frame, work), shape }
      }
      frame.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
      await current.chain.put(frame)
      frame.free()
      await pass(current.chain, filtered)
    }
    if (current !== undefined) await finish(current.chain)
    current = undefined
    filtered.end()
  } finally {
    current?.chain.free()
  }
}

/** Some files change their size or format on the way; the filters are then made anew. */
function shapeOf(frame: Frame): string {
  return `${frame.width} ${frame.height} ${frame.format} ${frame.colorSpace} ${frame.colorRange}`
}

async function chainFor(frame: Frame, work: PictureWork): Promise<FilterChain> {
  const { source, recipe, variation } = work
  const facts = factsOfFrame(frame, source.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  const settings = settingsFor(work, facts)
  const isMoving = work.codec === 'webp'
  // What a moving picture can lose nothing of is sRGB, into which a film has to be brought first.
  const lossless = settings.lossless && !isMoving
  const target: PictureTarget = {
    keepAlpha: keepsAlpha(work),
    bitDepth: recipe.bitDepth,
    keepHdr: keepsHdr(work),
    lossless,
    leastSide: settings.leastSide,
    // libwebp would take colours of television for those of its own.
    only: isMoving ? 'bgra' : undefined,
    losslessFormats: lossless ? encoderFormats(settings) : [],
  }
  if (isToneMapped(facts, target)) work.onToneMapped?.()
  const filters = pictureFilters(facts, recipe, variation, target)
  return createFilterChain(sourceOf(frame, source.timeBase), filters)
}

function keepsAlpha({ codec, container }: PictureWork): boolean {
  return codec === 'vp9' && (container.muxer === 'webm' || container.muxer === 'matroska')
}

/** A variation's changes of colour are made for ordinary screens. */
function keepsHdr({ codec, recipe, variation }: PictureWork): boolean {
  return HDR_CODECS.includes(codec) && recipe.hdr === 'keep' && variation === undefined
}

/** @param hdr what the encoder is to say about pictures with a high dynamic range */
export function settingsFor(
  work: PictureWork,
  facts: Pick<PictureFacts, 'pixelFormat'>,
  hdr?: HdrMetadata,
): EncoderSettings {
  return encoderSettings(work.codec, work.recipe, hasAlpha(facts.pixelFormat) && keepsAlpha(work), hdr)
}

async function pass(chain: FilterChain, filtered: BoundedQueue<FilteredPicture>): Promise<void> {
  for (const frame of chain.ready()) await filtered.push({ frame, timeBase: chain.timeBase })
}

const USUAL_RATE: IRational = { num: 25, den: 1 }

/** What the encoder plans its bits with; the pictures' own times decide when they are shown. */
export function frameRate({ source, recipe }: PictureWork): IRational {
  const believable = believableRate([source.avgFrameRate, source.rFrameRate])
  const rate = believable === undefined ? USUAL_RATE : { num: believable.num, den: believable.den }
  const most = recipe.fps ?? Infinity
  return rate.num / rate.den > most ? { num: Math.round(most * 1000), den: 1000 } : rate
}
