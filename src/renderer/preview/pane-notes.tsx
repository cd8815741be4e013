import type { Failure } from '../../shared/failure/failure.ts'
import { describeFailure } from '../../shared/i18n/failures.ts'
import type { PreviewPixels } from '../../shared/model/preview.ts'
import { useViewTranslation } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { PreviewState } from './preview-model.ts'

type TagProps = { readonly pixels: Pick<PreviewPixels, 'original' | 'extent'> }

export function BeforeTag({ pixels: { original } }: TagProps) {
  const t = useViewTranslation()
  return (
    <span class="pane-label original">
      <b>{t.preview.before}</b>
      <span class="hide-narrow">{t.preview.extent(inWords(original))}</span>
    </span>
  )
}

export function AfterTag(
  props: TagProps & {
    readonly state: PreviewState
    /** Whether the original is kept because the result is larger. */
    readonly isKept: boolean
  },
) {
  const { pixels, state, isKept } = props
  const t = useViewTranslation()
  if (state.kind === 'failed') return null
  const isStale = state.kind === 'making' && state.isStale
  return (
    <span class="pane-label result">
      {isStale && <Icon name="queue" />}
      <b>{t.preview.after}</b>
      {isStale ? (
        <span>{t.preview.olderSettings}</span>
      ) : (
        <span class="hide-narrow">
          {isKept && state.kind === 'fine' ? t.preview.theOriginal : t.preview.extent(inWords(pixels.extent))}
        </span>
      )}
    </span>
  )
}

/** Shown instead of a result that has only audio. */
export function AudioOnlyTag() {
  const t = useViewTranslation()
  return <span class="pane-label audio-only">{t.preview.audioOnly}</span>
}

/** Writes dimensions without thousands separators, as the form does. */
const inWords = ({ width, height }: PreviewPixels['extent']) => ({
  width: String(width),
  height: String(height),
})

/** Explains why a preview failed, and that the preset itself is valid. */
export function FailureNote(props: { readonly failure: Failure | null; readonly onPress: () => void }) {
  const { failure, onPress } = props
  const t = useViewTranslation()
  return (
    <div class="preview-error" role="status">
      <Icon name="fail" />
      <p>
        <b>{t.preview.failed}</b>
        <span class="preview-error-reason">
          {failure === null ? t.preview.endedWhy : describeFailure(failure, t)}
        </span>
      </p>
      <p class="hint">{t.preview.failedWhy}</p>
      <Button label={t.preview.tryAgain} icon="retry" onPress={onPress} />
    </div>
  )
}
