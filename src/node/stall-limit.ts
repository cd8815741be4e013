/**
 * A time limit for decoding and encoding one file. A few kilobytes can keep a decoder busy for hours. The parent therefore kills a worker
 * that has made no progress for far longer than any real file needs.
 */
import type { MediaKind } from '../shared/media-types.ts'

/** Length of a tick in ms. Ticks are counted, so the time in which the computer sleeps doesn't count. */
const TICK_MS = 1_000

/**
 * Limits in ticks, long enough for a slow computer under full load. `PHOTO`: for opening a photo. `MEGAPIXEL`: added for each of its
 * megapixels. `VIDEO`: for a step of a video.
 */
const PHOTO = 180
const MEGAPIXEL = 30
const VIDEO = 1_800

export type StallLimit = ReturnType<typeof startStallLimit>

/** @param onStall called once, after too long without progress */
export function startStallLimit(media: MediaKind, onStall: () => void, tickMs = TICK_MS) {
  const allowedFor = (pixels: number) => (media === 'video' ? VIDEO : PHOTO + (MEGAPIXEL * pixels) / 1e6)
  let allowed = allowedFor(0)
  let left = allowed
  let isHeld = false
  const ticking = setInterval(() => {
    if (isHeld || --left > 0) return
    clearInterval(ticking)
    onStall()
  }, tickMs)
  ticking.unref()
  return {
    /**
     * Call this when the work has made progress.
     * @param pixels number of pixels to decode and encode before the next progress
     */
    progressed(pixels?: number): void {
      if (pixels !== undefined) allowed = allowedFor(pixels)
      left = allowed
    },
    /** Pauses or resumes the limit of a video. The limit of a photo always runs, because a pause doesn't stop a photo in progress. */
    hold(next: boolean): void {
      isHeld = next && media === 'video'
    },
    stop: (): void => clearInterval(ticking),
  }
}
