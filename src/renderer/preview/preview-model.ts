/**
 * What the preview knows: the file, what is on show, and whether that is of the settings that are asked for now. A new one
 * begins when nothing has changed for a moment; what comes back for an older wish is dropped.
 */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type {
  Extent,
  LeastSize,
  PreviewFailed,
  PreviewFilm,
  PreviewPixels,
  PreviewWhole,
  Spot,
} from '../../shared/model/preview.ts'
import type { FilmPlayer } from './film-player.ts'

export type Document = Readonly<Record<string, unknown>>
export type Measured = Extract<PreviewWhole, { readonly bytes: number }>

export type PreviewStage =
  | { readonly kind: 'idle' }
  /** `isOld`: what is on show was made by other settings. */
  | { readonly kind: 'making'; readonly isOld: boolean }
  | { readonly kind: 'fine' }
  /** The part is on show as it would be, and the whole can't be as small as is wished. */
  | { readonly kind: 'tooLarge'; readonly least: LeastSize }
  | PreviewFailed

/** What is looked at, in pixels of the result. */
export type LookedAt = Extent & { readonly isWhole: boolean; readonly middle: Spot | null }

export type PreviewModel = {
  readonly file: Signal<MediaItem | null>
  readonly stage: ReadonlySignal<PreviewStage>
  readonly pixels: ReadonlySignal<PreviewPixels | null>
  /** In the place of pixels, where the file is a video. */
  readonly film: ReadonlySignal<FilmPlayer | null>
  /** Of the last whole result, which may be of older settings. */
  readonly measured: ReadonlySignal<Measured | null>
  /** Where to look first; set with the first pixels of a file. */
  readonly middle: Signal<Spot | null>
  /** @param seconds of the film, at which the sample begins */
  beginAt(seconds: number): void
  /** @param after ms without another wish */
  want(document: Document, part: MediaKind, after: number): void
  /** Something that is not there yet came into view. */
  lookAgain(): void
  tryAgain(): void
  take(file: MediaItem | null): void
  end(): void
}

export type PreviewModelOptions = {
  readonly bridge: Pick<Bridge, 'preview'>
  readonly lookedAt: () => LookedAt
  /** Resolves when a picture can be drawn at once. */
  readonly load: (pixels: PreviewPixels) => Promise<unknown>
  /** @param instead the one that it takes the place of */
  readonly play: (film: PreviewFilm, instead: FilmPlayer | null) => Promise<FilmPlayer>
}

