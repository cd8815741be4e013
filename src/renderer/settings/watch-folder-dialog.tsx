import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortPath } from '../../shared/i18n/names.ts'
import type { WatchFolderChange } from '../../shared/model/watch-folder.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { OutputPicker } from '../pickers/output-picker.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { useApp, useTranslation } from '../store/app.ts'

type FolderForm = {
  readonly folder: Signal<WatchFolderChange['folder']>
  /** It was to be saved before a folder was chosen. */
  readonly missing: Signal<boolean>
  readonly change: (next: Partial<WatchFolderChange['folder']>) => void
  readonly choose: () => Promise<void>
  readonly save: () => Promise<void>
}

type FormProps = { readonly form: FolderForm }
type WatchFolderDialogProps = { readonly id: string | null; readonly onClose: () => void }

/** Which folder is watched, and what its files become. */
export function WatchFolderDialog({ id, onClose }: WatchFolderDialogProps) {
  const t = useTranslation()
  const texts = t.watchSettings
  const form = useFolderForm(id, onClose)
  return (
    <Dialog title={id === null ? texts.titleNew : texts.titleChange} wide onClose={onClose}>
      <div class="body labelled">
        <FolderFields form={form} />
        <JobFields form={form} />
        <GroupingFields form={form} />
      </div>
      <div class="end">
        <Button label={t.actions.cancel} large onPress={onClose} />
        <Button
          label={id === null ? texts.save : texts.saveChange}
          kind="main"
          large
          onPress={() => void form.save()}
        />
      </div>
    </Dialog>
  )
}

/** @param id null: a folder that is not watched yet, which begins with what new jobs begin with */
function useFolderForm(id: string | null, onClose: () => void): FolderForm {
  const app = useApp()
  const { draft, settings } = app.state
  const folder = useSignal<WatchFolderChange['folder']>({
    path: '',
    enabled: true,
    recursive: false,
    preset: settings.peek().defaultPreset,
    output: settings.peek().defaultOutput ?? draft.peek().output,
    variations: settings.peek().variations,
    grouping: settings.peek().grouping,
    windowMs: 10_000,
  })
  const missing = useSignal(false)
  useEffect(() => {
    if (id === null) return
    void app.attempt(app.bridge.watch.list()).then((known) => {
      const found = known?.find((candidate) => candidate.id === id)
      if (!found) return
      const { id: _id, trouble: _trouble, question: _question, taken: _taken, ...stored } = found
      folder.value = stored
    })
  }, [id])

  const change: FolderForm['change'] = (next) => {
    folder.value = { ...folder.value, ...next }
  }
  return {
    folder,
    missing,
    change,
    async choose() {
      const path = await app.attempt(app.bridge.watch.chooseFolder())
      if (path) change({ path })
      missing.value = false
    },
    async save() {
      if (folder.value.path === '') {
        missing.value = true
        return
      }
      let worked = false
      await app.attempt(
        app.bridge.watch.save({ id, folder: folder.value }).then(() => {
          worked = true
        }),
      )
      if (!worked) return
      app.watchVersion.value += 1
      onClose()
    },
  }
}

function FolderFields({ form: { folder, missing, change, choose } }: FormProps) {
  const app = useApp()
  const t = useTranslation()
  const texts = t.watchSettings
  return (
    <>
      <label for="watch-path">{texts.folder}</label>
      <div class="line">
        <input
          id="watch-path"
          class="field pick"
          readOnly
          value={shortPath(folder.value.path, app.facts.homeFolder)}
          aria-invalid={missing.value}
          aria-describedby={missing.value ? 'watch-missing' : undefined}
        />
        <Button label={t.newJob.choose} onPress={() => void choose()} autofocus />
      </div>
      {missing.value && (
        <p id="watch-missing" class="hint bad">
          {texts.chooseFirst}
        </p>
      )}
      <span />
      <label class="check">
        <input
          type="checkbox"
          checked={folder.value.recursive}
          onChange={(event) => change({ recursive: event.currentTarget.checked })}
        />
        {texts.subfolders}
      </label>
    </>
  )
}

function JobFields({ form: { folder, change } }: FormProps) {
  const t = useTranslation()
  const { preset, output } = folder.value
  return (
    <>
      <label for="watch-preset">{t.newJob.preset}</label>
      <PresetPicker id="watch-preset" preset={preset} onChoose={(chosen) => change({ preset: chosen })} />
      <label for="watch-output">{t.newJob.saveTo}</label>
      <OutputPicker id="watch-output" output={output} onTake={(target) => change({ output: target })} />
      {output.kind === 'drive' && (
        <>
          <label for="watch-drive">{t.newJob.folderId}</label>
          <input
            id="watch-drive"
            class="field mono pick"
            value={output.folderId}
            onInput={(event) =>
              change({ output: { kind: 'drive', folderId: event.currentTarget.value.trim() } })
            }
          />
        </>
      )}
    </>
  )
}

/** Whether files that come together become one job, and how long it waits for more of them. */
function GroupingFields({ form: { folder, change } }: FormProps) {
  const t = useTranslation()
  const texts = t.watchSettings
  const { grouping, windowMs } = folder.value
  return (
    <>
      <span class="label">{t.jobsSettings.several}</span>
      <span>
        <Segments
          label={t.jobsSettings.several}
          value={grouping}
          options={[
            { value: 'together', label: t.newJob.together },
            { value: 'separate', label: t.newJob.separate },
          ]}
          onChoose={(value) => change({ grouping: value })}
        />
      </span>
      {grouping === 'together' && (
        <>
          <label for="watch-window">{texts.together}</label>
          <span class="line">
            <input
              id="watch-window"
              class="field days num"
              inputMode="numeric"
              value={windowMs / 1_000}
              onInput={(event) => {
                const seconds = Number(event.currentTarget.value)
                if (Number.isInteger(seconds) && seconds >= 0 && seconds <= 3_600) {
                  change({ windowMs: seconds * 1_000 })
                }
              }}
            />
            <span class="hint">{texts.seconds}</span>
          </span>
        </>
      )}
    </>
  )
}
