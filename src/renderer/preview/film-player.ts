/**
 * Plays both sides of a film in step: one clock says which moment is shown, and it waits for whichever side is not decoded
 * yet. Two players of the browser would each have a clock of its own.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Area, Extent, PreviewFilm } from '../../shared/model/preview.ts'
import type { Side } from './pane-view.ts'
import { openTrack, type TrackDecoder } from './track-decoder.ts'

export type FilmPlayer = {
  readonly film: PreviewFilm
  readonly isPlaying: ReadonlySignal<boolean>
  /** Seconds since the beginning of the sample. */
  now(): number
  toggle(): void
  /** A result that is larger is not taken: both sides are the original. */
  keepOriginal(): void
  /** Where a side is drawn; null when it is not shown any more. */
  showOn(side: Side, canvas: HTMLCanvasElement | null): void
  close(): void
}

/** What is laid out in the pane as a picture is. */
export type ShownFilm = {
  readonly extent: Extent
  readonly original: Extent
  readonly area: Area
  readonly player: FilmPlayer
}

export const shownFilm = (player: FilmPlayer): ShownFilm => {
  const { extent, original } = player.film
  return { extent, original, area: { left: 0, top: 0, ...extent }, player }
}

type PlayerOptions = {
  /** Seconds since the beginning of the sample. */
  readonly from: number
  readonly isPlaying: boolean
}

/** After a longer pause of the page the clock goes on from where it was, in seconds. */
const LONGEST_STEP = 0.1

/**
 * Goes on from the moment that is shown; what nobody has set in motion stands still for a person who wants less of it.
 *
 * @param instead the one whose place it takes
 */
export function startPlayer(film: PreviewFilm, instead: FilmPlayer | null): Promise<FilmPlayer> {
  const isSame = instead?.film.start === film.start
  return openPlayer(film, {
    from: isSame ? instead.now() : 0,
    isPlaying: instead?.isPlaying.peek() ?? !matchMedia('(prefers-reduced-motion: reduce)').matches,
  })
}

/** @returns when both sides can be drawn. Rejects where the film can't be played. */
function openPlayer(film: PreviewFilm, options: PlayerOptions): Promise<FilmPlayer> {
  const { promise, resolve, reject } = Promise.withResolvers<FilmPlayer>()
  const isPlaying = signal(options.isPlaying)
  const canvases = new Map<Side, HTMLCanvasElement>()
  const drawn = new WeakMap<HTMLCanvasElement, VideoFrame>()
  const events = {
    onDecoded: () => wake(),
    onFailed: () => {
      player.close()
      reject(new Error('The film could not be played.'))
    },
  }
  const before = openTrack(film.before, film.seconds, events)
  const tracks: readonly (readonly [Side, TrackDecoder])[] =
    film.after === null
      ? [['before', before]]
      : [
          ['before', before],
          ['after', openTrack(film.after, film.seconds, events)],
        ]
  let moment = options.from % film.seconds
  let last: number | undefined
  let isReady = false
  let isKept = film.after === null
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
    for (const [side, track] of tracks) draw(side, track.pictureAt(moment))
    if (!isReady && decodedTo >= moment) {
      isReady = true
      resolve(player)
    }
    if (isPlaying.peek()) wake()
  }

  /** Where the pictures stay as they are, one track serves both. */
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

  const player: FilmPlayer = {
    film,
    isPlaying,
    now: () => moment % film.seconds,
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
      // Nothing wakes it again.
      waiting = 0
      for (const [, track] of tracks) track.close()
    },
  }
  wake()
  return promise
}
