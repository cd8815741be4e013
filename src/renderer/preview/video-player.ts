/**
 * Plays both sides of a video in sync. One clock sets the position and waits for the slower decoder. Two <video> elements would
 * each use a separate clock.
 */
import type { Area, Extent } from '../../shared/extent.ts'
import { signal, type ReadonlySignal } from '@preact/signals'
import type { PreviewVideo, VideoTrack } from '../../shared/model/preview.ts'
import type { Side } from './pane-view.ts'
import { openTrack, type TrackDecoder } from './track-decoder.ts'

export type VideoPlayer = {
  readonly video: PreviewVideo
  readonly isPlaying: ReadonlySignal<boolean>
  /** Seconds since the start of the sample. */
  now(): number
  toggle(): void
  /** Shows the original on both sides, because a larger result isn't used. @param result as in `showOn` */
  keepOriginal(result?: number): void
  /**
   * Draws a side on a canvas.
   * @param result which result the canvas belongs to, if there are others; the first by default
   * @returns a function that stops drawing
   */
  showOn(side: Side, canvas: HTMLCanvasElement, result?: number): () => void
  close(): void
}

/** A video with the layout data of an image. */
export type ShownVideo = {
  readonly extent: Extent
  readonly original: Extent
  readonly area: Area
  readonly player: VideoPlayer
}

export const shownVideo = (player: VideoPlayer): ShownVideo => {
  const { extent, original } = player.video
  return { extent, original, area: { left: 0, top: 0, ...extent }, player }
}

/** Returns one of several results of the same sample. */
export const shownResult = (player: VideoPlayer, result: number): ShownVideo =>
  shownVideo({ ...player, showOn: (side, canvas) => player.showOn(side, canvas, result) })

type Shown = { readonly side: Side; readonly result: number }

/** Longest step of the clock in seconds, so that playback doesn't skip ahead after the page was suspended. */
const LONGEST_STEP = 0.1

/**
 * Starts a player. It plays if the player that it replaces is playing, and continues at the same position if both play the same sample.
 * The first player plays unless the user prefers reduced motion.
 * @param instead the player that is replaced
 * @param others more results of the same sample, which play in sync; null for a result that shows the original's frames
 * @returns a promise that resolves when all sides can be drawn; rejects if the video can't be played
 */
export function startPlayer(
  video: PreviewVideo,
  instead: VideoPlayer | null,
  others: readonly (VideoTrack | null)[] = [],
): Promise<VideoPlayer> {
  const from = instead?.video.start === video.start ? instead.now() : 0
  const { promise, resolve, reject } = Promise.withResolvers<VideoPlayer>()
  const isPlaying = signal(
    instead?.isPlaying.peek() ?? !matchMedia('(prefers-reduced-motion: reduce)').matches,
  )
  const canvases = new Map<HTMLCanvasElement, Shown>()
  const drawn = new WeakMap<HTMLCanvasElement, VideoFrame>()
  const kept = new Set<number>()
  const open = (track: VideoTrack): TrackDecoder =>
    openTrack(track, video.seconds, {
      onDecoded: () => wake(),
      onFailed: () => {
        player.close()
        reject(new Error('Couldn’t play the video'))
      },
    })
  const original = open(video.before)
  const results = [video.after, ...others].map((track) => track && open(track))
  const tracks = [original, ...results.filter((track) => track !== null)]
  let moment = from % video.seconds
  let last: number | undefined
  let isReady = false
  let waiting: number | undefined

  function wake(): void {
    waiting ??= requestAnimationFrame(step)
  }

  function step(at: number): void {
    waiting = undefined
    const decodedTo = Math.min(...tracks.map((track) => track.decodedTo()))
    if (isPlaying.peek() && isReady) {
      const passed = last === undefined ? 0 : Math.min(LONGEST_STEP, (at - last) / 1000)
      moment = Math.max(moment, Math.min(moment + passed, decodedTo))
    }
    last = at
    draw(new Map(tracks.map((track) => [track, track.frameAt(moment)])))
    if (!isReady && decodedTo >= moment) {
      isReady = true
      resolve(player)
    }
    if (isPlaying.peek()) wake()
  }

  /** Returns the track of a canvas. If the video isn't re-encoded or the original is kept, both sides show the original. */
  const trackOf = ({ side, result }: Shown): TrackDecoder =>
    side === 'before' || kept.has(result) ? original : (results[result] ?? original)

  function draw(frames: ReadonlyMap<TrackDecoder, VideoFrame | undefined>): void {
    for (const [canvas, shown] of canvases) {
      const frame = frames.get(trackOf(shown))
      if (frame === undefined || drawn.get(canvas) === frame) continue
      canvas.width = frame.displayWidth
      canvas.height = frame.displayHeight
      canvas.getContext('2d')?.drawImage(frame, 0, 0)
      drawn.set(canvas, frame)
    }
  }

  const player: VideoPlayer = {
    video,
    isPlaying,
    now: () => moment % video.seconds,
    toggle() {
      isPlaying.value = !isPlaying.peek()
      last = undefined
      wake()
    },
    keepOriginal(result = 0) {
      kept.add(result)
      wake()
    },
    showOn(side, canvas, result = 0) {
      canvases.set(canvas, { side, result })
      wake()
      return () => {
        canvases.delete(canvas)
      }
    },
    close() {
      if (waiting !== undefined) cancelAnimationFrame(waiting)
      // Prevent `wake` from starting the clock again.
      waiting = 0
      for (const track of tracks) track.close()
    },
  }
  wake()
  return promise
}
