import { useTranslation } from '../store/app.ts'
import { shortcutOf, shownShortcut } from './shortcut.ts'

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
