/** Extracts a representative frame of a video. The first frame often isn't representative. */
import { damagedFile } from '../damaged-file.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import { type Frame } from 'node-av/lib'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import { newFrame, newPacket, silenceFfmpeg } from '../ffmpeg/ffmpeg.ts'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import { openVideoDecoder } from './video-codecs.ts'
import { hasAlpha } from '../ffmpeg/pixel-format.ts'
import { factsOfFrame, FOR_DISPLAY, videoFilters } from './video-filters.ts'
import { shapePixels } from './shown-picture.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'

/** Position in the video as a fraction (0..1). This is after most opening titles, and seeking to it is still quick. */
const TYPICAL_SHARE = 0.1

export type RawImage = {
  readonly pixels: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
}

/**
 * Returns a typical frame of the video, or its first frame.
 * @param pixels side length of the square to cover; larger frames are scaled down
 * @throws FailureError if no frame can be decoded
 */
export async function representativeFrame(path: string, pixels: number): Promise<RawImage> {
  silenceFfmpeg()
  const frame = (await frameAt(path, TYPICAL_SHARE, pixels)) ?? (await frameAt(path, 0, pixels))
  if (frame === undefined) throw damagedFile('framesNotDecodable')
  return frame
}

/**
 * Decodes the last keyframe at or before a position, or the next frame that can be decoded.
 * @param share position as a fraction (0..1) of the file's duration
 * @returns undefined if the file doesn't support seeking, or if no frame can be decoded from there
 */
async function frameAt(path: string, share: number, pixels: number): Promise<RawImage | undefined> {
  await using source = await openSourceFile(path, new AbortController().signal)
  source.readOnlyVideo()
  const seconds = (source.duration ?? 0) * share
  if (seconds > 0 && !(await source.seek(seconds))) return undefined
  using frame = await firstFrame(source)
  return frame && (await uprightPixels(frame, source, pixels))
}

async function firstFrame(source: SourceFile): Promise<Frame | undefined> {
  using decoder = await openVideoDecoder(source.video)
  using packet = newPacket()
  const frame = newFrame()
  while (await source.read(packet)) {
    // A damaged packet doesn't contain a usable frame, but the next packet may.
    if (packet.streamIndex === source.video.index) await decoder.sendPacket(packet)
    packet.unref()
    if (decoder.receiveFrameSync(frame) >= 0) return frame
  }
  // Flush the decoder, which holds back the first frames if it uses several threads.
  await decoder.sendPacket(null)
  if ((await decoder.receiveFrame(frame)) >= 0) return frame
  frame.free()
  return undefined
}

async function uprightPixels(frame: Frame, source: SourceFile, pixels: number): Promise<RawImage> {
  const { video } = source
  shapePixels(frame, video)
  const facts = factsOfFrame(frame, video.codecpar)
  const channels = hasAlpha(facts.pixelFormat) ? 4 : 3
  // Twice the target size, so that the result is sharp after the final resize.
  const recipe = VideoRecipe.parse({ height: Math.max(2, 2 * pixels) })
  const filters = videoFilters(facts, recipe, undefined, { ...FOR_DISPLAY, keepAlpha: true })
  frame.pts = 0n
  using shown = await filterFrame(frame, `${filters},format=${channels === 4 ? 'rgba' : 'rgb24'}`)
  if (shown === undefined) throw failed('frameNotChanged')
  return { pixels: shown.toBuffer(), width: shown.width, height: shown.height, channels }
}
