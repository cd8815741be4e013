/** An animated WebP back to pictures: FFmpeg writes them and can't read them, sharp can. */
import { AV_PIX_FMT_RGBA } from 'node-av/constants'
import sharp from 'sharp'
import { frameOfPixels } from '../ffmpeg/frame-of-pixels.ts'
import type { FilteredPicture } from './picture-stages.ts'

/**
 * @param originals of which it was made; where two of them look the same, it has but one
 * @returns one for each of them, at its time; they are the caller's to free
 */
export async function decodeMovingPicture(
  webp: Buffer,
  originals: readonly FilteredPicture[],
): Promise<FilteredPicture[]> {
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

function millisecondsOf(picture: FilteredPicture | undefined): number {
  if (picture === undefined) return 0
  const { frame, timeBase } = picture
  return Math.round((Number(frame.pts) * timeBase.num * 1000) / timeBase.den)
}
