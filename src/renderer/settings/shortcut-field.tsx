import { DESKTOP_ENTRY } from '../../shared/desktop-entry.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { type App, settingsTranslation, useSettingsTranslation } from '../store/app.ts'

/** Maps each of the two settings for shortcuts to the other one, which can't have the same keys. */
const OTHER = { globalShortcut: 'clipboardShortcut', clipboardShortcut: 'globalShortcut' } as const

export function chooseShortcut(app: App, name: keyof typeof OTHER, keys: string | null): void {
  const other = OTHER[name]
  if (keys === null || keys !== app.state.settings.value[other]) return app.choose({ [name]: keys })
  const texts = settingsTranslation(app).jobsSettings
  const taken = other === 'globalShortcut' ? texts.shortcutForNewJob : texts.shortcutForClipboard
  return app.toasts.show(taken({ shortcut: shownShortcut(keys) }))
}

const OWN_ENTRIES = '~/.local/share/applications'

/** Returns the hint about shortcuts that the desktop assigns. */
export function desktopHint({ facts }: Pick<App, 'facts'>, t: SettingsTranslation): string {
  const { shortcutHintDesktop, shortcutHintNotInstalled } = t.generalSettings
  if (!facts.desktopMayRefuseShortcuts) return shortcutHintDesktop
  return t.sentences([
    shortcutHintDesktop,
    shortcutHintNotInstalled({ file: DESKTOP_ENTRY, folder: OWN_ENTRIES }),
  ])
}

export function ShortcutField(props: {
  readonly id: string
  /** In Electron's format, such as `Control+Alt+M`. */
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}) {
  const { id, value, onChange } = props
  const t = useSettingsTranslation()
  return (
    <input
      id={id}
      class="field shortcut-field"
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

/** Returns the key regardless of the character it types: Option M types "µ" on a Mac. null for keys that shortcuts can't contain. */
const keyOf = (code: string): string | null =>
  /^Key([A-Z])$/.exec(code)?.[1] ??
  /^Digit(\d)$/.exec(code)?.[1] ??
  (/^F\d{1,2}$/.test(code) ? code : null) ??
  (code === 'Space' ? 'Space' : null)

/** Returns Electron's accelerator, or null for keys that can't be a global shortcut. */
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

/** Returns the shortcut as the window shows it, for example "Ctrl + Alt + M". */
export const shownShortcut = (shortcut: string): string =>
  shortcut
    .split('+')
    .map((part) => (part === 'Control' ? 'Ctrl' : part))
    .join(' + ')

/** Returns the shortcut in words; for null, the words for “no shortcut”. */
export const shortcutWords = (keys: string | null, t: SettingsTranslation): string =>
  keys === null ? t.generalSettings.noShortcut : shownShortcut(keys)
