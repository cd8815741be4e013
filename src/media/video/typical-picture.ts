/** One picture of a video that is typical for it, which the very first often is not. */
import { AV_FRAME_DATA_DISPLAYMATRIX, AV_LOG_QUIET, AV_PKT_DATA_DISPLAYMATRIX } from 'node-av/constants'
import { type CodecContext, Frame, Log, Packet } from 'node-av/lib'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import { ProcessingError } from '../protocol.ts'
import { createFilterChain } from '../ffmpeg/filter-chain.ts'
import { openPictureDecoder } from './picture-codecs.ts'
import { factsOfFrame, hasAlpha, pictureFilters, sourceOf } from './picture-filters.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'

/** Past titles that fade in, and still quick to reach. */
const TYPICAL_SHARE = 0.1

export type RawPicture = {
  readonly pixels: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
}

/**
 * @param pixels of the square that it will fill: more than that needs are not worth converting
 * @throws ProcessingError when no picture can be had from the file
 */
export async function typicalPicture(path: string, pixels: number): Promise<RawPicture> {
  Log.setLevel(AV_LOG_QUIET)
  const picture = (await pictureAt(path, TYPICAL_SHARE, pixels)) ?? (await pictureAt(path, 0, pixels))
  if (picture === undefined) throw new ProcessingError('Not one picture in the file can be decoded.')
  return picture
}

/**
 * @param share of the file's duration, 0..1
 * @returns undefined where nothing can be decoded from there on
 */
async function pictureAt(path: string, share: number, pixels: number): Promise<RawPicture | undefined> {
  const source = await openSourceFile(path, new AbortController().signal)
  try {
    source.readOnlyPicture()
    const seconds = (source.duration ?? 0) * share
    if (seconds > 0 && !(await source.seek(seconds))) return undefined
    const frame = await firstFrame(source)
    if (frame === undefined) return undefined
    try {
      return await uprightPixels(frame, source, pixels)
    } finally {
      frame.free()
    }
  } finally {
    await source.close()
  }
}

async function firstFrame(source: SourceFile): Promise<Frame | undefined> {
  const decoder = await openPictureDecoder(source.picture)
  const packet = new Packet()
  packet.alloc()
  const frame = new Frame()
  frame.alloc()
  try {
    while (await source.read(packet)) {
      // A damaged packet gives nothing; the next may.
      if (packet.streamIndex === source.picture.index) await decoder.sendPacket(packet)
      packet.unref()
      if (decoder.receiveFrameSync(frame) >= 0) return frame
    }
    if (await lastChance(decoder, frame)) return frame
    frame.free()
    return undefined
  } finally {
    packet.free()
    decoder.freeContext()
  }
}

/** A decoder with several threads keeps the first pictures back until it has enough of them or is told to end. */
async function lastChance(decoder: CodecContext, frame: Frame): Promise<boolean> {
  await decoder.sendPacket(null)
  return (await decoder.receiveFrame(frame)) >= 0
}

async function uprightPixels(frame: Frame, source: SourceFile, pixels: number): Promise<RawPicture> {
  const { picture } = source
  const facts = factsOfFrame(frame, picture.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  const channels = hasAlpha(facts.pixelFormat) ? 4 : 3
  const filters = pictureFilters(facts, VideoRecipe.parse({ height: shortSide(pixels) }), undefined, {
    keepAlpha: true,
    bitDepth: 8,
    keepHdr: false,
    lossless: false,
    leastSide: 2,
    losslessFormats: [],
  })
  const chain = await createFilterChain(
    sourceOf(frame, picture.timeBase),
    `${filters},format=${channels === 4 ? 'rgba' : 'rgb24'}`,
  )
  try {
    frame.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
    frame.pts = 0n
    await chain.put(frame)
    await chain.put(null)
    return toRaw(chain.ready(), channels)
  } finally {
    chain.free()
  }
}

/** Twice the side that is wanted, so that the last step of scaling has something to work with. */
const shortSide = (pixels: number): number => Math.max(2, 2 * pixels)

function toRaw(frames: readonly Frame[], channels: 3 | 4): RawPicture {
  try {
    const [frame] = frames
    if (frame === undefined) throw new ProcessingError('The picture could not be changed.')
    return { pixels: frame.toBuffer(), width: frame.width, height: frame.height, channels }
  } finally {
    for (const frame of frames) frame.free()
  }
}
