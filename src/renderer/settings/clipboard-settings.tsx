import { useSignal } from '@preact/signals'
import { appsIn } from '../../shared/model/ignored-apps.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { clipboardPreset } from '../../shared/model/settings.ts'
import { presetsOf } from '../../shared/model/draft.ts'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { type App, useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { Setting, Switch } from './setting.tsx'
import { chooseShortcut, desktopHint, ShortcutField, shownShortcut } from './shortcut-field.tsx'

const BASIC = ''

export function ClipboardSettings() {
  const { app, t } = useSettingsView()
  const texts = t.jobsSettings
  const settings = app.state.settings.value
  // On Wayland, only the app in front can read the clipboard.
  const canWatch = !app.facts.desktopBindsShortcuts
  const shortcutHint = canWatch
    ? texts.clipboardHint
    : t.sentences([texts.clipboardHint, desktopHint(app, t)])
  return (
    <>
      <Setting label={texts.clipboardShortcut} hint={shortcutHint} for="clipboard-shortcut">
        <ShortcutField
          id="clipboard-shortcut"
          value={settings.clipboardShortcut}
          onChange={(keys) => chooseShortcut(app, 'clipboardShortcut', keys)}
        />
      </Setting>
      <Setting label={t.newJob.preset} for="clipboard-preset">
        <PresetPicker
          id="clipboard-preset"
          presets={presetsOf(clipboardPreset(settings, app.state.connection.value))}
          onChoose={([preset]) => app.choose({ clipboardPreset: preset ?? BASIC })}
          single
        />
      </Setting>
      <Setting
        label={texts.clipboardAutomatic}
        hint={canWatch ? texts.clipboardAutomaticHint : texts.clipboardNotAutomatic}
        for="clipboardAutomatic"
      >
        <Switch
          id="clipboardAutomatic"
          on={settings.clipboardAutomatic && canWatch}
          disabled={!canWatch}
          onChange={(clipboardAutomatic) => app.choose({ clipboardAutomatic })}
        />
      </Setting>
      {settings.clipboardAutomatic && canWatch && <IgnoredApps />}
    </>
  )
}

/** "Ctrl + Alt + C with Web 2048. Not automatic" */
export function clipboardSummary({ state }: App, t: SettingsTranslation): string {
  const settings = state.settings.value
  const { clipboardShortcut: keys, clipboardAutomatic: isAutomatic } = settings
  const texts = t.summaries
  if (keys === null && !isAutomatic) return texts.off
  const preset = presetName(clipboardPreset(settings, state.connection.value), t)
  const first =
    keys === null ? texts.noShortcut({ preset }) : texts.shortcut({ keys: shownShortcut(keys), preset })
  return texts.both({ first, second: isAutomatic ? texts.automatic : texts.notAutomatic })
}

/** The apps whose images automatic mode ignores. The list is saved when the user leaves the field or presses Enter. */
function IgnoredApps() {
  const app = useApp()
  const texts = useSettingsTranslation().jobsSettings
  const typed = useSignal<string | null>(null)
  const apps = app.state.settings.value.clipboardIgnoredApps
  const canTell = app.facts.canTellFrontApp
  function take(): void {
    if (typed.value === null) return
    app.choose({ clipboardIgnoredApps: [...appsIn(typed.value)] })
    typed.value = null
  }
  return (
    <Setting stacked label={texts.ignoredApps} for="ignored-apps">
      <input
        id="ignored-apps"
        class="field selectable"
        value={typed.value ?? apps.join(', ')}
        placeholder={texts.ignoredAppsExample}
        spellcheck={false}
        // The user can still clear a list that was entered on another computer.
        disabled={!canTell && apps.length === 0}
        aria-describedby="ignored-apps-hint"
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
      <p class="hint" id="ignored-apps-hint">
        {canTell ? texts.ignoredAppsHint : texts.ignoredAppsUnavailable}
      </p>
    </Setting>
  )
}
