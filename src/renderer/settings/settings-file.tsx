import { useSignal } from '@preact/signals'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import type { SettingsImportView } from '../../shared/model/settings-import.ts'
import { useSettingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { leaveSubpage } from '../store/navigation.ts'
import type { SettingsPage } from '../store/route.ts'
import { showSaved } from '../store/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageHeader } from './page.tsx'
import { importedPages, type ImportedPage } from './import-rows.ts'
import { Setting } from './setting.tsx'
import './settings-file.css'

export function SettingsFileSetting() {
  const { app, t } = useSettingsView()
  const texts = t.settingsFile
  async function save(): Promise<void> {
    const saved = await app.attempt(app.bridge.settings.export())
    if (saved === undefined || saved === null) return
    if ('unread' in saved) return app.toasts.show(texts.notExported({ names: t.listed(saved.unread) }))
    const { leftOut } = saved
    showSaved(app, saved, leftOut.length === 0 ? null : texts.leftOut({ names: t.listed(leftOut) }))
  }
  async function choose(): Promise<void> {
    const found = await app.attempt(app.bridge.settings.chooseImport())
    if (found === undefined || found === null) return
    if (found === 'notSettings') return app.toasts.show(texts.notSettings)
    if (importedPages(app, { t, rules: null }, found).length === 0)
      return app.toasts.show(texts.same, { detail: t.listed(leftOut(found, t)) || null })
    app.settingsImport.value = found
    app.route.subpage.value = 'importSettings'
    focusOnceShown('.import-table input')
  }
  return (
    <Setting label={texts.title} hint={texts.hint}>
      <div class="control-row wrap">
        <Button id="export-settings" label={texts.export} onPress={() => void save()} />
        <Button id="import-settings" label={texts.import} onPress={() => void choose()} />
      </div>
    </Setting>
  )
}

/** Shows what a file would change. Nothing changes before the user imports it. */
export function SettingsImportPage() {
  const { app, t } = useSettingsView()
  const found = app.settingsImport.value
  return (
    <>
      <PageHeader title={t.subpages.importSettings} subpageOf="advanced" />
      {found !== null && <Changes found={found} />}
    </>
  )
}

function Changes({ found }: { readonly found: SettingsImportView }) {
  const { app, t } = useSettingsView()
  const texts = t.settingsFile
  const left = useSignal<readonly SettingsPage[]>([])
  const pages = importedPages(app, { t, rules: app.ruleWords() }, found)
  const chosen = pages.filter(({ page }) => !left.value.includes(page))
  const count = chosen.reduce((sum, { rows }) => sum + rows.length, 0)
  const switchPage = (page: SettingsPage): void => {
    left.value = left.value.includes(page) ? left.value.filter((one) => one !== page) : [...left.value, page]
  }
  return (
    <>
      <div class="scroll-area">
        <div class="pane-content import-page">
          <p class="hint intro">{leadOf(app, t, found)}</p>
          <table class="import-table">
            <thead>
              <tr>
                <th scope="col">{texts.setting}</th>
                <th scope="col">{texts.now}</th>
                <th scope="col">{texts.next}</th>
              </tr>
            </thead>
            {pages.map((page) => (
              <PageRows
                key={page.page}
                page={page}
                isChosen={chosen.includes(page)}
                onSwitch={() => switchPage(page.page)}
              />
            ))}
          </table>
          {sentencesOf(found, t).map((sentence) => (
            <p key={sentence} class="hint import-note">
              <Icon name="lock" />
              {sentence}
            </p>
          ))}
        </div>
      </div>
      <footer class="import-foot">
        <span class="hint">{texts.canUndo}</span>
        <Button label={t.actions.cancel} large onPress={() => leaveSubpage(app)} />
        <Button
          label={texts.importCount({ count })}
          kind="primary"
          large
          disabled={count === 0}
          onPress={() => void importChosen(app, t, chosen, count)}
        />
      </footer>
    </>
  )
}

function PageRows(props: {
  readonly page: ImportedPage
  readonly isChosen: boolean
  readonly onSwitch: () => void
}) {
  const { page, isChosen, onSwitch } = props
  const t = useSettingsTranslation()
  return (
    <tbody class={isChosen ? '' : 'left'}>
      <tr>
        <th scope="rowgroup" colSpan={3}>
          <label class="check">
            <input type="checkbox" id={`import-${page.page}`} checked={isChosen} onChange={onSwitch} />
            <b>{t.settings[page.page]}</b> <span class="numeric">{t.number(page.rows.length)}</span>
          </label>
        </th>
      </tr>
      {page.rows.map(({ label, now, next, isMissing }, index) => (
        <tr key={index}>
          <th scope="row">{label}</th>
          <td>{now}</td>
          <td>
            {isMissing ? (
              <span class="import-missing text-warning">
                <Icon name="warn" />
                <bdi>{next}</bdi>
              </span>
            ) : (
              <bdi>{next}</bdi>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  )
}

function leadOf(app: App, t: SettingsTranslation, found: SettingsImportView): string {
  const texts = t.settingsFile
  const { file, exported } = found
  if (exported === null) return texts.from({ file })
  return texts.fromComputer({ file, computer: exported.computer, date: t.day(exported.at, app.now()) })
}

function sentencesOf(found: SettingsImportView, t: SettingsTranslation): readonly string[] {
  const texts = t.settingsFile
  return [...found.off.map((what) => texts[`${what}Off`]), ...leftOut(found, t), texts.never]
}

/** Lists what this version can't import. */
function leftOut(
  { newer, unreadable }: SettingsImportView,
  { settingsFile: texts }: SettingsTranslation,
): readonly string[] {
  return [
    ...(newer.length > 0 ? [texts.newer({ count: newer.length })] : []),
    ...(unreadable.length > 0 ? [texts.unreadable({ count: unreadable.length })] : []),
  ]
}

async function importChosen(
  app: App,
  t: SettingsTranslation,
  pages: readonly ImportedPage[],
  count: number,
): Promise<void> {
  const names = pages.flatMap(({ counts }) => [...counts.keys()])
  const presets = pages.some(({ page }) => page === 'presets')
  const imported = await app.attempt(app.bridge.settings.import({ names: [...names], presets }))
  if (imported === undefined) return
  const { unsaved, unconfirmed } = imported
  const skipped = pages
    .flatMap(({ counts }) => [...counts])
    .filter(([name]) => !imported.names.includes(name))
    .reduce((sum, [, rows]) => sum + rows, unsaved.length)
  leaveSubpage(app)
  const texts = t.settingsFile
  const undo = {
    label: t.actions.undo,
    run: () => void app.attempt(app.bridge.settings.undoImport(), [undo]).then(() => app.presets.read()),
  }
  const left = [
    ...(unsaved.length === 0 ? [] : [texts.unsaved({ names: t.listed(unsaved) })]),
    ...(unconfirmed.length === 0 ? [] : [texts.unconfirmed({ names: t.listed(unconfirmed) })]),
  ]
  app.toasts.show(texts.imported({ count: count - skipped }), {
    detail: t.sentences(left) || null,
    actions: [undo],
  })
  await app.presets.read()
}
