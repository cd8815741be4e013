import { Button, LinkButton } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { Select } from '../ui/select.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { HistorySettings } from './history-settings.tsx'
import { Setting, SwitchSetting } from './setting.tsx'
import { neverUpdates, UpdatesSetting } from './updates-setting.tsx'
import { ShortcutField } from './shortcut-field.tsx'

const WHEN_DONE = ['nothing', 'sound', 'quit', 'sleep'] as const
/** Languages are called as those who speak them call them. */
const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const

const whenDone = (value: string) => WHEN_DONE.find((choice) => choice === value) ?? 'nothing'
const language = (value: string) => LANGUAGES.find(([code]) => code === value)?.[0] ?? 'system'

export function GeneralSettings() {
  return (
    <>
      <TraySettings />
      <LookSettings />
      <WorkSettings />
      <HistorySettings />
      <UpdateSettings />
      <AboutSettings />
    </>
  )
}

function TraySettings() {
  const app = useApp()
  const texts = useTranslation().generalSettings
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
    </>
  )
}

function LookSettings() {
  const app = useApp()
  const texts = useTranslation().generalSettings
  const settings = app.state.settings.value
  const update = app.bridge.settings.update
  return (
    <>
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
    </>
  )
}

function WorkSettings() {
  const app = useApp()
  const texts = useTranslation().generalSettings
  const settings = app.state.settings.value
  const update = app.bridge.settings.update
  return (
    <>
      <Setting
        label={texts.shortcut}
        hint={app.facts.desktopBindsShortcuts ? texts.shortcutHintDesktop : texts.shortcutHint}
        for="shortcut"
      >
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
    </>
  )
}

function UpdateSettings() {
  const app = useApp()
  const texts = useTranslation().generalSettings
  return (
    <>
      {!neverUpdates(app.state.update.value) && (
        <SwitchSetting
          id="updates"
          label={texts.updates}
          hint={texts.updatesHint}
          on={app.state.settings.value.checkForUpdates}
          onChange={(checkForUpdates) => void app.attempt(app.bridge.settings.update({ checkForUpdates }))}
        />
      )}
      <UpdatesSetting />
    </>
  )
}

function AboutSettings() {
  const app = useApp()
  const texts = useTranslation().generalSettings
  return (
    <Setting label={texts.about} hint={texts.aboutHint({ version: app.facts.version })}>
      <Button label={texts.licences} onPress={() => void app.attempt(app.bridge.app.showLicences())} />
    </Setting>
  )
}
