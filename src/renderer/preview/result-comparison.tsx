import type { Failure } from '../../shared/failure/failure.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { describeFailure } from '../../shared/i18n/failures.ts'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { PreviewComparison } from '../../shared/model/preview.ts'
import { isScore, type Quality } from '../../shared/quality/quality.ts'
import { baseName, shownText } from '../../shared/paths.ts'
import { useApp, useViewTranslation, useView } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { VideoControls } from './video-controls.tsx'
import { shownVideo, startPlayer } from './video-player.ts'
import { loadPixels } from './load-pixels.ts'
import { createPaneView } from './pane-view.ts'
import { ImagePane, type Shown } from './image-pane.tsx'
import { FlickButton, ZoomChoice } from './preview-head.tsx'
import { usePreviewKeys } from './preview-keys.ts'
import './result-comparison.css'

/** Paths of the original and the result. */
export type Pair = {
  readonly before: string
  readonly after: string
  readonly kind: MediaKind
  readonly quality?: Quality | undefined
}

type Comparison = {
  readonly picture: Shown
  /** File sizes of the result and the original. */
  readonly bytes: number
  readonly originalBytes: number
}

type ComparisonState =
  | { readonly kind: 'reading' }
  | { readonly kind: 'shown'; readonly comparison: Comparison }
  | { readonly kind: 'failed'; readonly failure: Failure | null }

export function ResultComparison(props: {
  readonly pairs: readonly Pair[]
  /** Path of the result that is shown. */
  readonly chosen: Signal<string | undefined>
}) {
  const { pairs, chosen } = props
  const { app, t } = useView()
  const view = useMemo(() => createPaneView('fit'), [])
  /** Where the user started this video. The samples of other videos show the part with the most motion. */
  const start = useSignal<{ readonly after: string; readonly seconds: number } | null>(null)
  const differs = useSignal(false)
  const pair = pairs.find(({ after }) => after === chosen.value) ?? pairs[0]
  const state = useComparison(
    pair,
    start.value?.after === pair?.after ? (start.value?.seconds ?? null) : null,
  )
  const picture = state.kind === 'shown' ? state.comparison.picture : null
  const player = picture !== null && 'player' in picture ? picture.player : null
  const latest = useRef({ picture, player })
  latest.current = { picture, player }
  usePreviewKeys(
    app,
    view,
    () => latest.current.picture !== null,
    () => latest.current.player,
  )

  // If the only pair can't be compared, hide the comparison: the result can be opened from the list.
  if (pair === undefined || (state.kind === 'failed' && pairs.length === 1)) return null
  return (
    <section class="compare" aria-label={t.details.compare}>
      {state.kind === 'shown' ? (
        <ImagePane
          view={view}
          pixels={state.comparison.picture}
          name={baseName(pair.after)}
          hasAfter
          differs={differs.value}
        >
          <span class="pane-label original">
            <b>{t.preview.before}</b> {t.size(state.comparison.originalBytes)}
          </span>
          <span class="pane-label result">
            <b>{t.preview.after}</b> {sizeInTag(state.comparison.bytes, pair, t)}
          </span>
        </ImagePane>
      ) : (
        <div class="preview-pane">
          {state.kind === 'reading' && <progress class="preview-progress" aria-label={t.preview.making} />}
          {state.kind === 'failed' && (
            <p role="status">
              {state.failure === null ? t.preview.notMade : describeFailure(state.failure, t)}
            </p>
          )}
        </div>
      )}
      {player !== null && (
        <VideoControls
          player={player}
          onBegin={(seconds) => (start.value = { after: pair.after, seconds })}
        />
      )}
      <div class="compare-foot">
        {pairs.length > 1 && (
          <Strip pairs={pairs} chosen={pair} onChoose={(after) => (chosen.value = after)} />
        )}
        <span class="spacer" />
        <ZoomChoice view={view} />
        <FlickButton view={view} />
        <IconButton
          icon="difference"
          label={t.preview.difference}
          pressed={differs.value}
          onPress={() => (differs.value = !differs.peek())}
        />
      </div>
    </section>
  )
}

/** "388 kB, quality 61" */
function sizeInTag(bytes: number, { quality }: Pair, t: ViewTranslation): string {
  const size = t.size(bytes)
  return isScore(quality) ? t.quality.inTag({ size, score: t.number(quality.score) }) : size
}

/** Loads the comparison of a pair. Images stay visible until the next comparison is ready; a video is closed immediately. */
function useComparison(pair: Pair | undefined, start: number | null): ComparisonState {
  const app = useApp()
  const state = useSignal<ComparisonState>({ kind: 'reading' })
  useEffect(() => () => void app.bridge.preview.stop(), [])
  useEffect(() => {
    if (pair === undefined) return undefined
    let isOver = false
    let shown: Comparison | undefined
    const show = async (): Promise<void> => {
      const answer = await app.bridge.preview.compare({ original: pair.before, result: pair.after, start })
      if (isOver || answer.kind === 'overtaken') return
      if (answer.kind === 'failed') {
        state.value = answer
        return
      }
      shown = await comparisonOf(answer)
      if (isOver) close(shown)
      else state.value = { kind: 'shown', comparison: shown }
    }
    show().catch(() => {
      if (!isOver) state.value = { kind: 'failed', failure: null }
    })
    return () => {
      isOver = true
      if (shown === undefined) return
      close(shown)
      if ('player' in shown.picture) state.value = { kind: 'reading' }
    }
  }, [pair?.after, start])
  return state.value
}

async function comparisonOf(
  answer: Extract<PreviewComparison, { readonly bytes: number }>,
): Promise<Comparison> {
  const { bytes, originalBytes } = answer
  if (answer.kind === 'video')
    return { picture: shownVideo(await startPlayer(answer.video, null)), bytes, originalBytes }
  await loadPixels(answer.pixels)
  return { picture: answer.pixels, bytes, originalBytes }
}

function close({ picture }: Comparison): void {
  if ('player' in picture) picture.player.close()
}

/** A strip of thumbnails that works like a radio group. */
function Strip(props: {
  readonly pairs: readonly Pair[]
  readonly chosen: Pair
  readonly onChoose: (after: string) => void
}) {
  const { pairs, chosen, onChoose } = props
  const t = useViewTranslation()
  return (
    <div class="thumbnail-strip" role="radiogroup" aria-label={t.preview.results}>
      {pairs.map(({ after, kind }) => (
        <label key={after} title={shownText(baseName(after))}>
          <input
            type="radio"
            name="compared"
            checked={after === chosen.after}
            aria-label={shownText(baseName(after))}
            onChange={() => onChoose(after)}
          />
          <Thumbnail path={after} video={kind === 'video'} small />
        </label>
      ))}
    </div>
  )
}
