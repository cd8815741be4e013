import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { inListOrder, MAX_STARRED } from '../../shared/preset/starred.ts'
import { faultWords, jsonFaultWords } from '../../shared/preset/fault-words.ts'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import type { PresetDocument, PresetLeftOut, PresetOverview } from '../../shared/model/built-in-service.ts'
import { useApp, useSettingsTranslation, useTranslation, type App } from '../store/app.ts'
import { connectionOf } from '../store/services.ts'
import { focusOnceShown } from '../store/focus.ts'
import { showStudio } from '../store/navigation.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { rowFor } from '../ui/scrolled-rows.ts'
import { Page } from './page.tsx'
import { listEntries, rowOf, undoPresets } from './preset-actions.ts'
import { PresetRow, RenameRow, usesOf } from './preset-row.tsx'
import { SubpageRow } from './subpage-row.tsx'
import { usePresetTranslation } from './translations.ts'
import './preset-settings.css'

/** The presets of the built-in service, or on a subpage the defaults that aren't in use. A click opens one in the studio. */
export function PresetSettings() {
  const app = useApp()
  const t = app.presets.words()
  const words = useSettingsTranslation()
  const overview = app.presets.overview.value
  const isSubpage = app.route.subpage.value === 'defaultPresets'
  // Reload when the service's preset list changes, for example after a file in its folder was edited.
  const offered = connectionOf(app, { service: 'builtIn' }).presets
  useEffect(() => {
    void app.presets.read()
  }, [offered])
  return isSubpage ? (
    <Page title={t?.presetList.defaults} subpageOf="presets">
      {t !== null && overview !== null && <Groups overview={overview} isSubpage />}
    </Page>
  ) : (
    <Page title={words.settings.presets} buttons={t !== null && <ListButtons />}>
      {t !== null && overview !== null && (
        <>
          <StarHint />
          <Report />
          <Groups overview={overview} isSubpage={false} />
        </>
      )}
    </Page>
  )
}

function ListButtons() {
  const app = useApp()
  const t = usePresetTranslation()
  return (
    <>
      <Button label={t.presetList.newPreset} icon="plus" onPress={() => showStudio(app, null)} />
      <IconButton
        icon="more"
        label={t.presetList.more}
        onMenu={(anchor) =>
          (app.overlays.menu.value = { label: t.presetList.title, anchor, entries: listEntries(app, t) })
        }
      />
    </>
  )
}

/** Shows where starred presets appear, and how many there are. */
function StarHint() {
  const app = useApp()
  const { sentences, punctuation } = useTranslation()
  const texts = usePresetTranslation().presetList
  const { starredPresets, pickedInFileManager } = app.state.settings.value
  const count = starredPresets.length
  const { platform, fileManagerMenu } = app.facts
  const hasMenu = fileManagerMenu === 'supported'
  const hint =
    count === 0
      ? texts[hasMenu ? 'starHintNone' : 'starHintNoneNoMenu']
      : sentences([
          texts[hasMenu ? 'starHint' : 'starHintNoMenu'],
          texts.starCount({ count, most: MAX_STARRED }),
        ])
  // macOS doesn't report whether an app's Quick Actions are turned on. A first use proves that they are.
  const mayBeOff = platform === 'darwin' && hasMenu && count > 0 && !pickedInFileManager
  return (
    <p class="star-hint hint">
      {hint}
      {fileManagerMenu === 'unsupported' && punctuation.betweenSentences + texts.fileManagerUnsupported}
      {fileManagerMenu === 'notInstalled' && punctuation.betweenSentences + texts.fileManagerNotInstalled}
      {mayBeOff && (
        <>
          {punctuation.betweenSentences}
          <LinkButton
            label={texts.turnOnInFinder}
            onPress={() => void app.attempt(app.bridge.presets.turnOnInFinder())}
          />
        </>
      )}
    </p>
  )
}

/** Height of a row in px, used by the Page keys. */
const ROW_HEIGHT = 52

