import { Button, LinkButton } from '../ui/button.tsx'
import { Segments, Select } from '../ui/form-controls.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { HistorySettings } from './history-settings.tsx'
import { Setting, SwitchSetting } from './setting.tsx'
import { neverUpdates, UpdatesSetting } from './updates-setting.tsx'

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
  return (
    <>
      <SwitchSetting
        id="start-at-login"
        label={texts.startAtLogin}
        hint={texts.startAtLoginHint}
        on={settings.startAtLogin}
        onChange={(startAtLogin) => app.choose({ startAtLogin })}
      />
      <SwitchSetting
        id="close-to-tray"
        label={texts.closeToTray}
        hint={texts.closeToTrayHint}
        on={settings.closeToTray}
        onChange={(closeToTray) => app.choose({ closeToTray })}
      />
      <SwitchSetting
        id="show-tray"
        label={texts.showTray}
        hint={texts.showTrayHint}
        on={settings.showTray}
        onChange={(showTray) => app.choose({ showTray })}
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
            onChoose={(value) => app.choose({ language: language(value) })}
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
          onChange={(globalShortcut) => app.choose({ globalShortcut })}
        />
      </Setting>
      <SwitchSetting
        id="keep-awake"
        label={texts.keepAwake}
        on={settings.keepAwake}
        onChange={(keepAwake) => app.choose({ keepAwake })}
      />
      <Setting label={texts.whenDone} for="when-done">
        <div class="narrowish">
          <Select
            id="when-done"
            value={settings.whenDone}
            groups={[{ options: WHEN_DONE.map((value) => ({ value, label: texts[value] })) }]}
            onChoose={(value) => app.choose({ whenDone: whenDone(value) })}
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
          onChange={(checkForUpdates) => app.choose({ checkForUpdates })}
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

type ShortcutFieldProps = {
  readonly id: string
  /** As Electron writes it, such as `Control+Alt+M`. */
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

/** Takes the keys that are pressed in it. */
function ShortcutField({ id, value, onChange }: ShortcutFieldProps) {
  const t = useTranslation()
  return (
    <input
      id={id}
      class="field shortcut"
      readOnly
      placeholder={t.generalSettings.noShortcut}
      value={value === null ? '' : shownShortcut(value)}
      onKeyDown={(event) => {
        if (event.key === 'Tab' || event.key === 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        if (event.key === 'Backspace' || event.key === 'Delete') onChange(null)
        else {
          const pressed = shortcutOf(event)
          if (pressed !== null) onChange(pressed)
        }
      }}
    />
  )
}

type Pressed = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>

/** The key itself, whatever it writes with its modifiers: Option and M write "µ" on a Mac. */
const keyOf = (code: string): string | null =>
  /^Key([A-Z])$/.exec(code)?.[1] ??
  /^Digit(\d)$/.exec(code)?.[1] ??
  (/^F\d{1,2}$/.test(code) ? code : null) ??
  (code === 'Space' ? 'Space' : null)

/** Keys as Electron writes them; null for keys that can't be a shortcut in every app. */
export function shortcutOf(pressed: Pressed): string | null {
  const key = keyOf(pressed.code)
  const modifiers = [
    pressed.ctrlKey ? 'Control' : '',
    pressed.altKey ? 'Alt' : '',
    pressed.shiftKey ? 'Shift' : '',
    pressed.metaKey ? 'Super' : '',
  ].filter(Boolean)
  const strong = pressed.ctrlKey || pressed.altKey || pressed.metaKey
  return key === null || !strong ? null : [...modifiers, key].join('+')
}

/** "Ctrl + Alt + M" */
export const shownShortcut = (shortcut: string): string =>
  shortcut
    .split('+')
    .map((part) => (part === 'Control' ? 'Ctrl' : part))
    .join(' + ')
