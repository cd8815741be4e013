import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { faultWords, jsonFaultWords } from '../../shared/preset/fault-words.ts'
import type { StudioTranslation } from '../../shared/i18n/studio.ts'
import type { PresetDocument, PresetLeftOut, PresetOverview } from '../../shared/model/built-in-service.ts'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { focusSoon, showStudio } from '../store/navigation.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { listEntries, rowOf } from './preset-actions.ts'
import { PresetRow, RenamedRow } from './preset-row.tsx'

/** The presets of the built-in service, each in a row that says what it does; a click opens it in the studio. */
export function PresetSettings() {
  const app = useApp()
  const t = app.presets.words()
  const overview = app.presets.overview.value
  // A service that has read its folder again may have found others.
  const offered = app.state.connection.value.presets
  useEffect(() => {
    void app.presets.read()
  }, [offered])
  return (
    <>
      <PaneHeader title={useTranslation().settings.presets} inSettings>
        {t !== null && (
          <>
            <Button label={t.presetList.newPreset} icon="plus" onPress={() => showStudio(app, null)} />
            <IconButton
              icon="more"
              label={t.presetList.more}
              onMenu={(anchor) => {
                app.overlays.menu.value = { label: t.presetList.title, anchor, entries: listEntries(app, t) }
              }}
            />
          </>
        )}
      </PaneHeader>
      <div class="scroll">
        <div class="content">
          {t !== null && overview !== null && (
            <>
              <Report t={t} />
              <Groups overview={overview} t={t} />
            </>
          )}
        </div>
      </div>
    </>
  )
}

type GroupsProps = { readonly overview: PresetOverview; readonly t: StudioTranslation }

function Groups({ overview, t }: GroupsProps) {
  const app = useApp()
  const renaming = useSignal<string | null>(null)
  const focused = useSignal<string | null>(null)
  const folders = useWatchedPresets()
  const own = overview.documents.filter(({ origin }) => origin === 'own')
  const defaults = overview.documents.filter(({ origin }) => origin !== 'own')
  const rows = [...own, ...defaults]
  const stop = rows.find(({ name }) => name === focused.value) ?? rows[0]

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = rows.findIndex(({ name }) => name === focused.value)
    const next: Partial<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
    }
    const to = next[event.key]
    const row = to === undefined ? undefined : rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (row === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('.open')) return
    event.preventDefault()
    focusSoon(rowOf(row.name))
  }

  const rowFor = (preset: PresetDocument) =>
    renaming.value === preset.name ? (
      <RenamedRow
        key={preset.name}
        preset={preset}
        t={t}
        onEnd={() => {
          renaming.value = null
        }}
      />
    ) : (
      <PresetRow
        key={preset.name}
        preset={preset}
        t={t}
        folders={folders.get(preset.name) ?? 0}
        isStop={preset === stop}
        onFocus={() => {
          focused.value = preset.name
        }}
        onRename={(name) => {
          renaming.value = name
        }}
      />
    )

  return (
    <div class="preset-list" onKeyDown={onKeyDown}>
      {overview.unsavedNew !== null && (
        <p class="note calm">
          <Icon name="pencil" />
          <span>{t.presetList.newUnsaved}</span>
          <LinkButton label={t.presetList.newPreset} onPress={() => showStudio(app, null)} />
        </p>
      )}
      {rows.length === 0 && <p class="hint">{t.presetList.none}</p>}
      <Group title={t.presetList.yours} presets={own} rowFor={rowFor} />
      <Group title={t.presetList.defaults} presets={defaults} rowFor={rowFor} />
    </div>
  )
}

type GroupProps = {
  readonly title: string
  readonly presets: readonly PresetDocument[]
  readonly rowFor: (preset: PresetDocument) => preact.JSX.Element
}

function Group({ title, presets, rowFor }: GroupProps) {
  if (presets.length === 0) return null
  return (
    <>
      <h2>
        {title} <span class="num">{presets.length}</span>
      </h2>
      <ul aria-label={title}>{presets.map(rowFor)}</ul>
    </>
  )
}

/** How many watched folders use each preset. */
function useWatchedPresets(): ReadonlyMap<string, number> {
  const app = useApp()
  const folders = useSignal<ReadonlyMap<string, number>>(new Map())
  const { watchFolders } = app.state.settings.value
  useEffect(() => {
    const counts = new Map<string, number>()
    for (const { preset } of watchFolders)
      if (preset !== null) counts.set(preset, (counts.get(preset) ?? 0) + 1)
    folders.value = counts
  }, [watchFolders])
  return folders.value
}

/** What an import brought, and what it left out and why. */
function Report({ t }: { readonly t: StudioTranslation }) {
  const app = useApp()
  const report = app.presets.report.value
  if (report === null) return null
  const texts = t.presetList
  const dismiss = (): void => {
    app.presets.report.value = null
  }
  const takeBack = (): void => {
    dismiss()
    void app.attempt(app.bridge.presets.undo()).then(() => app.presets.read())
  }
  return (
    <div class="preset-report" role="status">
      {report.taken.length > 0 && (
        <div class="note calm">
          <Icon name="check" />
          <span>
            <b>{texts.imported({ count: report.taken.length })}</b>{' '}
            {report.taken.map(({ name, was }) => was !== null && `${texts.renamed({ was, name })} `)}
          </span>
          <LinkButton label={texts.undo} onPress={takeBack} />
        </div>
      )}
      {report.leftOut.map((one, index) => (
        <div key={index} class="note">
          <Icon name="warn" />
          <span>
            <b>{texts.leftOut({ name: one.name })}</b> <LeftOutWhy one={one} t={t} />
          </span>
        </div>
      ))}
      <LinkButton label={texts.dismiss} onPress={dismiss} />
    </div>
  )
}

function LeftOutWhy({
  one: { reason, line },
  t,
}: {
  readonly one: PresetLeftOut
  readonly t: StudioTranslation
}) {
  if ('json' in reason) return <>{jsonFaultWords(reason.json, t)}</>
  const message = faultWords(reason.field, t).replace(/[.]$/, '')
  return (
    <>
      {reason.field.path !== '' && <span class="mono">{reason.field.path}: </span>}
      {t.presetList.leftOutText({ message, line: String(line) })}
    </>
  )
}
