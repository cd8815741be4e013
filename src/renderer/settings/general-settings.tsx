import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button, LinkButton } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { Select } from '../ui/select.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import type { App } from '../store/app.ts'
import { showSaved } from '../store/toasts.ts'
import { Setting, SwitchSetting } from './setting.tsx'
import { UpdatesSetting } from './updates-setting.tsx'
import { ShortcutField } from './shortcut-field.tsx'

const KEPT_DAYS = [30, 90, 365, 730] as const
const ALWAYS = 'always'
const WHEN_DONE = ['nothing', 'sound', 'quit', 'sleep'] as const
/** Languages are called as those who speak them call them. */
const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const

const whenDone = (value: string) => WHEN_DONE.find((choice) => choice === value) ?? 'nothing'
const language = (value: string) => LANGUAGES.find(([code]) => code === value)?.[0] ?? 'system'

export function GeneralSettings() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.generalSettings
  const settings = app.state.settings.value
  const update = app.bridge.settings.update
  return (
    <>
      <SwitchSetting
        id="start-at-login"
        label={texts.startAtLogin}
        hint={texts.startAtLoginHint}
        on={settings.startAtLogin}
        onChange={(startAtLogin) => void app.attempt(update({ startAtLogin }))}
      />
      <SwitchSetting
        id="close-to-tray"
        label={texts.closeToTray}
        hint={texts.closeToTrayHint}
        on={settings.closeToTray}
        onChange={(closeToTray) => void app.attempt(update({ closeToTray }))}
      />
      <SwitchSetting
        id="show-tray"
        label={texts.showTray}
        hint={texts.showTrayHint}
        on={settings.showTray}
        onChange={(showTray) => void app.attempt(update({ showTray }))}
      />
      {settings.showTray && !app.facts.trayShown && (
        <p class="hint intro">
          {texts.noTray}{' '}
          <LinkButton
            label={texts.howToTray}
            onPress={() => void app.attempt(app.bridge.app.openLink('gnomeTray'))}
          />
        </p>
      )}
      <Setting label={texts.appearance}>
        <Segments
          label={texts.appearance}
          value={settings.appearance}
          options={[
            { value: 'system', label: texts.system },
            { value: 'light', label: texts.light },
            { value: 'dark', label: texts.dark },
          ]}
          onChoose={(appearance) => void app.attempt(update({ appearance }))}
        />
      </Setting>
      <Setting label={texts.language} for="language">
        <div class="narrowish">
          <Select
            id="language"
            value={settings.language}
            groups={[
              {
                options: [
                  { value: 'system', label: texts.system },
                  ...LANGUAGES.map(([value, label]) => ({ value, label })),
                ],
              },
            ]}
            onChoose={(value) => void app.attempt(update({ language: language(value) }))}
          />
        </div>
      </Setting>
      <Setting label={texts.shortcut} hint={texts.shortcutHint} for="shortcut">
        <ShortcutField
          id="shortcut"
          value={settings.globalShortcut}
          onChange={(globalShortcut) => void app.attempt(update({ globalShortcut }))}
        />
      </Setting>
      <SwitchSetting
        id="keep-awake"
        label={texts.keepAwake}
        on={settings.keepAwake}
        onChange={(keepAwake) => void app.attempt(update({ keepAwake }))}
      />
      <Setting label={texts.whenDone} for="when-done">
        <div class="narrowish">
          <Select
            id="when-done"
            value={settings.whenDone}
            groups={[{ options: WHEN_DONE.map((value) => ({ value, label: texts[value] })) }]}
            onChoose={(value) => void app.attempt(update({ whenDone: whenDone(value) }))}
          />
        </div>
      </Setting>
      <HistorySetting />
      <Setting label={texts.keepFor} for="keep-history">
        <div class="narrowish">
          <Select
            id="keep-history"
            value={settings.keepHistoryDays === null ? ALWAYS : String(settings.keepHistoryDays)}
            groups={[
              {
                options: [
                  { value: ALWAYS, label: texts.always },
                  ...keptDays(settings.keepHistoryDays).map((days) => ({
                    value: String(days),
                    label: texts.days({ count: days }),
                  })),
                ],
              },
            ]}
            onChoose={(value) =>
              void app.attempt(update({ keepHistoryDays: value === ALWAYS ? null : Number(value) }))
            }
          />
        </div>
      </Setting>
      {app.state.update.value.status !== 'noSource' && (
        <SwitchSetting
          id="updates"
          label={texts.updates}
          hint={texts.updatesHint}
          on={settings.checkForUpdates}
          onChange={(checkForUpdates) => void app.attempt(update({ checkForUpdates }))}
        />
      )}
      <UpdatesSetting />
    </>
  )
}

/** The usual spans, and the one that is set if it is none of them. */
const keptDays = (set: number | null): readonly number[] =>
  [...new Set([...KEPT_DAYS, ...(set === null ? [] : [set])])].toSorted((a, b) => a - b)

function HistorySetting() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.generalSettings
  const known = useSignal<{ total: number; since: number | null } | null>(null)
  const version = app.state.historyVersion.value
  useEffect(() => {
    void readHistory(app).then((reading) => {
      known.value = reading
    })
  }, [version])
  const { total, since } = known.value ?? { total: 0, since: null }
  const jobs = t.count.jobs({ count: total })
  const date = (at: number): string => new Intl.DateTimeFormat(t.locale, { dateStyle: 'long' }).format(at)
  return (
    <Setting
      label={texts.history}
      hint={since === null ? jobs : texts.historySince({ jobs, date: date(since) })}
    >
      <div class="line">
        <button
          type="button"
          class="btn quiet"
          aria-haspopup="menu"
          disabled={total === 0}
          onClick={(event) => openSaveMenu(app, event.currentTarget)}
        >
          {texts.saveHistory}
        </button>
        <Button
          label={texts.clearHistory}
          disabled={total === 0}
          onPress={() => {
            app.overlays.dialog.value = {
              kind: 'confirm',
              title: texts.clearTitle,
              text: texts.clearText({ count: total }),
              verb: texts.clearVerb,
              run: () => void app.attempt(app.bridge.history.clear()),
            }
          }}
        />
      </div>
    </Setting>
  )
}

/** How many jobs there are, and when the oldest was made: the newest come first. */
async function readHistory(app: App): Promise<{ total: number; since: number | null } | null> {
  const first = await app.attempt(app.bridge.history.page({ query: {}, offset: 0, limit: 1 }))
  if (!first) return null
  if (first.total === 0) return { total: 0, since: null }
  const last = await app.attempt(app.bridge.history.page({ query: {}, offset: first.total - 1, limit: 1 }))
  return { total: first.total, since: last?.records[0]?.createdAt ?? null }
}

function openSaveMenu(app: App, anchor: HTMLElement): void {
  const t = app.t.value
  const save = async (format: 'json' | 'csv'): Promise<void> => {
    showSaved(app, await app.attempt(app.bridge.history.save(format)))
  }
  app.overlays.menu.value = {
    label: t.generalSettings.saveHistory,
    anchor,
    entries: [
      { kind: 'item', label: t.generalSettings.saveJson, run: () => void save('json') },
      { kind: 'item', label: t.generalSettings.saveCsv, run: () => void save('csv') },
    ],
  }
}
