import { useApp, useTranslation } from '../store/app.ts'
import type { OpenDialog } from '../store/overlays.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DiagnosticsDialog } from './diagnostics-dialog.tsx'
import { DriveFolderDialog } from './drive-folder-dialog.tsx'
import { WatchFolderDialog } from '../settings/watch-folder-dialog.tsx'

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
      <div class="end">
        <Button label={t.actions.cancel} large autofocus onPress={onClose} />
        <Button
          label={open.verb}
          kind="risky"
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
