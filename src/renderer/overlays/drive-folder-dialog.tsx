import { useSignal } from '@preact/signals'
import { driveProblemSentence } from '../../shared/i18n/sentences.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { showNewJob } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Takes the files of a Drive folder instead of files of this computer. */
export function DriveFolderDialog({ onClose }: { readonly onClose: () => void }) {
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
        <div class="body">
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
          <p id="drive-input-hint" class={`hint ${wrong.value === null ? '' : 'bad'}`}>
            {wrong.value ??
              (id !== null && id !== typed.value.trim() ? t.newJob.fromLink : t.newJob.folderIdHint)}
          </p>
        </div>
        <div class="end">
          <Button label={t.actions.cancel} large onPress={onClose} />
          <button type="submit" class="btn main large">
            {t.driveDialog.use}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
