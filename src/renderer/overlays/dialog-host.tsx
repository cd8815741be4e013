import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { driveProblemSentence } from '../../shared/i18n/sentences.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { useApp, useTranslation } from '../store/app.ts'
import type { OpenDialog } from '../store/overlays.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { WatchFolderDialog } from '../settings/watch-folder-dialog.tsx'
import { showSaved } from '../store/toasts.ts'
import { showNewJob } from '../store/navigation.ts'

export function DialogHost() {
  const { dialog } = useApp().overlays
  const open = dialog.value
  if (open === null) return null
  const close = (): void => {
    dialog.value = null
  }
  switch (open.kind) {
    case 'confirm':
      return <ConfirmDialog open={open} onClose={close} />
    case 'driveFolder':
      return <DriveFolderDialog onClose={close} />
    case 'diagnostics':
      return <DiagnosticsDialog onClose={close} />
    case 'watchFolder':
      return <WatchFolderDialog id={open.id} onClose={close} />
  }
}

type ConfirmProps = {
  readonly open: Extract<OpenDialog, { kind: 'confirm' }>
  readonly onClose: () => void
}

function ConfirmDialog({ open, onClose }: ConfirmProps) {
  const t = useTranslation()
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
      <pre class="mono selectable" tabIndex={0}>
        {text.value}
      </pre>
      <div class="dialog-buttons">
        <Button label={t.actions.close} large onPress={onClose} />
        <Button
          label={t.connectionSettings.saveReport}
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

/** Asks for a Drive folder whose files become the draft. */
function DriveFolderDialog({ onClose }: { readonly onClose: () => void }) {
  const app = useApp()
  const t = useTranslation()
  const typed = useSignal('')
  const wrong = useSignal<string | null>(null)
  const id = driveFolderId(typed.value)

  const use = async (): Promise<void> => {
    if (id === null) {
      wrong.value = t.newJob.notAFolderId
      return
    }
    const check = await app.attempt(app.bridge.drive.checkFolder(id))
    if (check === undefined) return
    if (!check.ok) {
      wrong.value = driveProblemSentence(check.problem, t)
      return
    }
    await app.attempt(app.bridge.draft.update({ driveInput: id }))
    showNewJob(app)
    onClose()
  }

  return (
    <Dialog title={t.driveDialog.title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void use()
        }}
      >
        <div class="dialog-body">
          <label for="drive-input">{t.driveDialog.label}</label>
          <input
            id="drive-input"
            class="field mono"
            autocomplete="off"
            autofocus
            value={typed.value}
            aria-invalid={wrong.value !== null}
            aria-describedby="drive-input-hint"
            onInput={(event) => {
              typed.value = event.currentTarget.value
              wrong.value = null
            }}
          />
          <p id="drive-input-hint" class={`hint ${wrong.value === null ? '' : 'error'}`}>
            {wrong.value ??
              (id !== null && id !== typed.value.trim() ? t.newJob.fromLink : t.newJob.folderIdHint)}
          </p>
        </div>
        <div class="dialog-buttons">
          <Button label={t.actions.cancel} large onPress={onClose} />
          <Button submit label={t.driveDialog.use} kind="primary" large />
        </div>
      </form>
    </Dialog>
  )
}
