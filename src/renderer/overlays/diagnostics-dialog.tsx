import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp, useWords } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { saveReport } from '../settings/save-report.ts'

/** What the report would hold, before it is saved. */
export function DiagnosticsDialog({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const { w } = useWords()
  const text = useSignal('')
  useEffect(() => {
    void app.attempt(app.bridge.diagnostics.preview()).then((preview) => {
      text.value = preview ?? ''
    })
  }, [])
  return (
    <Dialog title={w.diagnosticsDialog.title} wide onClose={onClose}>
      <pre class="mono pick" tabIndex={0}>
        {text.value}
      </pre>
      <div class="end">
        <Button label={w.actions.close} large onPress={onClose} />
        <Button
          label={w.connectionSettings.saveReport}
          kind="main"
          large
          onPress={() => void saveReport(app)}
        />
      </div>
    </Dialog>
  )
}
