import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { PreviewComparison } from '../../shared/model/preview.ts'
import { baseName } from '../../shared/paths.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { FilmControls } from './film-controls.tsx'
import { shownFilm, startPlayer } from './film-player.ts'
import { loadPixels } from './load-pixels.ts'
import { createPaneView } from './pane-view.ts'
import { PicturePane, type Shown } from './picture-pane.tsx'
import { ZoomChoice } from './preview-head.tsx'
import { flickAloud, usePreviewKeys } from './preview-keys.ts'

/** Of two files of this computer, by path. */
export type Pair = {
  readonly before: string
  readonly after: string
  readonly kind: MediaKind
}

type Comparison = {
  readonly picture: Shown
  /** Of the files. */
  readonly bytes: number
  readonly originalBytes: number
}

type ComparisonState =
  | { readonly kind: 'reading' }
  | { readonly kind: 'shown'; readonly comparison: Comparison }
  | { readonly kind: 'failed'; readonly reason: string | null }

/** What a job has made, beside what it was made of: every pixel of the result. */
export function ComparedPictures({ pairs }: { readonly pairs: readonly Pair[] }) {
  const app = useApp()
  const t = useTranslation()
  const view = useMemo(() => createPaneView('fit'), [])
  const chosen = useSignal(pairs[0]?.after)
  const start = useSignal<number | null>(null)
  const differs = useSignal(false)
  const pair = pairs.find(({ after }) => after === chosen.value) ?? pairs[0]
  const state = useComparison(pair, start.value)
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

  // A picture that can't be read is no reason for a message here: its result can be opened below.
  if (pair === undefined || (state.kind === 'failed' && pairs.length === 1)) return null
  return (
    <section class="compare" aria-label={t.details.compare}>
      {state.kind === 'shown' ? (
        <PicturePane
          view={view}
          pixels={state.comparison.picture}
          name={baseName(pair.after)}
          hasAfter
          differs={differs.value}
        >
          <span class="tag was">
            <b>{t.preview.before}</b> {t.size(state.comparison.originalBytes)}
          </span>
          <span class="tag is">
            <b>{t.preview.after}</b> {t.size(state.comparison.bytes)}
          </span>
        </PicturePane>
      ) : (
        <div class="pane">
          {state.kind === 'reading' && <progress class="busy" aria-label={t.preview.making} />}
          {state.kind === 'failed' && <p role="status">{state.reason ?? t.preview.notMade}</p>}
        </div>
      )}
      {player !== null && <FilmControls player={player} onBegin={(seconds) => (start.value = seconds)} />}
      <div class="compare-foot">
        {pairs.length > 1 && (
          <Strip
            pairs={pairs}
            chosen={pair}
            onChoose={(after) => {
              start.value = null
              chosen.value = after
            }}
          />
        )}
        <span class="gap" />
        <ZoomChoice view={view} />
        <IconButton
          icon="compare"
          label={t.preview.flick}
          pressed={view.flicked.value !== null}
          onPress={() => {
            if (view.flicked.peek() === null) flickAloud(app, view)
            else view.flicked.value = null
          }}
        />
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

/** Of the pair that is chosen now; the one before stays on show until the next can be drawn. */
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
      if (!isOver) state.value = { kind: 'failed', reason: null }
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
  if (answer.kind === 'film')
    return { picture: shownFilm(await startPlayer(answer.film, null)), bytes, originalBytes }
  await loadPixels(answer.pixels)
  return { picture: answer.pixels, bytes, originalBytes }
}

function close({ picture }: Comparison): void {
  if ('player' in picture) picture.player.close()
}

type StripProps = {
  readonly pairs: readonly Pair[]
  readonly chosen: Pair
  readonly onChoose: (after: string) => void
}

/** One Tab stop, as radio buttons are; the arrows choose. */
function Strip({ pairs, chosen, onChoose }: StripProps) {
  const t = useTranslation()
  return (
    <div class="strip" role="radiogroup" aria-label={t.preview.results}>
      {pairs.map(({ after, kind }) => (
        <label key={after} title={baseName(after)}>
          <input
            type="radio"
            name="compared"
            checked={after === chosen.after}
            aria-label={baseName(after)}
            onChange={() => onChoose(after)}
          />
          <Thumbnail path={after} video={kind === 'video'} small />
        </label>
      ))}
    </div>
  )
}
