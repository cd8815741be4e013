import { Button, LinkButton } from '../ui/button.tsx'
import { Segments, Select } from '../ui/form-controls.tsx'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { HistorySettings } from './history-settings.tsx'
import { VaultSettings } from './vault-settings.tsx'
import { Setting, SettingSwitch } from './setting.tsx'
import { chooseShortcut, ShortcutField } from './shortcut-field.tsx'
import { neverUpdates, UpdatesSetting } from './updates-setting.tsx'

const WHEN_DONE = ['nothing', 'sound', 'quit', 'sleep'] as const
/** Returns the name of a language in that language. */
const nameOf = (language: string): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language

const whenDone = (value: string) => WHEN_DONE.find((choice) => choice === value) ?? 'nothing'

export function GeneralSettings() {
  return (
    <>
      <TraySettings />
      <LookSettings />
      <WorkSettings />
      <HistorySettings />
      <VaultSettings />
      <UpdateSettings />
      <AboutSettings />
    </>
  )
}

function TraySettings() {
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  const settings = app.state.settings.value
  return (
    <>
      <SettingSwitch name="startAtLogin" label={texts.startAtLogin} hint={texts.startAtLoginHint} />
      <SettingSwitch name="closeToTray" label={texts.closeToTray} hint={texts.closeToTrayHint} />
      <SettingSwitch name="showTray" label={texts.showTray} hint={texts.showTrayHint} />
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
  const texts = useSettingsTranslation().generalSettings
  const settings = app.state.settings.value
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
          onChoose={(appearance) => app.choose({ appearance })}
        />
      </Setting>
      <Setting label={texts.language} for="language">
        <Select
          id="language"
          value={settings.language}
          options={[
            { value: 'system', label: texts.system },
            ...app.facts.languages.map((value) => ({ value, label: nameOf(value) })),
          ]}
          onChoose={(language) => app.choose({ language })}
        />
      </Setting>
    </>
  )
}

function WorkSettings() {
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  const settings = app.state.settings.value
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
          onChange={(globalShortcut) => chooseShortcut(app, 'globalShortcut', globalShortcut)}
        />
      </Setting>
      <SettingSwitch name="keepAwake" label={texts.keepAwake} />
      <Setting label={texts.whenDone} for="when-done">
        <Select
          id="when-done"
          value={settings.whenDone}
          options={WHEN_DONE.map((value) => ({ value, label: texts[value] }))}
          onChoose={(value) => app.choose({ whenDone: whenDone(value) })}
        />
      </Setting>
    </>
  )
}

function UpdateSettings() {
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  return (
    <>
      {!neverUpdates(app.state.update.value) && (
        <SettingSwitch name="checkForUpdates" label={texts.updates} hint={texts.updatesHint} />
      )}
      <UpdatesSetting />
    </>
  )
}

function AboutSettings() {
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  return (
    <Setting label={texts.about} hint={texts.aboutHint({ version: app.facts.version })}>
      <Button label={texts.licences} onPress={() => void app.attempt(app.bridge.app.showLicences())} />
    </Setting>
  )
}
