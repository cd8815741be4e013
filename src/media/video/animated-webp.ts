/** Decodes an animated WebP with sharp, because FFmpeg can write this format but not read it. */
import { AV_PIX_FMT_RGBA } from 'node-av/constants'
import sharp from 'sharp'
import { frameOfPixels } from '../ffmpeg/ffmpeg.ts'
import type { TimedFrame } from '../ffmpeg/filter-chain.ts'

/**
 * Returns one decoded frame for each frame in `originals`, with the same timestamp. The caller must free the frames.
 * @param originals the frames before encoding; the WebP merges consecutive frames that look the same
 */
export async function decodeAnimatedWebp(
  webp: Buffer,
  originals: readonly TimedFrame[],
): Promise<TimedFrame[]> {
  const image = sharp(webp, { animated: true, limitInputPixels: false })
  const { delay = [], width, pageHeight } = await image.metadata()
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const height = pageHeight ?? info.height
  const ends = delay.map((_, page) => delay.slice(0, page + 1).reduce((sum, each) => sum + each, 0))
  const begin = millisecondsOf(originals[0])
  return originals.map((original) => {
    const shown = ends.findIndex((end) => millisecondsOf(original) - begin < end)
    const page = shown < 0 ? Math.max(0, ends.length - 1) : shown
    const pixels = data.subarray(page * width * height * 4, (page + 1) * width * height * 4)
    const frame = frameOfPixels(pixels, { width, height }, AV_PIX_FMT_RGBA)
    frame.pts = original.frame.pts
    return { frame, timeBase: original.timeBase }
  })
}

function millisecondsOf(filtered: TimedFrame | undefined): number {
  if (filtered === undefined) return 0
  const { frame, timeBase } = filtered
  return Math.round((Number(frame.pts) * timeBase.num * 1000) / timeBase.den)
}
