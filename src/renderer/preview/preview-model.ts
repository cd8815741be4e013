/**
 * The state of the preview: its file, the images shown, and whether they match the current settings. A new preview starts once
 * the settings have been stable for a moment. Responses to older requests are dropped.
 */
import type { Extent } from '../../shared/extent.ts'
import { signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type {
  LeastSize,
  PreviewFailed,
  PreviewPart,
  PreviewVideo,
  PreviewPixels,
  PreviewWhole,
  Spot,
} from '../../shared/model/preview.ts'
import type { Quality } from '../../shared/quality/quality.ts'
import type { VideoPlayer } from './video-player.ts'

export type Document = Readonly<Record<string, unknown>>
export type Measured = Extract<PreviewWhole, { readonly bytes: number }>

export type PreviewState =
  | { readonly kind: 'idle' }
  /** `isStale`: the images shown were made with other settings. */
  | { readonly kind: 'making'; readonly isStale: boolean }
  | { readonly kind: 'fine' }
  /** The preview is shown, but the whole file can't be made as small as requested. */
  | { readonly kind: 'tooLarge'; readonly least: LeastSize }
  | PreviewFailed

/** The visible area, in pixels of the result. */
export type VisibleArea = Extent & { readonly isWhole: boolean; readonly middle: Spot | null }

export type PreviewModel = ReturnType<typeof createPreviewModel>

type VideoPart = Extract<PreviewPart, { readonly kind: 'video' }>

export type PreviewModelOptions = {
  readonly bridge: Pick<Bridge, 'preview'>
  readonly lookedAt: () => VisibleArea
  /** Resolves when both images are decoded. */
  readonly load: (pixels: PreviewPixels) => Promise<unknown>
  /** @param instead the player that is replaced */
  readonly play: (video: PreviewVideo, instead: VideoPlayer | null) => Promise<VideoPlayer>
}

export function createPreviewModel({ bridge, lookedAt, load, play }: PreviewModelOptions) {
  const file = signal<MediaItem | null>(null)
  const state = signal<PreviewState>({ kind: 'idle' })
  const pixels = signal<PreviewPixels | null>(null)
  const place = createVideoSlot(play)
  const { video } = place
  const measured = signal<Measured | null>(null)
  const meter = createQualityMeter(bridge)
  const { quality } = meter
  const middle = signal<Spot | null>(null)
  let wanted: { readonly document: Document; readonly part: MediaKind } | undefined
  let start: number | null = null
  let newest = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const isOnShow = (): boolean => pixels.peek() !== null || video.peek() !== null

  function schedule(after: number): void {
    clearTimeout(timer)
    newest += 1
    if (wanted === undefined || file.peek()?.kind !== wanted.part) return
    state.value = { kind: 'making', isStale: isOnShow() }
    timer = setTimeout(() => void make(newest), after)
  }

  async function make(turn: number): Promise<void> {
    const item = file.peek()
    if (item === null || wanted === undefined) return
    const { width, height, isWhole } = lookedAt()
    const view = { width: Math.ceil(width), height: Math.ceil(height), middle: middle.peek() }
    const request = { path: item.path, preset: wanted.document, part: wanted.part, view, start }
    try {
      const isSeenWhole = isWhole && wanted.part === 'image'
      const goesOn = isSeenWhole || (await showPart(request, turn))
      if (goesOn && turn === newest) await showWhole(request, turn, isSeenWhole)
    } catch {
      if (turn === newest) state.value = { kind: 'failed', failure: null }
    }
  }

  type Request = Parameters<Bridge['preview']['part']>[0]

  async function showPart(request: Request, turn: number): Promise<boolean> {
    const part = await bridge.preview.part(request)
    if (turn !== newest || part.kind === 'overtaken') return false
    if (part.kind === 'failed') {
      state.value = part
      return false
    }
    if (part.kind === 'video') return showVideo(part, turn)
    await load(part.pixels)
    if (turn !== newest) return false
    middle.value ??= part.middle
    pixels.value = part.pixels
    state.value = { kind: 'making', isStale: false }
    return true
  }

  async function showVideo({ video: sample, quality: known }: VideoPart, turn: number): Promise<boolean> {
    if (!(await place.replace(sample, () => turn === newest))) return false
    start = sample.start
    quality.value = known
    state.value = { kind: 'making', isStale: false }
    return true
  }

  async function showWhole(request: Request, turn: number, isSeenWhole: boolean): Promise<void> {
    const whole = await bridge.preview.whole(request)
    if (turn !== newest || whole.kind === 'overtaken') return
    if (whole.kind === 'failed') {
      state.value = isSeenWhole ? whole : stateBesidePart(whole)
      return
    }
    if (whole.kind === 'whole') {
      await load(whole.pixels)
      if (turn !== newest) return
      pixels.value = whole.pixels
    }
    if (whole.refused !== null) video.peek()?.keepOriginal()
    measured.value = whole
    state.value = { kind: 'fine' }
    if (whole.kind === 'whole') await meter.measure(() => turn === newest)
  }

  return {
    file,
    state,
    pixels,
    /** Replaces the pixels if the file is a video. */
    video,
    /** Sizes of the last complete result, which may be for older settings. */
    measured,
    /** How similar the last complete result looks; null if that is unknown. */
    quality,
    /** The center of the view. The first pixels of a file set it; then the user can move it. */
    middle,
    /** Moves the sample of a video. @param seconds position in the video at which the sample starts */
    beginAt(seconds: number): void {
      start = seconds
      schedule(PREVIEW_DEBOUNCE_MS)
    },
    /** Requests a preview of a preset's effect. @param after debounce, ms */
    want(document: Document, part: MediaKind, after: number): void {
      wanted = { document, part }
      schedule(after)
    },
    /** Requests pixels that have come into view, if the preview is still being created. */
    lookAgain(): void {
      const shown = pixels.peek()
      const { kind } = state.peek()
      if (shown !== null && kind === 'making' && !covers(shown, lookedAt())) schedule(PREVIEW_DEBOUNCE_MS)
    },
    tryAgain: (): void => schedule(0),
    take(item: MediaItem | null): void {
      if (item?.path === file.peek()?.path) return
      file.value = item
      pixels.value = null
      place.show(null)
      start = null
      measured.value = null
      quality.value = null
      middle.value = null
      state.value = { kind: 'idle' }
      schedule(0)
    },
    end(): void {
      clearTimeout(timer)
      newest += 1
      place.show(null)
      void bridge.preview.stop()
    },
  }
}

/** Returns the smallest possible size in bytes, rounded up so that a limit of this size can be met. */
export const promisedSize = ({ bytes }: LeastSize): number => Math.ceil(bytes / 1_000) * 1_000

const stateBesidePart = (failed: PreviewFailed): PreviewState =>
  failed.least === undefined ? failed : { kind: 'tooLarge', least: failed.least }

/** Measures the quality after the size is shown, because measuring takes longer. */
function createQualityMeter({ preview }: PreviewModelOptions['bridge']) {
  const quality = signal<Quality | 'measuring' | null>(null)
  return {
    quality,
    async measure(isWanted: () => boolean): Promise<void> {
      quality.value = 'measuring'
      const answer = await preview.quality().catch(() => null)
      if (isWanted()) quality.value = answer?.kind === 'measured' ? answer.quality : null
    },
  }
}

/** Plays one video at a time. */
function createVideoSlot(play: PreviewModelOptions['play']) {
  const video = signal<VideoPlayer | null>(null)
  const show = (next: VideoPlayer | null): void => {
    video.peek()?.close()
    video.value = next
  }
  return {
    video,
    show,
    /** Keeps the old video until the new one is ready. Returns whether the new one is shown. */
    async replace(sample: PreviewVideo, isWanted: () => boolean): Promise<boolean> {
      const player = await play(sample, video.peek())
      if (isWanted()) show(player)
      else player.close()
      return video.peek() === player
    },
  }
}

/** Debounce of setting changes before a preview starts, ms. */
export const PREVIEW_DEBOUNCE_MS = 250

/** Returns whether the rendered area covers the visible part of the result. */
function covers({ area, extent }: PreviewPixels, { width, height, middle }: VisibleArea): boolean {
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
