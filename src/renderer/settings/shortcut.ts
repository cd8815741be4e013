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
