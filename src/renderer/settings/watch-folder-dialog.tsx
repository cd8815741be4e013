import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { NO_HOOKS, type Hooks } from '../../shared/model/after-job.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { presetsIn, type WatchFolderChange, type WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Check, Segments } from '../ui/form-controls.tsx'
import { savedDefaults } from '../../shared/model/settings.ts'
import { useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { ServicePicker } from '../pickers/service-picker.tsx'
import { FolderHooks } from './folder-hooks.tsx'
import { asksForVariations, VariationsStepper } from '../pickers/variations-stepper.tsx'
import { connectionOf } from '../store/services.ts'
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
        {form.hasRules.value ? (
          <FolderVariations form={form} />
        ) : (
          <JobFields
            prefix="watch"
            {...form.job()}
            onPresets={form.choosePresets}
            onOutput={(output) => form.change({ output })}
          >
            <FolderVariations form={form} />
          </JobFields>
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
  const typedSize = useSignal<string | null>(null)
  /** The folder's rules, which choose the presets and outputs. They have their own page. */
  const rules = useSignal<WatchFolderView['rules']>('none')
  const hasRules = useComputed(() => rules.value !== 'none')
  const usedPresets = useComputed(() => {
    if (rules.value === 'unreadable') return []
    return presetsIn(folder.value, rules.value === 'none' ? undefined : rules.value)
  })
  useEffect(() => {
    if (id === null) return
    void app.attempt(app.bridge.watch.list()).then((known) => {
      const found = known?.find((candidate) => candidate.id === id)
      if (found === undefined) return
      folder.value = settingsOf(found)
      rules.value = found.rules
    })
  }, [id])

  const change = (next: Partial<FolderSettings>): void => {
    folder.value = { ...folder.value, ...next }
  }
  const job = (): WatchedJob => ({ service: undefined, ...folder.value, typedSize })
  return {
    folder,
    missing,
    hasRules,
    usedPresets,
    job,
    change,
    choosePresets: (chosen: readonly string[]): void => {
      const presets = [...chosen]
      const service = connectionOf(app, folder.peek())
      const isKnown = app.presets.overview.peek() !== null
      // Without ranges in the presets, all variations would be equal.
      const areEqual = isKnown && !asksForVariations(app, service, { presets, variations: 1 })
      change(areEqual ? { presets, variations: 1 } : { presets })
    },
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
      if (!hasRules.value && hasJobFault(app, job())) return
      if (!(await app.succeeds(app.bridge.watch.save({ id, folder: folder.value })))) return
      app.watchVersion.value += 1
      onClose()
    },
  }
}

/** Returns the settings of a watched folder without its state. */
export function settingsOf(folder: WatchFolderView): FolderSettings {
  const { path, enabled, recursive, presets, output, variations, grouping, done, windowMs } = folder
  const { service, afterJob } = folder
  const common = { path, enabled, recursive, presets, output, variations, grouping, done, windowMs }
  return { ...common, ...(service && { service }), ...(afterJob && { afterJob }) }
}

type FormProps = { readonly form: ReturnType<typeof useFolderForm> }

function FolderFields({ form: { folder, missing, change, choose } }: FormProps) {
  const { app, t } = useSettingsView()
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
      <Check
        label={texts.subfolders}
        checked={folder.value.recursive}
        onChange={(recursive) => change({ recursive })}
      />
    </>
  )
}

/** The number of results of each file. Absent if the results would be equal. */
function FolderVariations({ form }: FormProps) {
  const { folder, usedPresets, change } = form
  const { service, variations } = folder.value
  const { app, t } = useSettingsView()
  useEffect(() => void app.presets.read(), [])
  const used = { presets: usedPresets.value, variations }
  if (!asksForVariations(app, connectionOf(app, { service }), used)) return null
  return (
    <>
      <label for="watch-variations">{t.newJob.variations}</label>
      <span class="control-row">
        <VariationsStepper
          id="watch-variations"
          value={variations}
          onChange={(value) => change({ variations: value })}
        />
        <span id="watch-variations-sum" class="hint numeric">
          {variations > 1 && t.details.forEach({ count: variations })}
        </span>
      </span>
    </>
  )
}

/** Sets whether files that arrive together become one job, and how long to wait for more. */
function GroupingFields({ form: { folder, change } }: FormProps) {
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
          options={{ together: t.newJob.together, separate: t.newJob.separate }}
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

/** Sets what to do with new files that earlier jobs have already processed. */
function DoneField({ form: { folder, change } }: FormProps) {
  const { jobsSettings: texts } = useSettingsTranslation()
  return (
    <>
      <span class="label">{texts.done}</span>
      <span>
        <Segments
          label={texts.done}
          value={folder.value.done ?? 'skip'}
          options={{ skip: texts.skipDone, again: texts.doAgain }}
          onChoose={(done) => change({ done })}
        />
      </span>
    </>
  )
}
