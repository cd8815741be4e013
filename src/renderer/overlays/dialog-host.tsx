import { useApp, useViewTranslation, useView } from '../store/app.ts'
import type { OpenDialog } from '../store/overlays.ts'
import { useRead } from '../store/use-read.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { WatchFolderDialog } from '../settings/watch-folder-dialog.tsx'
import { ServiceDialog } from '../settings/service-dialog.tsx'
import { ReceiverDialog } from '../settings/receiver-dialog.tsx'
import { RuleDialog } from '../settings/rule-dialog.tsx'
import { DriveFolderDialog } from './drive-folder-dialog.tsx'
import { showSaved } from '../store/toasts.ts'
import { showNewJob } from '../store/navigation.ts'

export function DialogHost() {
  return (
    <>
      <OpenedDialog />
      <OpenedFolderPicker />
    </>
  )
}

function OpenedFolderPicker() {
  const app = useApp()
  const { folderPicker } = app.overlays
  /** Makes a Drive folder the draft's input. */
  const addFrom = async (driveInput: string): Promise<void> => {
    await app.attempt(app.bridge.draft.update({ driveInput }))
    showNewJob(app)
  }
  if (folderPicker.value === null || app.settingsWords() === null) return null
  return (
    <DriveFolderDialog
      onUse={folderPicker.value.use ?? addFrom}
      onClose={() => (folderPicker.value = null)}
    />
  )
}

function OpenedDialog() {
  const app = useApp()
  const { dialog } = app.overlays
  const open = dialog.value
  if (open === null) return null
  const close = (): void => {
    dialog.value = null
  }
  switch (open.kind) {
    case 'confirm':
      return <ConfirmDialog open={open} onClose={close} />
    case 'diagnostics':
      return <DiagnosticsDialog onClose={close} />
    case 'watchFolder':
      return app.settingsWords() === null ? null : <WatchFolderDialog id={open.id} onClose={close} />
    case 'service':
      return app.settingsWords() === null ? null : <ServiceDialog service={open.service} onClose={close} />
    case 'receiver':
      return app.settingsWords() === null ? null : <ReceiverDialog id={open.id} onClose={close} />
    case 'rule':
      return <RuleDialog folder={open.folder} place={open.rule} onClose={close} />
  }
}

function ConfirmDialog(props: {
  readonly open: Extract<OpenDialog, { kind: 'confirm' }>
  readonly onClose: () => void
}) {
  const { open, onClose } = props
  const t = useViewTranslation()
  return (
    <Dialog title={open.title} onClose={onClose}>
      <p>{open.text}</p>
      <div class="dialog-buttons">
        <Button label={t.actions.cancel} large autofocus onPress={onClose} />
        <Button
          label={open.verb}
          kind="danger"
          large
          onPress={() => {
            onClose()
            open.run()
          }}
        />
      </div>
    </Dialog>
  )
}

/** Shows the contents of the report before it is saved. */
function DiagnosticsDialog({ onClose }: { readonly onClose: () => void }) {
  const { app, t } = useView()
  const [text] = useRead(() => app.bridge.diagnostics.preview(), [])
  return (
    <Dialog title={t.diagnosticsDialog.title} wide onClose={onClose}>
      <pre class="mono selectable" tabIndex={0}>
        {text.value}
      </pre>
      <div class="dialog-buttons">
        <Button label={t.actions.close} large onPress={onClose} />
        <Button
          label={t.diagnosticsDialog.saveReport}
          kind="primary"
          large
          onPress={() =>
            void app.attempt(app.bridge.diagnostics.save()).then((saved) => showSaved(app, saved))
          }
        />
      </div>
    </Dialog>
  )
}
