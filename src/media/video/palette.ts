/** Reduces a video to the 256 colors of a GIF, in two passes: the first finds the colors, the second uses them. */
import { damagedFile } from '../damaged-file.ts'
import { filterAgain, MAKE_PALETTE, type TimedFrame } from '../ffmpeg/filter-chain.ts'

/**
 * Reduces a few frames to their best colors.
 * @param frames freed by this function
 */
export async function withOwnPalette(frames: readonly TimedFrame[]): Promise<TimedFrame[]> {
  try {
    if (frames.length === 0) return []
    const [palette, ...more] = await filterAgain(frames, MAKE_PALETTE)
    for (const { frame } of more) frame.free()
    if (palette === undefined) throw damagedFile('partNotDecodable')
    using colors = palette.frame
    return await filterAgain(frames, 'null', colors)
  } finally {
    for (const { frame } of frames) frame.free()
  }
}
