import { useSignal } from '@preact/signals'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { type DraftOutput, isNextToOriginals } from '../../shared/model/draft.ts'
import { Button } from '../ui/button.tsx'
import { chooseOutputFolder, OutputPicker, replaceReason } from '../pickers/output-picker.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { subfolderFault, SubfolderField } from '../pickers/subfolder-field.tsx'
import { useApp, useSettingsView } from '../store/app.ts'
import { usesBuiltIn } from '../store/services.ts'
import { Fault } from '../ui/fault.tsx'
import { Setting, SettingSegments } from './setting.tsx'

const AUTOMATIC = ''
/** The value of the option to start with the last choice. No preset has a tab in its name. */
const LAST = '\t'

/** Returns the values of the setting for the tiles of a new job, in words. */
export const choicesWords = ({ summaries, jobsSettings, newJob }: SettingsTranslation) => ({
  automatic: summaries.automatic,
  tasks: jobsSettings.choicesTasks,
  starred: newJob.starred,
})

/** Defaults of new jobs, and what happens to files dropped on the tray or dock. */
export function JobsSettings() {
  const { app, t } = useSettingsView()
  const settings = app.state.settings.value
  return (
    <>
      <Setting label={t.jobsSettings.startWith} hint={t.jobsSettings.startWithHint} for="default-preset">
        <PresetPicker
          id="default-preset"
          presets={settings.defaultPresets ?? []}
          first={{
            option: { value: LAST, label: t.jobsSettings.lastChoice, icon: 'undo' },
            isChosen: settings.defaultPresets === null,
            onChoose: () => app.choose({ defaultPresets: null }),
          }}
          onChoose={([...defaultPresets]) => app.choose({ defaultPresets })}
        />
      </Setting>
      {usesBuiltIn(app) && (
        <SettingSegments
          name="newJobChoices"
          label={t.jobsSettings.choices}
          hint={t.jobsSettings.choicesHint}
          options={choicesWords(t)}
        />
      )}
      <DefaultOutput />
      <SettingSegments
        name="doneFiles"
        label={t.jobsSettings.done}
        hint={t.jobsSettings.doneHint}
        options={{ skip: t.jobsSettings.skipDone, again: t.jobsSettings.doAgain }}
      />
      <Setting label={t.jobsSettings.dropped} stacked>
        <div class="check-list" role="radiogroup" aria-label={t.jobsSettings.dropped}>
          <QuickDrop value="ask" label={t.jobsSettings.ask} hint={t.jobsSettings.askHint} />
          <QuickDrop value="startAtOnce" label={t.jobsSettings.atOnce} hint={t.jobsSettings.atOnceHint} />
        </div>
      </Setting>
    </>
  )
}

function DefaultOutput() {
  const { app, t } = useSettingsView()
  const settings = app.state.settings.value
  const { defaultOriginals, defaultOutput } = settings
  const output = defaultOriginals ?? defaultOutput
  const edited = useSignal<string | null>(null)
  const subfolder = output?.kind === 'beside' ? (edited.value ?? output.subfolder) : null
  const fault = subfolderFault(subfolder, t)
  const save = (chosen: DraftOutput): void => {
    edited.value = null
    app.choose(
      isNextToOriginals(chosen)
        ? { defaultOriginals: chosen }
        : { defaultOutput: chosen, defaultOriginals: null },
    )
  }
  const notUploaded = app.state.connection.value.seesFiles ? null : t.newJob.notUploaded
  const replace = replaceReason(app, { presets: settings.defaultPresets ?? [], variations: 1 })
  return (
    <Setting
      label={t.newJob.saveTo}
      hint={output?.kind === 'replace' ? t.jobsSettings.replaceHint : undefined}
      for="default-output"
    >
      <div class="control-row wrap">
        <OutputPicker
          id="default-output"
          output={output ?? { kind: 'folder', path: '' }}
          originals={{ nextTo: notUploaded, replace }}
          first={{
            option: { value: AUTOMATIC, label: t.newJob.automaticFolder, icon: 'folder' },
            isChosen: output === null,
            onChoose: () => app.choose({ defaultOutput: null, defaultOriginals: null }),
          }}
          onTake={save}
        />
        {output?.kind === 'beside' ? (
          <SubfolderField
            subfolder={subfolder}
            describedBy="default-subfolder-fault"
            onChange={(typed) => {
              // Don't save an invalid name, because jobs that start without being shown use the default.
              if (subfolderFault(typed, t) === null) save({ kind: 'beside', subfolder: typed })
              else edited.value = typed
            }}
          />
        ) : (
          <Button label={t.newJob.choose} onPress={() => void chooseOutputFolder(app, save)} />
        )}
      </div>
      <Fault id="default-subfolder-fault" text={fault} />
      {output?.kind === 'drive' && (
        <input
          class="field mono selectable"
          aria-label={t.newJob.folderId}
          placeholder={t.newJob.folderId}
          value={output.folderId}
          onChange={(event) => save({ kind: 'drive', folderId: event.currentTarget.value.trim() })}
        />
      )}
    </Setting>
  )
}

function QuickDrop(props: {
  readonly value: 'ask' | 'startAtOnce'
  readonly label: string
  readonly hint: string
}) {
  const { value, label, hint } = props
  const app = useApp()
  return (
    <label class="check">
      <input
        type="radio"
        name="quick-drop"
        checked={app.state.settings.value.quickDrop === value}
        onChange={() => app.choose({ quickDrop: value })}
      />
      <span>
        {label}
        <span class="hint block">{hint}</span>
      </span>
    </label>
  )
}
