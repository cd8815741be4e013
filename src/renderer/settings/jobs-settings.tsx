import { type DraftOutput, presetsOf } from '../../shared/model/draft.ts'
import { Button } from '../ui/button.tsx'
import { Segments, Stepper } from '../ui/form-controls.tsx'
import { chooseOutputFolder, OutputPicker } from '../pickers/output-picker.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Setting } from './setting.tsx'

const AUTOMATIC = ''

/** Defaults of new jobs, and what happens to files dropped on the tray or dock. */
export function JobsSettings() {
  const app = useApp()
  const t = useTranslation()
  const settings = app.state.settings.value
  const output = settings.defaultOutput
  const saveOutput = (chosen: DraftOutput): void => {
    if (chosen.kind === 'folder' || chosen.kind === 'drive') app.choose({ defaultOutput: chosen })
  }
  return (
    <>
      <Setting label={t.newJob.preset} for="default-preset" stacked>
        <PresetPicker
          id="default-preset"
          presets={presetsOf(settings.defaultPreset)}
          single
          onChoose={([defaultPreset = null]) => app.choose({ defaultPreset })}
        />
        <p class="hint">{t.jobsSettings.presetHint}</p>
      </Setting>
      <Setting label={t.newJob.saveTo} for="default-output" stacked>
        <div class="control-row">
          <OutputPicker
            id="default-output"
            output={output ?? { kind: 'folder', path: '' }}
            first={{
              option: { value: AUTOMATIC, label: t.jobsSettings.automatic, icon: 'folder' },
              isChosen: output === null,
              onChoose: () => app.choose({ defaultOutput: null }),
            }}
            onTake={saveOutput}
          />
          <Button label={t.newJob.choose} onPress={() => void chooseOutputFolder(app, saveOutput)} />
        </div>
        {output?.kind === 'drive' && (
          <input
            class="field mono selectable"
            aria-label={t.newJob.folderId}
            placeholder={t.newJob.folderId}
            value={output.folderId}
            onChange={(event) => saveOutput({ kind: 'drive', folderId: event.currentTarget.value.trim() })}
          />
        )}
      </Setting>
      <Setting label={t.newJob.variations} for="default-variations" stacked>
        <Stepper
          id="default-variations"
          value={settings.variations}
          most={100_000}
          fewer={t.newJob.fewer}
          more={t.newJob.more}
          onChange={(variations) => app.choose({ variations })}
        />
      </Setting>
      <Setting label={t.jobsSettings.several} stacked>
        <Segments
          label={t.jobsSettings.several}
          value={settings.grouping}
          options={[
            { value: 'together', label: t.newJob.together },
            { value: 'separate', label: t.newJob.separate },
          ]}
          onChoose={(grouping) => app.choose({ grouping })}
        />
      </Setting>
      <Setting label={t.jobsSettings.done} stacked>
        <Segments
          label={t.jobsSettings.done}
          value={settings.doneFiles}
          options={[
            { value: 'skip', label: t.jobsSettings.skipDone },
            { value: 'again', label: t.jobsSettings.doAgain },
          ]}
          onChoose={(doneFiles) => app.choose({ doneFiles })}
        />
      </Setting>
      <Setting label={t.jobsSettings.interrupted} stacked>
        <Segments
          label={t.jobsSettings.interrupted}
          value={settings.interrupted}
          options={[
            { value: 'resume', label: t.jobsSettings.resume },
            { value: 'ask', label: t.jobsSettings.askFirst },
          ]}
          onChoose={(interrupted) => app.choose({ interrupted })}
        />
      </Setting>
      <Setting label={t.jobsSettings.dropped} stacked>
        <div class="check-list" role="radiogroup" aria-label={t.jobsSettings.dropped}>
          <QuickDrop value="ask" label={t.jobsSettings.ask} hint={t.jobsSettings.askHint} />
          <QuickDrop value="startAtOnce" label={t.jobsSettings.atOnce} hint={t.jobsSettings.atOnceHint} />
        </div>
      </Setting>
    </>
  )
}

type QuickDropProps = { readonly value: 'ask' | 'startAtOnce'; readonly label: string; readonly hint: string }

function QuickDrop({ value, label, hint }: QuickDropProps) {
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
