import { useSignal } from '@preact/signals'
import { type Draft, type OutputTarget, presetsOf } from '../../shared/model/draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Stepper } from '../ui/form-controls.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { contentsOf } from '../store/start-draft.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { chooseOutputFolder, OutputPicker } from '../pickers/output-picker.tsx'
import { EstimateRow } from './estimate-row.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { EditPreset, PresetLine } from './preset-line.tsx'
import './draft-options.css'

const MAX_VARIATIONS = 100_000
/** Above this number of results, the total turns amber. */
const MANY_RESULTS = 100

export function DraftOptions({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const { presets } = app.state.connection.value
  const update = app.bridge.draft.update
  const [preset = null] = draft.presets
  const takeOutput = (output: OutputTarget): Promise<unknown> => app.attempt(update({ output }))
  return (
    <>
      <label for="preset">{t.newJob.preset}</label>
      <div class="control-row">
        <PresetPicker
          id="preset"
          preset={preset}
          contents={contentsOf(draft)}
          onChoose={(chosen) => void app.attempt(update({ presets: presetsOf(chosen) }))}
        />
        <EditPreset preset={preset} />
      </div>
      <PresetLine preset={preset} />
      {presets === null && <p class="field-column hint">{t.newJob.presetsUnknown}</p>}
      <label for="output">{t.newJob.saveTo}</label>
      <div class="control-row">
        <OutputPicker id="output" output={draft.output} onTake={takeOutput} />
        {draft.output.kind === 'folder' && (
          <Button label={t.newJob.choose} onPress={() => void chooseOutputFolder(app, takeOutput)} />
        )}
      </div>
      {draft.output.kind === 'drive' && <DriveFolderField folderId={draft.output.folderId} />}
      <MoreOptions draft={draft} />
      <EstimateRow draft={draft} />
    </>
  )
}

/** Options that most jobs don't change. While collapsed, shows those that differ from the default. */
function MoreOptions({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const { moreOptions } = app
  return (
    <>
      <button
        type="button"
        class="more-options"
        aria-expanded={moreOptions.value}
        onClick={() => {
          moreOptions.value = !moreOptions.value
        }}
      >
        <Icon name="forward" class="small" />
        {t.newJob.moreOptions}
        {!moreOptions.value && draft.variations > 1 && (
          <span class="numeric"> {t.count.variations({ count: draft.variations })}</span>
        )}
      </button>
      {moreOptions.value && <Variations draft={draft} />}
    </>
  )
}

function Variations({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <>
      <label for="variations">{t.newJob.variations}</label>
      <div class="control-row">
        <Stepper
          id="variations"
          value={draft.variations}
          most={MAX_VARIATIONS}
          fewer={t.newJob.fewer}
          more={t.newJob.more}
          describedBy="variations-sum"
          onChange={(variations) => void app.attempt(app.bridge.draft.update({ variations }))}
        />
        <Sum draft={draft} />
      </div>
    </>
  )
}

function Sum({ draft }: { readonly draft: Draft }) {
  const t = useTranslation()
  const files = draft.source.kind === 'files' ? draft.source.items.length : null
  const count = (files ?? 0) * draft.variations
  const results = t.newJob.results({ count })
  return (
    <span id="variations-sum" class={`hint numeric ${count > MANY_RESULTS ? 'warning' : ''}`}>
      {files === null
        ? t.details.forEach({ count: draft.variations })
        : count > MANY_RESULTS
          ? t.newJob.large({ results })
          : t.newJob.sum({
              files: t.count.files({ count: files }),
              variations: draft.variations,
              results,
            })}
    </span>
  )
}

function DriveFolderField({ folderId }: { readonly folderId: string }) {
  const app = useApp()
  const t = useTranslation()
  const typed = useSignal<string | null>(null)
  const fromLink = useSignal(false)
  const { drive } = app.state.connection.value
  const notConnected = drive !== null && !drive.connected
  const value = typed.value ?? folderId
  const wrong = value !== '' && driveFolderId(value) === null
  const take = (text: string): void => {
    const id = driveFolderId(text)
    fromLink.value = id !== null && id !== text.trim()
    typed.value = fromLink.value ? id : text
    void app.attempt(app.bridge.draft.update({ output: { kind: 'drive', folderId: id ?? text.trim() } }))
  }
  return (
    <>
      <label for="drive-output">{t.newJob.folderId}</label>
      <input
        id="drive-output"
        class="field mono selectable"
        autocomplete="off"
        spellcheck={false}
        value={value}
        aria-invalid={notConnected || wrong}
        aria-describedby="drive-output-hint"
        onInput={(event) => take(event.currentTarget.value)}
      />
      <p id="drive-output-hint" class={`field-column hint ${notConnected || wrong ? 'error' : ''}`}>
        {(notConnected || wrong) && <Icon name="warn" />}
        <span>
          {notConnected ? (
            <>
              {t.newJob.driveNotConnected}{' '}
              <LinkButton
                label={t.newJob.checkAgain}
                onPress={() => void app.attempt(app.bridge.drive.status())}
              />
              .
            </>
          ) : wrong ? (
            t.newJob.notAFolderId
          ) : fromLink.value ? (
            t.newJob.fromLink
          ) : (
            t.newJob.folderIdHint
          )}
        </span>
      </p>
    </>
  )
}
