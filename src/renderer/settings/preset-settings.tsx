import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PresetDocument } from '../../shared/model/preset-document.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Select } from '../ui/select.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { newPresetText, renamedPresetText } from './new-preset.ts'

type Editing = { readonly replaces: string | null; readonly stored: string; readonly text: string }

/** The presets of the built-in service, each a JSON document that its schema checks when it is saved. */
export function PresetSettings() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.presetSettings
  const presets = useSignal<readonly PresetDocument[]>([])
  const editing = useSignal<Editing | null>(null)
  const problems = useSignal<PresetDocument['problems']>([])

  const read = async (): Promise<void> => {
    presets.value = (await app.attempt(app.bridge.presets.list())) ?? []
  }
  const edit = (preset: PresetDocument): void => {
    editing.value = { replaces: preset.name, stored: preset.text, text: preset.text }
    problems.value = preset.problems
  }
  useEffect(() => {
    void read().then(() => {
      const first = presets.peek()[0]
      if (first && editing.peek() === null) edit(first)
    })
  }, [])

  const begin = (text: string): void => {
    editing.value = { replaces: null, stored: '', text }
    problems.value = []
  }
  const save = async (): Promise<void> => {
    const current = editing.value
    if (current === null) return
    const { text, replaces } = current
    const saved = await app.attempt(app.bridge.presets.save({ text, replaces }))
    if (saved === undefined) return
    problems.value = saved.ok ? [] : saved.problems
    if (!saved.ok) return
    await read()
    const now = presets.value.find((preset) => preset.text.trim() === text.trim())
    if (now) edit(now)
    app.toasts.show({ text: t.toasts.presetSaved({ name: now?.name ?? '' }), actions: [] })
  }
  const remove = (name: string): void => {
    app.overlays.dialog.value = {
      kind: 'confirm',
      title: texts.removeTitle({ name }),
      text: texts.removeText,
      verb: texts.removeVerb,
      run: () =>
        void app.attempt(app.bridge.presets.remove(name)).then(async () => {
          await read()
          const next = presets.value[0]
          if (next) edit(next)
          else editing.value = null
        }),
    }
  }

  const current = editing.value
  const changed = current !== null && current.text !== current.stored
  return (
    <>
      <PaneHeader title={t.settings.presets} inSettings>
        <span class="hint hide-narrow">{t.connectionSettings.builtIn}</span>
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(anchor) => {
            app.overlays.menu.value = {
              label: t.actions.more,
              anchor,
              entries: [
                {
                  kind: 'item',
                  label: texts.newPreset,
                  icon: 'plus',
                  run: () => begin(newPresetText(texts.newPreset)),
                },
                ...(current?.replaces
                  ? [
                      {
                        kind: 'item',
                        label: texts.duplicate,
                        icon: 'copy',
                        run: () =>
                          begin(
                            renamedPresetText(current.text, texts.copyOf({ name: current.replaces ?? '' })),
                          ),
                      } as const,
                      { kind: 'divider' } as const,
                      {
                        kind: 'item',
                        label: texts.remove,
                        icon: 'trash',
                        run: () => remove(current.replaces ?? ''),
                      } as const,
                    ]
                  : []),
              ],
            }
          }}
        />
      </PaneHeader>
      <div class="editor">
        <div class="presets">
          <div class="scroll">
            <PresetList
              title={t.newJob.photos}
              presets={presets.value.filter(({ forPhotos }) => forPhotos)}
            />
            <PresetList
              title={t.newJob.videos}
              presets={presets.value.filter(({ forVideos }) => forVideos)}
              videos
            />
            <PresetList
              title={t.details.problems}
              presets={presets.value.filter(({ forPhotos, forVideos }) => !forPhotos && !forVideos)}
            />
            {presets.value.length === 0 && <p class="hint list-note">{texts.none}</p>}
          </div>
          <div class="new">
            <Button
              label={texts.newPreset}
              icon="plus"
              kind="quiet"
              onPress={() => begin(newPresetText(texts.newPreset))}
            />
          </div>
        </div>
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
              aria-invalid={problems.value.length > 0}
              aria-describedby={problems.value.length > 0 ? 'preset-problems' : undefined}
              spellcheck={false}
              value={current.text}
              onInput={(event) => {
                editing.value = { ...current, text: event.currentTarget.value }
              }}
            />
          )}
          {problems.value.length > 0 && (
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
      </div>
      <div class="submit">
        <div class="in">
          <p class="hint">{changed ? texts.unsaved : ''}</p>
          <Button
            label={texts.revert}
            kind="quiet"
            disabled={!changed}
            onPress={() => {
              if (current !== null) editing.value = { ...current, text: current.stored }
            }}
          />
          <Button label={texts.save} kind="main" disabled={!changed} onPress={() => void save()} />
        </div>
      </div>
    </>
  )

  function PresetList(props: {
    readonly title: string
    readonly presets: readonly PresetDocument[]
    readonly videos?: boolean
  }) {
    if (props.presets.length === 0) return null
    return (
      <>
        <h2>{props.title}</h2>
        <ul>
          {props.presets.map((preset) => (
            <li key={preset.name}>
              <button
                type="button"
                class="preset"
                aria-current={preset.name === current?.replaces ? 'true' : undefined}
                onClick={() => edit(preset)}
              >
                <Icon
                  name={preset.problems.length > 0 ? 'warn' : props.videos === true ? 'video' : 'photo'}
                />
                <span class="clip">{preset.name}</span>
              </button>
            </li>
          ))}
        </ul>
      </>
    )
  }
}
