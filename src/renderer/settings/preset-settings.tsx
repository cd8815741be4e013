import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Select } from '../ui/form-controls.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import type { App } from '../store/app.ts'
import type { MenuEntry } from '../store/overlays.ts'
import { newPresetText, renamedPresetText, usePresetEditing } from './preset-editing.ts'
import type { PresetEditing } from './preset-editing.ts'

type EditingProps = { readonly with: PresetEditing }

/** The presets of the built-in service, each a JSON document that its schema checks when it is saved. */
export function PresetSettings() {
  const app = useApp()
  const t = useTranslation()
  const presets = usePresetEditing()
  return (
    <>
      <PaneHeader title={t.settings.presets} inSettings>
        <span class="hint hide-narrow">{t.connectionSettings.builtIn}</span>
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(anchor) => {
            app.overlays.menu.value = { label: t.actions.more, anchor, entries: menuEntries(app, presets) }
          }}
        />
      </PaneHeader>
      <div class="editor">
        <PresetLists with={presets} />
        <DocumentEditor with={presets} />
      </div>
      <SaveBar with={presets} />
    </>
  )
}

function menuEntries(app: App, { editing, begin, remove }: PresetEditing): readonly MenuEntry[] {
  const texts = app.t.value.presetSettings
  const current = editing.value
  const name = current?.replaces ?? ''
  return [
    {
      kind: 'item',
      label: texts.newPreset,
      icon: 'plus',
      run: () => begin(newPresetText(texts.newPreset)),
    },
    ...(current === null || name === ''
      ? []
      : [
          {
            kind: 'item',
            label: texts.duplicate,
            icon: 'copy',
            run: () => begin(renamedPresetText(current.text, texts.copyOf({ name }))),
          } as const,
          { kind: 'divider' } as const,
          { kind: 'item', label: texts.remove, icon: 'trash', run: () => remove(name) } as const,
        ]),
  ]
}

function PresetLists({ with: editing }: EditingProps) {
  const t = useTranslation()
  const presets = editing.presets.value
  return (
    <div class="presets">
      <div class="scroll">
        <PresetList
          with={editing}
          title={t.newJob.photos}
          presets={presets.filter(({ forPhotos }) => forPhotos)}
        />
        <PresetList
          with={editing}
          title={t.newJob.videos}
          presets={presets.filter(({ forVideos }) => forVideos)}
          videos
        />
        <PresetList
          with={editing}
          title={t.details.problems}
          presets={presets.filter(({ forPhotos, forVideos }) => !forPhotos && !forVideos)}
        />
        {presets.length === 0 && <p class="hint list-note">{t.presetSettings.none}</p>}
      </div>
      <div class="new">
        <Button
          label={t.presetSettings.newPreset}
          icon="plus"
          kind="quiet"
          onPress={() => editing.begin(newPresetText(t.presetSettings.newPreset))}
        />
      </div>
    </div>
  )
}

type PresetListProps = EditingProps & {
  readonly title: string
  readonly presets: readonly PresetDocument[]
  readonly videos?: boolean
}

function PresetList({ with: { editing, edit }, title, presets, videos = false }: PresetListProps) {
  if (presets.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {presets.map((preset) => (
          <li key={preset.name}>
            <button
              type="button"
              class="preset"
              aria-current={preset.name === editing.value?.replaces ? 'true' : undefined}
              onClick={() => edit(preset)}
            >
              <Icon name={preset.problems.length > 0 ? 'warn' : videos ? 'video' : 'photo'} />
              <span class="clip">{preset.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

function DocumentEditor({ with: { presets, editing, problems, edit, type } }: EditingProps) {
  const texts = useTranslation().presetSettings
  const current = editing.value
  const isWrong = problems.value.length > 0
  return (
    <div class="document">
      <div class="only-narrow">
        <Select
          id="preset-choice"
          label={texts.choose}
          value={current?.replaces ?? ''}
          groups={[{ options: presets.value.map(({ name }) => ({ value: name, label: name })) }]}
          onChoose={(name) => {
            const chosen = presets.value.find((preset) => preset.name === name)
            if (chosen) edit(chosen)
          }}
        />
      </div>
      {current !== null && (
        <textarea
          class="field mono"
          aria-label={texts.document}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'preset-problems' : undefined}
          spellcheck={false}
          value={current.text}
          onInput={(event) => type(event.currentTarget.value)}
        />
      )}
      {isWrong && (
        <ul id="preset-problems" class="problems" aria-label={texts.problems} role="status">
          {problems.value.map(({ field, message }) => (
            <li key={`${field} ${message}`} class="hint bad">
              <Icon name="warn" />
              <span>{field === '' ? message : texts.problem({ field, message })}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function SaveBar({ with: { editing, type, save } }: EditingProps) {
  const texts = useTranslation().presetSettings
  const current = editing.value
  const changed = current !== null && current.text !== current.stored
  return (
    <div class="submit">
      <div class="in">
        <p class="hint">{changed ? texts.unsaved : ''}</p>
        <Button
          label={texts.revert}
          kind="quiet"
          disabled={!changed}
          onPress={() => {
            if (current !== null) type(current.stored)
          }}
        />
        <Button label={texts.save} kind="main" disabled={!changed} onPress={() => void save()} />
      </div>
    </div>
  )
}
