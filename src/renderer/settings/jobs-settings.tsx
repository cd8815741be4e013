import type { OutputTarget } from '../../shared/model/draft.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { Select } from '../ui/select.tsx'
import { Stepper } from '../ui/stepper.tsx'
import { chooseOutput, outputGroups, outputValue } from '../job-pane/output-choice.ts'
import { BASIC, presetGroups } from '../job-pane/preset-choice.ts'
import { useApp, useWords } from '../store/app.ts'
import { Setting } from './setting.tsx'

const NO_CONTENTS = { photos: 0, videos: 0 }
const AUTOMATIC = ''

/** What new jobs begin with, and what happens to files that are dropped on the tray or dock. */
export function JobsSettings() {
  const app = useApp()
  const { w } = useWords()
  const settings = app.state.settings.value
  const { presets } = app.state.connection.value
  const update = app.bridge.settings.update
  const output = settings.defaultOutput
  const groups = outputGroups(app, output ?? { kind: 'folder', path: '' })
  const saveOutput = (target: OutputTarget): Promise<unknown> =>
    app.attempt(update({ defaultOutput: target }))
  return (
    <>
      <Setting label={w.newJob.preset} for="default-preset" stacked>
        <Select
          id="default-preset"
          value={settings.defaultPreset ?? BASIC}
          groups={presetGroups(presets, NO_CONTENTS, settings.defaultPreset, w)}
          onChoose={(value) => void app.attempt(update({ defaultPreset: value === BASIC ? null : value }))}
        />
        <p class="hint">{w.jobsSettings.presetHint}</p>
      </Setting>
      <Setting label={w.newJob.saveTo} for="default-output" stacked>
        <div class="line">
          <Select
            id="default-output"
            value={output === null ? AUTOMATIC : outputValue(output)}
            groups={[
              { options: [{ value: AUTOMATIC, label: w.jobsSettings.automatic, icon: 'folder' }] },
              ...groups,
            ]}
            onChoose={(value) =>
              void (value === AUTOMATIC
                ? app.attempt(update({ defaultOutput: null }))
                : chooseOutput(app, value, saveOutput))
            }
          />
          <Button label={w.newJob.choose} onPress={() => void chooseOutput(app, 'choose', saveOutput)} />
        </div>
        {output?.kind === 'drive' && (
          <input
            class="field mono pick"
            aria-label={w.newJob.folderId}
            placeholder={w.newJob.folderId}
            value={output.folderId}
            onChange={(event) =>
              void saveOutput({ kind: 'drive', folderId: event.currentTarget.value.trim() })
            }
          />
        )}
      </Setting>
      <Setting label={w.newJob.variations} for="default-variations" stacked>
        <span>
          <Stepper
            id="default-variations"
            value={settings.variations}
            most={100_000}
            fewer={w.newJob.fewer}
            more={w.newJob.more}
            onChange={(variations) => void app.attempt(update({ variations }))}
          />
        </span>
      </Setting>
      <Setting label={w.jobsSettings.several} stacked>
        <span>
          <Segments
            label={w.jobsSettings.several}
            value={settings.grouping}
            options={[
              { value: 'together', label: w.newJob.together },
              { value: 'separate', label: w.newJob.separate },
            ]}
            onChoose={(grouping) => void app.attempt(update({ grouping }))}
          />
        </span>
      </Setting>
      <Setting label={w.jobsSettings.dropped} stacked>
        <div class="checks" role="radiogroup" aria-label={w.jobsSettings.dropped}>
          <QuickDrop value="ask" label={w.jobsSettings.ask} hint={w.jobsSettings.askHint} />
          <QuickDrop value="startAtOnce" label={w.jobsSettings.atOnce} hint={w.jobsSettings.atOnceHint} />
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
        onChange={() => void app.attempt(app.bridge.settings.update({ quickDrop: value }))}
      />
      <span>
        {label}
        <span class="hint block">{hint}</span>
      </span>
    </label>
  )
}
