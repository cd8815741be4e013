import { useSignal } from '@preact/signals'
import { appsIn } from '../../shared/model/ignored-apps.ts'
import { clipboardPreset } from '../../shared/model/settings.ts'
import { presetsOf } from '../../shared/model/draft.ts'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { Setting } from './setting.tsx'
import { chooseShortcut, ShortcutField } from './shortcut-field.tsx'

const BASIC = ''

/** Settings for the clipboard. */
export function ClipboardSettings() {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.jobsSettings
  const settings = app.state.settings.value
  // On Wayland, only the app in front can read the clipboard.
  const canWatch = !app.facts.desktopBindsShortcuts
  return (
    <Setting label={texts.clipboard} stacked>
      <div class="control-row">
        <ShortcutField
          id="clipboard-shortcut"
          label={texts.clipboardShortcut}
          value={settings.clipboardShortcut}
          onChange={(keys) => chooseShortcut(app, 'clipboardShortcut', keys)}
        />
        <PresetPicker
          id="clipboard-preset"
          label={texts.clipboardPreset}
          presets={presetsOf(clipboardPreset(settings))}
          onChoose={([preset]) => app.choose({ clipboardPreset: preset ?? BASIC })}
          single
        />
      </div>
      <p class="hint">
        {texts.clipboardHint}
        {!canWatch && ` ${t.generalSettings.shortcutHintDesktop}`}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.clipboardAutomatic && canWatch}
          disabled={!canWatch}
          onChange={(event) => app.choose({ clipboardAutomatic: event.currentTarget.checked })}
        />
        <span>
          {texts.clipboardAutomatic}
          <span class="hint block">
            {canWatch ? texts.clipboardAutomaticHint : texts.clipboardNotAutomatic}
          </span>
        </span>
      </label>
      {settings.clipboardAutomatic && canWatch && <IgnoredApps />}
    </Setting>
  )
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
    <div class="check-detail">
      <label for="ignored-apps">{texts.ignoredApps}</label>
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
    </div>
  )
}
