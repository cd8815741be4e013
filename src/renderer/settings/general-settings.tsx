import { LinkButton } from '../ui/button.tsx'
import { useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { LanguageSetting } from './language-setting.tsx'
import { notificationSummary } from './notification-settings.tsx'
import { Setting, SettingSegments, SettingSwitch } from './setting.tsx'
import { chooseShortcut, desktopHint, ShortcutField } from './shortcut-field.tsx'
import { SubpageRow } from './subpage-row.tsx'

export function GeneralSettings() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const settings = app.state.settings.value
  return (
    <>
      <LookSettings />
      <TraySettings />
      <Setting
        label={texts.shortcut}
        hint={app.facts.desktopBindsShortcuts ? desktopHint(app, t) : texts.shortcutHint}
        for="shortcut"
      >
        <ShortcutField
          id="shortcut"
          value={settings.globalShortcut}
          onChange={(globalShortcut) => chooseShortcut(app, 'globalShortcut', globalShortcut)}
        />
      </Setting>
      <SubpageRow
        subpage="notifications"
        label={t.subpages.notifications}
        summary={notificationSummary(settings, t)}
      />
    </>
  )
}

function TraySettings() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const settings = app.state.settings.value
  return (
    <>
      <SettingSwitch name="startAtLogin" label={texts.startAtLogin} hint={texts.startAtLoginHint} />
      <SettingSwitch name="closeToTray" label={texts.closeToTray} hint={texts.closeToTrayHint} />
      <SettingSwitch name="showTray" label={texts.showTray} hint={texts.showTrayHint} />
      {settings.showTray && !app.facts.trayShown && (
        <p class="hint intro">
          {texts.noTray}
          {t.punctuation.betweenSentences}
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
  const texts = useSettingsTranslation().generalSettings
  return (
    <>
      <LanguageSetting />
      <SettingSegments
        name="appearance"
        label={texts.appearance}
        options={{ system: texts.system, light: texts.light, dark: texts.dark }}
      />
    </>
  )
}
