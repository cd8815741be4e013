/**
 * Plays both sides of a video in sync. One clock sets the position and waits for the slower decoder. Two <video> elements would
 * each use a separate clock.
 */
import type { Area, Extent } from '../../shared/extent.ts'
import { signal, type ReadonlySignal } from '@preact/signals'
import type { PreviewVideo } from '../../shared/model/preview.ts'
import type { Side } from './pane-view.ts'
import { openTrack, type TrackDecoder } from './track-decoder.ts'

export type VideoPlayer = {
  readonly video: PreviewVideo
  readonly isPlaying: ReadonlySignal<boolean>
  /** Seconds since the start of the sample. */
  now(): number
  toggle(): void
  /** Shows the original on both sides, because a larger result isn't used. */
  keepOriginal(): void
  /** Sets the canvas of a side; null when it is no longer shown. */
  showOn(side: Side, canvas: HTMLCanvasElement | null): void
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

/** Longest step of the clock in seconds, so that playback doesn't skip ahead after the page was suspended. */
const LONGEST_STEP = 0.1

/**
 * Starts a player. If it replaces a player of the same sample, it continues at the same position, and it plays if the replaced
 * player is playing. The first player plays unless the user prefers reduced motion.
 * @param instead the player that is replaced
 * @returns a promise that resolves when both sides can be drawn; rejects if the video can't be played
 */
export function startPlayer(video: PreviewVideo, instead: VideoPlayer | null): Promise<VideoPlayer> {
  const from = instead?.video.start === video.start ? instead.now() : 0
  const { promise, resolve, reject } = Promise.withResolvers<VideoPlayer>()
  const isPlaying = signal(
    instead?.isPlaying.peek() ?? !matchMedia('(prefers-reduced-motion: reduce)').matches,
  )
  const canvases = new Map<Side, HTMLCanvasElement>()
  const drawn = new WeakMap<HTMLCanvasElement, VideoFrame>()
  const events = {
    onDecoded: () => wake(),
    onFailed: () => {
      player.close()
      reject(new Error('Couldn’t play the video'))
    },
  }
  const before = openTrack(video.before, video.seconds, events)
  const tracks: readonly (readonly [Side, TrackDecoder])[] =
    video.after === null
      ? [['before', before]]
      : [
          ['before', before],
          ['after', openTrack(video.after, video.seconds, events)],
        ]
  let moment = from % video.seconds
  let last: number | undefined
  let isReady = false
  let isKept = video.after === null
  let waiting: number | undefined

  function wake(): void {
    waiting ??= requestAnimationFrame(step)
  }

  function step(at: number): void {
    waiting = undefined
    const decodedTo = Math.min(...tracks.map(([, track]) => track.decodedTo()))
    if (isPlaying.peek() && isReady) {
      const passed = last === undefined ? 0 : Math.min(LONGEST_STEP, (at - last) / 1000)
      moment = Math.max(moment, Math.min(moment + passed, decodedTo))
    }
    last = at
    for (const [side, track] of tracks) draw(side, track.frameAt(moment))
    if (!isReady && decodedTo >= moment) {
      isReady = true
      resolve(player)
    }
    if (isPlaying.peek()) wake()
  }

  /** Returns the sides that show a track. If the frames don't change or the original is kept, its track is on both sides. */
  function sidesOf(side: Side): readonly Side[] {
    if (!isKept) return [side]
    return side === 'before' ? ['before', 'after'] : []
  }

  function draw(side: Side, frame: VideoFrame | undefined): void {
    for (const one of sidesOf(side)) {
      const canvas = canvases.get(one)
      if (canvas === undefined || frame === undefined || drawn.get(canvas) === frame) continue
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
    keepOriginal() {
      isKept = true
      wake()
    },
    showOn(side, canvas) {
      if (canvas === null) canvases.delete(side)
      else canvases.set(side, canvas)
      wake()
    },
    close() {
      if (waiting !== undefined) cancelAnimationFrame(waiting)
      // Prevent `wake` from starting the clock again.
      waiting = 0
      for (const [, track] of tracks) track.close()
    },
  }
  wake()
  return promise
}