function Groups(props: { readonly overview: PresetOverview; readonly isSubpage: boolean }) {
  const { overview, isSubpage } = props
  const app = useApp()
  const t = usePresetTranslation()
  const words = useSettingsTranslation()
  const renaming = useSignal<string | null>(null)
  const focused = useSignal<string | null>(null)
  const { own, defaults } = inListOrder(overview.documents)
  // A row stays where it is when the user stars it, or comes back to it from the studio.
  const { preset: visited } = app.route.studio.peek()
  const used = useMemo(
    () =>
      new Set(
        defaults.filter((preset) => isInUse(app, preset, t) && !(isSubpage && preset.name === visited)),
      ),
    [isSubpage, overview.documents],
  )
  const inUse = defaults.filter((preset) => used.has(preset))
  const others = defaults.filter((preset) => !used.has(preset))
  const rows = isSubpage ? others : [...own, ...inUse]
  const stop = rows.find(({ name }) => name === focused.value) ?? rows[0]

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = rows.findIndex(({ name }) => name === focused.value)
    const to = rowFor(event, { at, last: rows.length - 1, viewHeight: innerHeight, rowHeight: ROW_HEIGHT })
    const row = to === undefined ? undefined : rows[to]
    if (row === undefined || !(event.target instanceof HTMLElement) || !event.target.matches('[data-preset]'))
      return
    event.preventDefault()
    focusOnceShown(rowOf(row.name))
  }

  const show = (preset: PresetDocument) =>
    renaming.value === preset.name ? (
      <RenameRow key={preset.name} preset={preset} onEnd={() => (renaming.value = null)} />
    ) : (
      <PresetRow
        key={preset.name}
        preset={preset}
        isStop={preset === stop}
        onFocus={() => (focused.value = preset.name)}
        onRename={(name) => {
          renaming.value = name
          // A copy of a default preset belongs to the user, so it is on the page, not on this subpage.
          if (!others.some((preset) => preset.name === name)) app.route.subpage.value = null
        }}
      />
    )

  return (
    <div class="preset-list" onKeyDown={onKeyDown}>
      {!isSubpage && overview.unsavedNew !== null && (
        <p class="callout info">
          <Icon name="pencil" />
          <span>{t.presetList.newUnsaved}</span>
          <LinkButton label={t.presetList.newPreset} onPress={() => showStudio(app, null)} />
        </p>
      )}
      {overview.documents.length === 0 && <p class="hint">{t.presetList.none}</p>}
      {isSubpage ? (
        <ul aria-label={t.presetList.defaults}>{others.map(show)}</ul>
      ) : (
        <>
          <Group title={t.presetList.yours} note={words.number(own.length)} presets={own} show={show} />
          <Group title={t.presetList.defaults} note={words.subpages.inUse} presets={inUse} show={show} />
          {others.length > 0 && (
            <SubpageRow
              subpage="defaultPresets"
              label={words.subpages.moreDefaults({ count: others.length })}
              summary={words.listed(others.map(({ name }) => name))}
            />
          )}
        </>
      )}
    </div>
  )
}

/** Whether a default preset has saved or unsaved changes, is starred, or is used by new jobs, waiting jobs or watched folders. */
const isInUse = (app: App, preset: PresetDocument, t: StudioTranslation): boolean =>
  preset.origin === 'changedDefault' ||
  preset.unsaved !== null ||
  app.state.settings.value.starredPresets.includes(preset.name) ||
  usesOf(app, preset.name, t) !== ''

function Group(props: {
  readonly title: string
  /** The number of presets, or a phrase such as "in use". */
  readonly note: string
  readonly presets: readonly PresetDocument[]
  readonly show: (preset: PresetDocument) => preact.JSX.Element
}) {
  const { title, note, presets, show } = props
  if (presets.length === 0) return null
  return (
    <>
      <h2>
        {title} <span class="numeric">{note}</span>
      </h2>
      <ul aria-label={title}>{presets.map(show)}</ul>
    </>
  )
}

/** The result of an import: the imported presets, and the reasons why others were left out. */
function Report() {
  const app = useApp()
  const report = app.presets.report.value
  const { punctuation } = useTranslation()
  const texts = usePresetTranslation().presetList
  if (report === null) return null
  const dismiss = (): void => {
    app.presets.report.value = null
  }
  const takeBack = (): void => {
    dismiss()
    void undoPresets(app)
  }
  return (
    <div class="preset-report" role="status">
      {report.taken.length > 0 && (
        <div class="callout info">
          <Icon name="check" />
          <span>
            <b>{texts.imported({ count: report.taken.length })}</b>
            {punctuation.betweenSentences}
            {report.taken.map(
              ({ name, was }) => was !== null && texts.renamed({ was, name }) + punctuation.betweenSentences,
            )}
          </span>
          <LinkButton label={texts.undo} onPress={takeBack} />
        </div>
      )}
      {report.leftOut.map((one, index) => (
        <div key={index} class="callout">
          <Icon name="warn" />
          <span>
            <b>
              {'moreThan' in one.reason
                ? texts.leftOutRest({ name: one.name })
                : texts.leftOut({ name: one.name })}
            </b>
            {punctuation.betweenSentences}
            <LeftOutWhy {...one} />
          </span>
        </div>
      ))}
      <LinkButton label={texts.dismiss} onPress={dismiss} />
    </div>
  )
}

function LeftOutWhy({ reason, line }: PresetLeftOut) {
  const t = usePresetTranslation()
  if ('moreThan' in reason)
    return <>{t.presetList.moreThan({ count: reason.moreThan, line: String(line) })}</>
  if ('json' in reason) return <>{jsonFaultWords(reason.json, t)}</>
  const message = faultWords(reason.field, t).replace(/[.]$/, '')
  return (
    <>
      {reason.field.path !== '' && <span class="mono">{reason.field.path}: </span>}
      {t.presetList.leftOutText({ message, line: String(line) })}
    </>
  )
}
