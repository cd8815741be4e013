import { useEffect, useRef } from 'preact/hooks'
import { presetName } from '../../shared/i18n/sentences.ts'
import { useApp } from '../store/app.ts'
import { leaveStudio } from '../store/navigation.ts'
import { showSaved } from '../store/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { faultAt, faultId, useStudio } from './studio-context.ts'

export function StudioHeader() {
  const app = useApp()
  const { t, view, naming, document, savedAs } = useStudio()
  const { from } = app.route.studio.value
  const texts = t.studio
  return (
    <header class="pane-header studio-head">
      <IconButton
        icon="back"
        label={from === 'jobs' ? texts.backToDraft : texts.backToPresets}
        onPress={() => leaveStudio(app)}
      />
      {naming.value ? (
        <NameField />
      ) : (
        <h1 class="truncate">{presetName(document.name.value, app.t.value)}</h1>
      )}
      <Segments
        label={texts.view}
        value={view.value}
        options={{ form: texts.form, json: texts.json }}
        onChoose={(chosen) => (view.value = chosen)}
      />
      <IconButton
        icon="more"
        label={texts.more}
        onMenu={(anchor) => {
          const name = savedAs.peek()
          app.overlays.menu.value = {
            label: texts.more,
            anchor,
            entries: [
              { label: t.presetList.rename, icon: 'pencil', keys: 'F2', run: () => (naming.value = true) },
              {
                label: t.presetList.export,
                icon: 'up',
                disabled: name === null,
                run: () =>
                  void app
                    .attempt(app.bridge.presets.export(name))
                    .then((written) => showSaved(app, written)),
              },
            ],
          }
        }}
      />
    </header>
  )
}

/** Edits the name, which is a field of the document. */
function NameField() {
  const { document, naming, savedAs, t } = useStudio()
  const field = useRef<HTMLInputElement>(null)
  const name = document.name.value
  const isFaulty = faultAt(document.faults.value, 'name') !== undefined
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const end = (): void => {
    if (savedAs.peek() !== null && !isFaulty) naming.value = false
  }
  return (
    <>
      <h1 class="visually-hidden">{name}</h1>
      <input
        ref={field}
        id="preset-name"
        class="field selectable studio-name"
        value={name}
        maxLength={80}
        aria-label={t.label.name}
        aria-invalid={isFaulty}
        aria-describedby={isFaulty ? faultId('name') : undefined}
        onInput={(event) => document.change([{ path: 'name', value: event.currentTarget.value }])}
        onBlur={end}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          event.currentTarget.blur()
        }}
      />
    </>
  )
}
