import type { PreviewPixels } from '../../shared/model/preview.ts'
import { useTranslation } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { PreviewStage } from './preview-model.ts'

type TagProps = { readonly pixels: Pick<PreviewPixels, 'original' | 'extent'> }

export function BeforeTag({ pixels: { original } }: TagProps) {
  const t = useTranslation()
  return (
    <span class="tag was">
      <b>{t.preview.before}</b>
      <span class="hide-narrow">{t.preview.extent(inWords(original))}</span>
    </span>
  )
}

type AfterTagProps = TagProps & {
  readonly stage: PreviewStage
  /** The original takes the place of a larger result. */
  readonly isKept: boolean
}

export function AfterTag({ pixels: { extent }, stage, isKept }: AfterTagProps) {
  const t = useTranslation()
  if (stage.kind === 'failed') return null
  const isOld = stage.kind === 'making' && stage.isOld
  return (
    <span class="tag is">
      {isOld && <Icon name="queue" />}
      <b>{t.preview.after}</b>
      {isOld ? (
        <span>{t.preview.olderSettings}</span>
      ) : (
        <span class="hide-narrow">
          {isKept && stage.kind === 'fine' ? t.preview.theOriginal : t.preview.extent(inWords(extent))}
        </span>
      )}
    </span>
  )
}

/** Without marks between thousands, like the pixels that are typed into the form. */
const inWords = ({ width, height }: PreviewPixels['extent']) => ({
  width: String(width),
  height: String(height),
})

type FailureNoteProps = { readonly reason: string | null; readonly onPress: () => void }

/** What happened, that the preset is fine, and what can be done. */
export function FailureNote({ reason, onPress }: FailureNoteProps) {
  const t = useTranslation()
  return (
    <div class="say" role="status">
      <Icon name="fail" />
      <p>
        <b>{t.preview.failed}</b>
        <span class="reason">{reason ?? t.preview.endedWhy}</span>
      </p>
      <p class="hint">{t.preview.failedWhy}</p>
      <Button label={t.preview.tryAgain} icon="retry" onPress={onPress} />
    </div>
  )
}
