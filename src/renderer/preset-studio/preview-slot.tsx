import { useApp } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useStudio } from './studio-context.ts'

/** What you get: where a preview is shown, and until then why there is none. */
export function PreviewSlot() {
  const app = useApp()
  const { part, t } = useStudio()
  const isBuiltIn = app.state.connection.value.kind === 'builtIn'
  return (
    <>
      <div class="bar preview-head">
        <span class="hint hide-narrow">{t.studio.preview}</span>
      </div>
      <section class="preview" aria-label={t.studio.preview} data-region="main">
        {isBuiltIn ? (
          <div class="empty" data-scroller tabIndex={0} role="group" aria-label={t.studio.preview}>
            <div class="tray">
              <Icon name="falling" class="falling" />
              <h2>{part.value === 'image' ? t.studio.dropPhoto : t.studio.dropVideo}</h2>
              <p>{t.studio.dropWhy}</p>
            </div>
          </div>
        ) : (
          <div class="empty">
            <Icon name="off" class="hide-narrow" />
            <div class="why">
              <h2>{t.studio.noPreview}</h2>
              <p>{t.studio.noPreviewWhy}</p>
              <Button
                label={t.studio.useBuiltIn}
                onPress={() => void app.attempt(app.bridge.connection.useBuiltIn())}
              />
            </div>
          </div>
        )}
      </section>
      <div class="result-line none" role="status">
        <span class="size">{t.studio.noSize}</span>
        <p class="hint clip">{isBuiltIn ? t.studio.chooseOne : t.studio.builtInOnly}</p>
      </div>
    </>
  )
}
