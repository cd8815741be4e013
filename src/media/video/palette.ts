/** Reduces a video to the 256 colors of a GIF, in two passes: the first finds the colors, the second uses them. */
import { damagedFile } from '../damaged-file.ts'
import type { Frame } from 'node-av/lib'
import { cloneOf } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, MAKE_PALETTE, sourceOf, type TimedFrame } from '../ffmpeg/filter-chain.ts'

/**
 * Reduces a few frames to their best colors.
 * @param frames freed by this function
 */
export async function withOwnPalette(frames: readonly TimedFrame[]): Promise<TimedFrame[]> {
  try {
    const [first] = frames
    if (first === undefined) return []
    const [palette, ...more] = await filterAgain(frames, first, MAKE_PALETTE)
    for (const { frame } of more) frame.free()
    if (palette === undefined) throw damagedFile('partNotDecodable')
    using colors = palette.frame
    return await filterAgain(frames, first, 'null', colors)
  } finally {
    for (const { frame } of frames) frame.free()
  }
}

async function filterAgain(
  frames: readonly TimedFrame[],
  first: TimedFrame,
  filters: string,
  palette?: Frame,
): Promise<TimedFrame[]> {
  using chain = await createFilterChain(sourceOf(first.frame, first.timeBase), filters, palette)
  const ready: TimedFrame[] = []
  const take = () => {
    for (const frame of chain.ready()) ready.push({ frame, timeBase: chain.timeBase })
  }
  for (const { frame } of frames) {
    using copy = cloneOf(frame)
    await chain.put(copy)
    take()
  }
  await chain.put(null)
  take()
  return ready
}
