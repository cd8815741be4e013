import { useSignal } from '@preact/signals'
import { isNextToOriginals, type Draft, type DraftOutput } from '../../shared/model/draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { contentsOf } from '../store/draft-contents.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { chooseOutputFolder, OutputPicker } from '../pickers/output-picker.tsx'
import { SubfolderField } from '../pickers/subfolder-field.tsx'
import { OriginalsHint, originalsReasons } from './originals-hint.tsx'
import { announceReplacing, ReplaceNote } from './replace-note.tsx'
import { EstimateRow } from './estimate-row.tsx'
import { MoreOptions } from './more-options.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { ServicePicker } from '../pickers/service-picker.tsx'
import { EditPreset, PresetLine } from './preset-line.tsx'

export function DraftOptions({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const service = app.state.draftConnection.value
  const { update } = app.bridge.draft
  return (
    <>
      <ServicePicker
        id="service"
        service={draft.service}
        onChoose={(id) => void app.attempt(update({ service: id ?? null }))}
      />
      <label for="preset">{t.newJob.preset}</label>
      <div class="control-row">
        <PresetPicker
          id="preset"
          presets={draft.presets}
          service={service}
          contents={contentsOf(draft)}
          describedBy="preset-does"
          onChoose={(chosen) => void app.attempt(update({ presets: [...chosen] }))}
        />
        <EditPreset draft={draft} />
      </div>
      <PresetLine draft={draft} />
      {service.presets === null && <p class="field-column hint">{t.newJob.presetsUnknown}</p>}
      <Output draft={draft} />
      <MoreOptions draft={draft} />
      <EstimateRow draft={draft} />
    </>
  )
}

function Output({ draft }: { readonly draft: Draft }) {
  const app = useApp()
  const t = useTranslation()
  const { output } = draft
  async function take(next: DraftOutput): Promise<void> {
    await app.attempt(app.bridge.draft.update({ output: next }))
    if (next.kind === 'replace') announceReplacing(app, draft)
  }
  const hint = output.kind === 'replace' ? 'replace-note' : 'originals-hint'
  return (
    <>
      <label for="output">{t.newJob.saveTo}</label>
      <div class="control-row output-row">
        <OutputPicker
          id="output"
          output={output}
          originals={originalsReasons(app, draft)}
          describedBy={isNextToOriginals(output) ? hint : undefined}
          onTake={take}
        />
        {output.kind === 'folder' && (
          <Button label={t.newJob.choose} onPress={() => void chooseOutputFolder(app, take)} />
        )}
        {output.kind === 'beside' && (
          <SubfolderField
            subfolder={output.subfolder}
            onChange={(subfolder) => void take({ ...output, subfolder })}
          />
        )}
      </div>
      {output.kind === 'beside' && <OriginalsHint output={output} onTake={take} />}
      {output.kind === 'replace' && <ReplaceNote draft={draft} />}
      {output.kind === 'drive' && <DriveFolderField folderId={output.folderId} />}
    </>
  )
}

function DriveFolderField({ folderId }: { readonly folderId: string }) {
  const app = useApp()
  const t = useTranslation()
  const typed = useSignal<string | null>(null)
  const fromLink = useSignal(false)
  const { drive } = app.state.draftConnection.value
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
