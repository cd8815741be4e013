import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isNextToOriginals, type Draft, type DraftOutput } from '../../shared/model/draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useView } from '../store/app.ts'
import { contentsOf } from '../store/draft-contents.ts'
import { showStudio } from '../store/navigation.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import { chooseOutputFolder, OutputPicker } from '../pickers/output-picker.tsx'
import { SubfolderField } from '../pickers/subfolder-field.tsx'
import { OriginalsHint, originalsReasons } from './originals-hint.tsx'
import { announceReplacing, ReplaceNote } from './replace-note.tsx'
import { EstimateRow } from './estimate-row.tsx'
import { DraftTiles } from './draft-tiles.tsx'
import { draftAsksForVariations, DraftVariations, PresetFolders, VariationsSum } from './variations.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { chosenTile, tilesOf } from '../pickers/tiles.ts'
import { ServicePicker } from '../pickers/service-picker.tsx'
import { EditPreset, PresetLine } from './preset-line.tsx'

export function DraftOptions({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const service = app.state.draftConnection.value
  const { update } = app.bridge.draft
  return (
    <>
      <ServicePicker
        id="service"
        service={draft.service}
        onChoose={(id) => void app.attempt(update({ service: id ?? null }))}
      />
      <Presets draft={draft} />
      {service.presets === null && <p class="field-column hint">{t.newJob.presetsUnknown}</p>}
      <Output draft={draft} />
      <EstimateRow draft={draft} />
    </>
  )
}

/** Chooses what the job does: tiles, or a field if the preset has no tile. */
function Presets({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const tiles = tilesOf(app)
  const chosen = chosenTile(draft, tiles)
  const isTiled = chosen !== undefined
  const asks = draftAsksForVariations(app, draft)
  const wasTiled = useRef(isTiled)
  useLayoutEffect(() => {
    // The answer may arrive after the user has moved on, for example to the folder.
    const isFocusLost = document.activeElement === document.body
    if (wasTiled.current && !isTiled && isFocusLost) document.getElementById('preset')?.focus()
    wasTiled.current = isTiled
  }, [isTiled])
  const picker = (
    <PresetPicker
      id="preset"
      presets={draft.presets}
      service={app.state.draftConnection.value}
      contents={contentsOf(draft)}
      describedBy={isTiled ? undefined : 'preset-does'}
      link={isTiled ? t.tasks.all : undefined}
      onChoose={(chosen) => void app.attempt(app.bridge.draft.update({ presets: [...chosen] }))}
    />
  )
  if (chosen !== undefined) {
    const edit = chosen.task === undefined ? app.presets.words()?.studio.edit : t.tasks.adjust
    return (
      <>
        <DraftTiles draft={draft} tiles={tiles} />
        <div class="tile-foot">
          {picker}
          {edit !== undefined && (
            <LinkButton id="edit-preset" label={edit} onPress={() => showStudio(app, chosen.preset)} />
          )}
        </div>
        {asks && (
          <div class="control-row full-width">
            <DraftVariations draft={draft} />
            <p class="hint">
              <VariationsSum draft={draft} />
            </p>
          </div>
        )}
      </>
    )
  }
  return (
    <>
      <label for="preset">{t.newJob.preset}</label>
      <div class="control-row">
        {picker}
        {asks && <DraftVariations draft={draft} />}
        <EditPreset draft={draft} />
      </div>
      <PresetLine draft={draft} />
      {draft.presets.length > 1 && <PresetFolders draft={draft} />}
    </>
  )
}

function Output({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
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
  const { app, t } = useView()
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
              {t.newJob.driveNotConnected}
              {t.punctuation.betweenSentences}
              <LinkButton
                label={t.newJob.checkAgain}
                onPress={() => void app.attempt(app.bridge.drive.status())}
              />
              {t.punctuation.period}
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