export function createPreviewModel({ bridge, lookedAt, load, play }: PreviewModelOptions): PreviewModel {
  const file = signal<MediaItem | null>(null)
  const stage = signal<PreviewStage>({ kind: 'idle' })
  const pixels = signal<PreviewPixels | null>(null)
  const place = createFilmPlace(play)
  const { film } = place
  const measured = signal<Measured | null>(null)
  const middle = signal<Spot | null>(null)
  let wanted: { readonly document: Document; readonly part: MediaKind } | undefined
  let start: number | null = null
  let newest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const isOnShow = (): boolean => pixels.peek() !== null || film.peek() !== null

  function schedule(after: number): void {
    clearTimeout(timer)
    newest += 1
    if (wanted === undefined || file.peek()?.kind !== wanted.part) return
    stage.value = { kind: 'making', isOld: isOnShow() }
    timer = setTimeout(() => void make(newest), after)
  }

  async function make(turn: number): Promise<void> {
    const item = file.peek()
    if (item === null || wanted === undefined) return
    const { width, height, isWhole } = lookedAt()
    const view = { width: Math.ceil(width), height: Math.ceil(height), middle: middle.peek() }
    const wish = { path: item.path, preset: wanted.document, part: wanted.part, view, start }
    try {
      const isSeenWhole = isWhole && wanted.part === 'image'
      const goesOn = isSeenWhole || (await showPart(wish, turn))
      if (goesOn && turn === newest) await showWhole(wish, turn, isSeenWhole)
    } catch {
      if (turn === newest) stage.value = { kind: 'failed', reason: null }
    }
  }

  type Wish = Parameters<Bridge['preview']['part']>[0]

  async function showPart(wish: Wish, turn: number): Promise<boolean> {
    const part = await bridge.preview.part(wish)
    if (turn !== newest || part.kind === 'overtaken') return false
    if (part.kind === 'failed') {
      stage.value = part
      return false
    }
    if (part.kind === 'film') return showFilm(part.film, turn)
    await load(part.pixels)
    if (turn !== newest) return false
    middle.value ??= part.middle
    pixels.value = part.pixels
    stage.value = { kind: 'making', isOld: false }
    return true
  }

  async function showFilm(sample: PreviewFilm, turn: number): Promise<boolean> {
    if (!(await place.replace(sample, () => turn === newest))) return false
    start = sample.start
    stage.value = { kind: 'making', isOld: false }
    return true
  }

  async function showWhole(wish: Wish, turn: number, isSeenWhole: boolean): Promise<void> {
    const whole = await bridge.preview.whole(wish)
    if (turn !== newest || whole.kind === 'overtaken') return
    if (whole.kind === 'failed') {
      stage.value = isSeenWhole ? whole : stageBesidePart(whole)
      return
    }
    if (whole.kind === 'whole') {
      await load(whole.pixels)
      if (turn !== newest) return
      pixels.value = whole.pixels
    }
    if (whole.refused !== null) film.peek()?.keepOriginal()
    measured.value = whole
    stage.value = { kind: 'fine' }
  }

  return {
    file,
    stage,
    pixels,
    film,
    measured,
    middle,
    beginAt(seconds) {
      start = seconds
      schedule(AT_REST_MS)
    },
    want(document, part, after) {
      wanted = { document, part }
      schedule(after)
    },
    lookAgain() {
      const shown = pixels.peek()
      const { kind } = stage.peek()
      if (shown !== null && kind === 'making' && !covers(shown, lookedAt())) schedule(AT_REST_MS)
    },
    tryAgain: () => schedule(0),
    take(item) {
      if (item?.path === file.peek()?.path) return
      file.value = item
      pixels.value = null
      place.show(null)
      start = null
      measured.value = null
      middle.value = null
      stage.value = { kind: 'idle' }
      schedule(0)
    },
    end() {
      clearTimeout(timer)
      newest += 1
      place.show(null)
      void bridge.preview.stop()
    },
  }
}

/** In bytes; rounded up, so that nobody is promised too little. */
export const promisedSize = ({ bytes }: LeastSize): number => Math.ceil(bytes / 1_000) * 1_000

const stageBesidePart = (failed: PreviewFailed): PreviewStage =>
  failed.least === undefined ? failed : { kind: 'tooLarge', least: failed.least }

/** Where one film at a time plays. */
function createFilmPlace(play: PreviewModelOptions['play']) {
  const film = signal<FilmPlayer | null>(null)
  const show = (next: FilmPlayer | null): void => {
    film.peek()?.close()
    film.value = next
  }
  return {
    film,
    show,
    /** The old one stays until the new one can be drawn. */
    async replace(sample: PreviewFilm, isWanted: () => boolean): Promise<boolean> {
      const player = await play(sample, film.peek())
      if (isWanted()) show(player)
      else player.close()
      return film.peek() === player
    },
  }
}

/** How long settings have to stand still before a preview of them is begun, in ms. */
export const AT_REST_MS = 250

/** Whether all that is in view is on show, but for what lies beyond the result. */
function covers({ area, extent }: PreviewPixels, { width, height, middle }: LookedAt): boolean {
  const { x, y } = middle ?? { x: 0.5, y: 0.5 }
  return (
    isCovered({ begin: area.left, length: area.width }, extent.width, { middle: x, length: width }) &&
    isCovered({ begin: area.top, length: area.height }, extent.height, { middle: y, length: height })
  )
}

type Seen = { readonly middle: number; readonly length: number }

function isCovered(
  shown: { readonly begin: number; readonly length: number },
  whole: number,
  { middle, length }: Seen,
): boolean {
  const begin = Math.max(0, middle * whole - length / 2)
  const end = Math.min(whole, middle * whole + length / 2)
  return shown.begin <= begin && shown.begin + shown.length >= end
}
