/**
 * Results of the previewed file in three qualities. The preview itself provides the selected quality. The other two are created afterward,
 * one at a time, because the preview handles one request at a time.
 */
import { computed, effect, signal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import { isRecord } from '../../shared/is-record.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { PreviewPixels, VideoTrack } from '../../shared/model/preview.ts'
import { chooseLook } from '../../shared/preset/preset-goal.ts'
import { isScore, type Quality, SAME_QUALITY, scoresAround } from '../../shared/quality/quality.ts'
import type { Shown } from './image-pane.tsx'
import type { Document, Measured, PreviewModel } from './preview-model.ts'
import { shownResult, type startPlayer, type VideoPlayer } from './video-player.ts'

export type ComparedQuality = {
  /** The visual quality that was asked for. */
  readonly look: number
  readonly isAsSet: boolean
  readonly state: 'making' | 'done' | 'failed'
  readonly picture: Shown | null
  readonly measured: Measured | null
  readonly quality: Quality | null
}

type Made = Pick<ComparedQuality, 'look' | 'state' | 'measured' | 'quality'> & {
  readonly picture: PreviewPixels | 'video' | null
}

export type ComparedPreset = {
  readonly document: Document
  readonly part: MediaKind
  /** The preset's visual quality, or the score of its result. */
  readonly look: number
}

export function compareQualities(
  { document, part, look: set }: ComparedPreset,
  options: {
    readonly bridge: Pick<Bridge, 'preview'>
    readonly model: PreviewModel
    readonly load: (pixels: PreviewPixels) => Promise<unknown>
    readonly play: typeof startPlayer
  },
) {
  const { bridge, model, load } = options
  const looks = scoresAround(set)
  const others = signal<readonly Made[]>(
    looks.filter((look) => look !== set).map((look) => ({ look, state: 'making', ...NOTHING })),
  )
  const videos = createVideos(model, options.play)
  let isOver = false

  const list = computed(() =>
    looks.flatMap((look): ComparedQuality | readonly ComparedQuality[] => {
      if (look === set) return [{ ...asSet(model, videos.pictureOf(0)), look, isAsSet: true }]
      const index = others.value.findIndex((one) => one.look === look)
      const made = others.value[index]
      if (made === undefined) return []
      const picture = made.picture === 'video' ? videos.pictureOf(index + 1) : made.picture
      return [{ ...made, picture, isAsSet: false }]
    }),
  )

  function show(index: number, made: Partial<Made>): void {
    if (!isOver) others.value = others.peek().map((one, at) => (at === index ? { ...one, ...made } : one))
  }

  async function makeOthers(): Promise<void> {
    for (const [index, { look }] of others.peek().entries()) {
      if (isOver) return
      await make(index, look).catch(() => show(index, { state: 'failed' }))
    }
  }

  async function make(index: number, look: number): Promise<void> {
    const request = {
      path: model.file.peek()?.path ?? '',
      preset: presetWith(document, part, look),
      part,
      view: { width: 1, height: 1, middle: null },
      start: model.video.peek()?.video.start ?? null,
    }
    if (part === 'video') {
      const sample = await bridge.preview.part(request)
      if (isOver || sample.kind !== 'video') return show(index, { state: 'failed' })
      await videos.add(sample.video.after)
      show(index, { picture: 'video', quality: sample.quality })
    }
    const whole = await bridge.preview.whole(request)
    if (isOver || !('bytes' in whole)) return show(index, { state: 'failed' })
    if (whole.kind === 'estimated') {
      if (whole.refused !== null) videos.keepOriginal(index + 1)
      return show(index, { measured: whole, state: 'done' })
    }
    await load(whole.pixels)
    show(index, { picture: whole.pixels, measured: whole })
    const answer = await bridge.preview.quality()
    show(index, { state: 'done', quality: answer.kind === 'measured' ? answer.quality : null })
  }

  let isStarted = false
  const stop = effect(() => {
    if (isStarted || stateOf(model) === 'making') return
    isStarted = true
    void makeOthers()
  })
  return {
    /** Lowest quality first. */
    list,
    /** Plays all results in sync, if the file is a video. */
    player: videos.player,
    end(): void {
      isOver = true
      stop()
      videos.end()
    },
  }
}

const NOTHING = { picture: null, measured: null, quality: null } as const

/** Returns whether the preview's own result is complete, is still being created, or has failed. */
function stateOf({ state, quality }: PreviewModel): ComparedQuality['state'] {
  const { kind } = state.value
  if (kind === 'fine') return quality.value === 'measuring' ? 'making' : 'done'
  return kind === 'failed' || kind === 'tooLarge' ? 'failed' : 'making'
}

function asSet(model: PreviewModel, shownVideo: Shown | null): Omit<ComparedQuality, 'look' | 'isAsSet'> {
  const state = stateOf(model)
  const quality = model.quality.value
  return {
    state,
    picture: shownVideo ?? model.pixels.value,
    measured: model.state.value.kind === 'fine' ? model.measured.value : null,
    quality: quality === 'measuring' || state !== 'done' ? null : quality,
  }
}

function presetWith(document: Document, part: MediaKind, look: number): Document {
  const recipe = document[part]
  const changes = chooseLook(part, look).map(
    ({ path, value }) => [path.slice(part.length + 1), value] as const,
  )
  return { ...document, [part]: { ...(isRecord(recipe) ? recipe : {}), ...Object.fromEntries(changes) } }
}

/** Plays the results of a video in one player. For each new result, a new player continues at the position of the previous one. */
function createVideos({ video, measured }: PreviewModel, play: typeof startPlayer) {
  const player = signal<VideoPlayer | null>(null)
  const afters: (VideoTrack | null)[] = []
  const pictures = computed(() => {
    const shown = player.value ?? video.value
    return shown === null ? [] : [0, 1, 2].map((result) => shownResult(shown, result))
  })
  let wasPlaying = false
  let isOver = false

  return {
    player: computed(() => player.value ?? video.value),
    /** @param result 0 for the preview's own result; the others follow in the order of `add` */
    pictureOf: (result: number): Shown | null => pictures.value[result] ?? null,
    async add(after: VideoTrack | null): Promise<void> {
      const own = video.peek()
      if (own === null) return
      afters.push(after)
      const isKept = isRefused(measured.peek())
      const sample = isKept ? { ...own.video, after: null } : own.video
      const next = await play(sample, player.peek() ?? own, afters)
      if (isOver) {
        next.close()
        return
      }
      if (player.peek() === null && own.isPlaying.peek()) {
        wasPlaying = true
        own.toggle()
      }
      player.peek()?.close()
      player.value = next
    },
    keepOriginal(result: number): void {
      // The next player also shows the original for this result.
      afters[result - 1] = null
      player.peek()?.keepOriginal(result)
    },
    end(): void {
      isOver = true
      player.peek()?.close()
      if (wasPlaying) video.peek()?.toggle()
    },
  }
}

/** Whether a job would keep the original, because the result is larger. */
export const isRefused = (measured: Measured | null): boolean =>
  measured !== null && measured.refused !== null

/**
 * Returns the number to show for a result: the requested quality, so that choosing it creates the same result again. If the result's score
 * differs too much, returns the score. Returns null if the result is lossless or couldn't be measured.
 */
export function numberOf({ look, quality, state, measured }: ComparedQuality): number | null {
  if (state !== 'done' || isRefused(measured)) return look
  if (quality === null || !isScore(quality)) return null
  return Math.abs(quality.score - look) <= SAME_QUALITY ? look : quality.score
}
