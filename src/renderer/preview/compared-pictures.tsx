import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { baseName } from '../../shared/paths.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { loadPixels } from './load-pixels.ts'
import { createPaneView } from './pane-view.ts'
import { PicturePane } from './picture-pane.tsx'
import { ZoomChoice } from './preview-head.tsx'
import { flickAloud, usePreviewKeys } from './preview-keys.ts'
import type { PreviewWhole } from '../../shared/model/preview.ts'

/** Of two files of this computer, by path. */
export type Pair = {
  readonly before: string
  /** Bytes. */ readonly beforeSize: number
  readonly after: string
}

/** What a job has made, beside what it was made of: every pixel of the result. */
export function ComparedPictures({ pairs }: { readonly pairs: readonly Pair[] }) {
  const app = useApp()
  const t = useTranslation()
  const view = useMemo(() => createPaneView('fit'), [])
  const chosen = useSignal(pairs[0]?.after)
  const shown = useSignal<Extract<PreviewWhole, { readonly kind: 'whole' }> | null>(null)
  const failed = useSignal(false)
  const differs = useSignal(false)
  const pair = pairs.find(({ after }) => after === chosen.value) ?? pairs[0]
  usePreviewKeys(
    app,
    view,
    () => shown.peek() !== null,
    () => null,
  )
  useEffect(() => () => void app.bridge.preview.stop(), [])
  useEffect(() => {
    if (pair === undefined) return undefined
    let isOver = false
    const show = async (): Promise<void> => {
      const answer = await app.bridge.preview.compare({ original: pair.before, result: pair.after })
      if (answer.kind === 'whole') await loadPixels(answer.pixels)
      if (isOver || answer.kind === 'overtaken') return
      failed.value = answer.kind === 'failed'
      shown.value = answer.kind === 'whole' ? answer : null
    }
    show().catch(() => {
      failed.value = !isOver
    })
    return () => {
      isOver = true
    }
  }, [pair?.after])

  // A picture that can't be read is no reason for a message here: its result can be opened below.
  if (pair === undefined || failed.value) return null
  return (
    <section class="compare" aria-label={t.details.compare}>
      {shown.value === null ? (
        <div class="pane" />
      ) : (
        <PicturePane
          view={view}
          pixels={shown.value.pixels}
          name={baseName(pair.after)}
          hasAfter
          differs={differs.value}
        >
          <span class="tag was">
            <b>{t.preview.before}</b> {t.size(shown.value.originalBytes)}
          </span>
          <span class="tag is">
            <b>{t.preview.after}</b> {t.size(shown.value.bytes)}
          </span>
        </PicturePane>
      )}
      <div class="compare-foot">
        {pairs.length > 1 && (
          <Strip pairs={pairs} chosen={pair} onChoose={(after) => (chosen.value = after)} />
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
      {pairs.map(({ after }) => (
        <label key={after} title={baseName(after)}>
          <input
            type="radio"
            name="compared"
            checked={after === chosen.after}
            aria-label={baseName(after)}
            onChange={() => onChoose(after)}
          />
          <Thumbnail path={after} small />
        </label>
      ))}
    </div>
  )
}
