import { useTranslation } from '../store/app.ts'

type ShortcutFieldProps = {
  readonly id: string
  /** As Electron writes it, such as `Control+Alt+M`. */
  readonly value: string | null
  readonly onChange: (value: string | null) => void
}

/** Takes the keys that are pressed in it. */
export function ShortcutField({ id, value, onChange }: ShortcutFieldProps) {
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
