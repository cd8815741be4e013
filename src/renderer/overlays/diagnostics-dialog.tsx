import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp, useTranslation } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { showSaved } from '../store/toasts.ts'

/** What the report would hold, before it is saved. */
export function DiagnosticsDialog({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const t = useTranslation()
  const text = useSignal('')
  useEffect(() => {
    void app.attempt(app.bridge.diagnostics.preview()).then((preview) => {
      text.value = preview ?? ''
    })
  }, [])
  return (
    <Dialog title={t.diagnosticsDialog.title} wide onClose={onClose}>
      <pre class="mono pick" tabIndex={0}>
        {text.value}
      </pre>
      <div class="end">
        <Button label={t.actions.close} large onPress={onClose} />
        <Button
          label={t.connectionSettings.saveReport}
          kind="main"
          large
          onPress={() =>
            void app.attempt(app.bridge.diagnostics.save()).then((saved) => showSaved(app, saved))
          }
        />
      </div>
    </Dialog>
  )
}
