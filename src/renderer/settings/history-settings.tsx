import { Button } from '../ui/button.tsx'
import { useSettingsTranslation, settingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { showSaved } from '../store/toasts.ts'
import { Setting, SettingDays, SettingSwitch } from './setting.tsx'

/** Shows the size of the history, exports or deletes it, and sets how long it is kept and whether the space saved is shown. */
export function HistorySettings() {
  const texts = useSettingsTranslation().generalSettings
  return (
    <>
      <HistorySetting />
      <SettingDays
        id="keep-history"
        name="keepHistoryDays"
        label={texts.keepFor}
        usual={[30, 90, 365, 730]}
        always={texts.always}
        isAlwaysFirst
      />
      <SettingSwitch name="showSpaceSaved" label={texts.showSpaceSaved} />
    </>
  )
}

function HistorySetting() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const [known] = useRead(() => app.bridge.history.extent(), [app.state.historyVersion.value])
  const { total, since } = known.value ?? { total: 0, since: null }
  const jobs = t.count.jobs({ count: total })
  const date = (at: number): string => new Intl.DateTimeFormat(t.locale, { dateStyle: 'long' }).format(at)
  return (
    <Setting
      label={texts.history}
      hint={since === null ? jobs : texts.historySince({ jobs, date: date(since) })}
    >
      <div class="control-row">
        <button
          type="button"
          class="button quiet"
          aria-haspopup="menu"
          disabled={total === 0}
          onClick={(event) => openSaveMenu(app, event.currentTarget)}
        >
          {texts.saveHistory}
        </button>
        <Button
          id="clear-history"
          label={texts.clearHistory}
          disabled={total === 0}
          onPress={() => void askToClear(app, total)}
        />
      </div>
    </Setting>
  )
}

/** Asks before it deletes the history. If the vault holds replaced originals, mentions that it keeps them. */
async function askToClear(app: App, total: number): Promise<void> {
  const t = settingsTranslation(app)
  const texts = t.generalSettings
  const held = await app.attempt(app.bridge.vault.totals())
  const text = texts.clearText({ count: total })
  app.overlays.dialog.value = {
    kind: 'confirm',
    title: texts.clearTitle,
    text: held !== undefined && held.files > 0 ? t.sentences([text, texts.clearKeepsVault]) : text,
    verb: texts.clearVerb,
    run: () => void app.attempt(app.bridge.history.clear()),
  }
}

function openSaveMenu(app: App, anchor: HTMLElement): void {
  const t = settingsTranslation(app)
  const save = async (format: 'json' | 'csv'): Promise<void> => {
    showSaved(app, await app.attempt(app.bridge.history.save(format)))
  }
  app.overlays.menu.value = {
    label: t.generalSettings.saveHistory,
    anchor,
    entries: [
      { label: t.generalSettings.saveJson, run: () => void save('json') },
      { label: t.generalSettings.saveCsv, run: () => void save('csv') },
    ],
  }
}
