import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { NO_HOOKS, type Hooks } from '../../shared/model/after-job.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { type WatchFolderChange, type WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { savedDefaults } from '../../shared/model/settings.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { ServicePicker } from '../pickers/service-picker.tsx'
import { FolderHooks } from './folder-hooks.tsx'
import { hasJobFault, JobFields, type WatchedJob } from './job-fields.tsx'

type FolderSettings = WatchFolderChange['folder']
/** Lets the user choose a folder to watch and what happens to its files. */
export function WatchFolderDialog(props: { readonly id: string | null; readonly onClose: () => void }) {
  const { id, onClose } = props
  const t = useSettingsTranslation()
  const texts = t.watchSettings
  const form = useFolderForm(id, onClose)
  return (
    <Dialog title={id === null ? texts.titleNew : texts.titleChange} wide onClose={onClose}>
      <div class="dialog-body labeled">
        <FolderFields form={form} />
        <ServicePicker
          id="watch-service"
          service={form.folder.value.service}
          onChoose={(service) => form.change({ service })}
        />
        {!form.hasRules.value && (
          <JobFields
            prefix="watch"
            {...jobOf(form.folder.value)}
            onPresets={(chosen) => form.change({ presets: [...chosen] })}
            onOutput={(output) => form.change({ output })}
          />
        )}
        <GroupingFields form={form} />
        <DoneField form={form} />
        <FolderHooks
          hooks={form.folder.value.afterJob}
          onChange={form.changeHooks}
          onFault={form.setUrlFault}
        />
      </div>
      <div class="dialog-buttons">
        <Button label={t.actions.cancel} large onPress={onClose} />
        <Button
          label={id === null ? texts.save : texts.saveChange}
          kind="primary"
          large
          onPress={() => void form.save()}
        />
      </div>
    </Dialog>
  )
}

/** The state of the dialog's form. @param id null for a new folder, which starts with the defaults of new jobs */
function useFolderForm(id: string | null, onClose: () => void) {
  const app = useApp()
  const { draft, settings } = app.state
  const folder = useSignal<FolderSettings>({
    path: '',
    enabled: true,
    recursive: false,
    presets: savedDefaults(settings.peek(), app.state.connection.peek().kind === 'builtIn'),
    output: settings.peek().defaultOriginals ?? settings.peek().defaultOutput ?? draft.peek().output,
    variations: 1,
    grouping: settings.peek().grouping,
    done: settings.peek().doneFiles,
    windowMs: 10_000,
  })
  /** Whether Save was pressed before a folder was chosen. */
  const missing = useSignal(false)
  /** Whether the URL to call after a job is invalid. Its field shows the reason. */
  const isUrlFaulty = useSignal(false)
  /** Whether rules choose the presets and outputs. Rules have their own page. */
  const hasRules = useSignal(false)
  useEffect(() => {
    if (id === null) return
    void app.attempt(app.bridge.watch.list()).then((known) => {
      const found = known?.find((candidate) => candidate.id === id)
      if (found === undefined) return
      folder.value = settingsOf(found)
      hasRules.value = found.rules !== 'none'
    })
  }, [id])

  const change = (next: Partial<FolderSettings>): void => {
    folder.value = { ...folder.value, ...next }
  }
  return {
    folder,
    missing,
    hasRules,
    change,
    changeHooks: (part: Partial<Hooks> | undefined): void =>
      change({ afterJob: part && { ...NO_HOOKS, ...folder.peek().afterJob, ...part } }),
    setUrlFault: (isFaulty: boolean): void => {
      isUrlFaulty.value = isFaulty
    },
    choose: async (): Promise<void> => {
      const path = await app.attempt(app.bridge.watch.chooseFolder())
      if (path) change({ path })
      missing.value = false
    },
    save: async (): Promise<void> => {
      if (folder.value.path === '') {
        missing.value = true
        return
      }
      if (isUrlFaulty.value) return
      // The field already shows the reason.
      if (!hasRules.value && hasJobFault(app, jobOf(folder.value))) return
      const saved = await app.attempt(app.bridge.watch.save({ id, folder: folder.value }).then(() => true))
      if (!saved) return
      app.watchVersion.value += 1
      onClose()
    },
  }
}

const jobOf = (folder: FolderSettings): WatchedJob => ({
  service: folder.service,
  presets: folder.presets,
  output: folder.output,
  variations: folder.variations,
})

/** Returns the settings of a watched folder without its state. */
export function settingsOf(folder: WatchFolderView): FolderSettings {
  const {
    path,
    enabled,
    recursive,
    service,
    presets,
    output,
    variations,
    grouping,
    done,
    afterJob,
    windowMs,
  } = folder
  const common = { path, enabled, recursive, presets, output, variations, grouping, done, windowMs }
  return { ...common, ...(service && { service }), ...(afterJob && { afterJob }) }
}

function FolderFields({
  form: { folder, missing, change, choose },
}: {
  readonly form: ReturnType<typeof useFolderForm>
}) {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.watchSettings
  return (
    <>
      <label for="watch-path">{texts.folder}</label>
      <div class="control-row">
        <input
          id="watch-path"
          class="field selectable"
          readOnly
          value={shortPath(folder.value.path, app.facts.homeFolder)}
          aria-invalid={missing.value}
          aria-describedby={missing.value ? 'watch-missing' : undefined}
        />
        <Button label={t.newJob.choose} onPress={() => void choose()} autofocus />
      </div>
      {missing.value && (
        <p id="watch-missing" class="hint error">
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

/** Whether files that arrive together become one job, and how long to wait for more. */
function GroupingFields({ form: { folder, change } }: { readonly form: ReturnType<typeof useFolderForm> }) {
  const t = useSettingsTranslation()
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
          <span class="control-row">
            <input
              id="watch-window"
              class="field seconds-field numeric"
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

/** What to do with new files that earlier jobs have already processed. */
function DoneField({ form: { folder, change } }: { readonly form: ReturnType<typeof useFolderForm> }) {
  const { jobsSettings: texts } = useSettingsTranslation()
  return (
    <>
      <span class="label">{texts.done}</span>
      <span>
        <Segments
          label={texts.done}
          value={folder.value.done ?? 'skip'}
          options={[
            { value: 'skip', label: texts.skipDone },
            { value: 'again', label: texts.doAgain },
          ]}
          onChoose={(done) => change({ done })}
        />
      </span>
    </>
  )
}
