import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

type StepperProps = {
  readonly id: string
  readonly value: number
  readonly most: number
  readonly fewer: string
  readonly more: string
  readonly describedBy?: string
  readonly onChange: (value: number) => void
}

/** A whole number from 1 up. Typing is allowed; what is no number goes back to the last one that was. */
export function Stepper({ id, value, most, fewer, more, describedBy, onChange }: StepperProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const set = (next: number): void => onChange(Math.min(most, Math.max(1, next)))
  const take = (text: string): void => {
    setTyped(text)
    if (/^\d+$/.test(text) && Number(text) >= 1) set(Number(text))
  }
  return (
    <span class="stepper">
      <button type="button" aria-label={fewer} disabled={value <= 1} onClick={() => set(value - 1)}>
        <Icon name="minus" class="small" />
      </button>
      <input
        id={id}
        inputMode="numeric"
        autocomplete="off"
        value={typed ?? String(value)}
        aria-describedby={describedBy}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          setTyped(null)
          set(value + (event.key === 'ArrowUp' ? 1 : -1))
        }}
      />
      <button type="button" aria-label={more} disabled={value >= most} onClick={() => set(value + 1)}>
        <Icon name="plus" class="small" />
      </button>
    </span>
  )
}
