import { presetTitles } from '../../shared/i18n/sentences.ts'
import { Icon } from '../ui/icon.tsx'
import { TextAround } from '../ui/text-around.tsx'
import { useApp, useViewTranslation } from '../store/app.ts'
import '../ui/tray-shape.css'
import './drop-overlay.css'

export function DropOverlay({ count }: { readonly count: number }) {
  const { draft } = useApp().state
  const t = useViewTranslation()
  const { presets, source } = draft.value
  const joins = source.kind === 'files' && source.items.length > 0
  return (
    <div class="drop-overlay" role="status">
      <div class="tray-shape">
        <Icon name="falling" class="drop-icon" />
        <h2>{count === 0 ? t.drop.addSome : t.drop.add({ count })}</h2>
        <p>
          {joins ? (
            t.drop.joins
          ) : (
            <>
              {t.drop.opens + t.punctuation.betweenSentences}
              <TextAround text={(shift) => t.drop.start({ shift, preset: presetTitles(presets, t) })}>
                <kbd>{t.drop.shift}</kbd>
              </TextAround>
            </>
          )}
        </p>
      </div>
    </div>
  )
}
