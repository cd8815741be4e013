import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'
import './form-controls.css'

export type Option<Value extends string = string> = {
  readonly value: Value
  readonly label: string
  readonly icon?: IconName
  /** A note, or the reason why the option is disabled. */
  readonly why?: string
  readonly disabled?: boolean
  /** The icon's meaning, for screen readers. */
  readonly kind?: string
  /** Whether the option can't be combined with other options. */
  readonly alone?: boolean
}

export type OptionGroup<Value extends string = string> = {
  readonly label?: string
  readonly options: readonly Option<Value>[]
}

/** A styled native select. A group without a label follows a divider, unless it is the first one. */
export function Select<Value extends string>(props: {
  readonly id: string
  readonly value: Value
  readonly options?: readonly Option<Value>[]
  /** Used instead of `options`. */
  readonly groups?: readonly OptionGroup<Value>[]
  readonly onChoose: (value: Value) => void
  readonly label?: string
  readonly 'aria-invalid'?: boolean
  readonly 'aria-describedby'?: string
}) {
  const { id, value, options = [], groups = [{ options }], onChoose, label } = props
  const chosen = groups.flatMap(({ options }) => options).find((option) => option.value === value)
  return (
    <select
      class="select"
      id={id}
      value={value}
      aria-label={label}
      aria-invalid={props['aria-invalid']}
      aria-describedby={props['aria-describedby']}
      onChange={(event) => {
        const next = event.currentTarget.value as Value
        // The select is controlled: show the current value until the choice arrives through the state.
        event.currentTarget.value = value
        onChoose(next)
      }}
    >
      <button type="button">
        {chosen?.icon && <Icon name={chosen.icon} />}
        <span class="truncate">{chosen?.label ?? value}</span>
      </button>
      {groups.map((group, index) =>
        group.label === undefined ? (
          <>
            {index > 0 && <hr />}
            <Options options={group.options} />
          </>
        ) : (
          <optgroup key={group.label} label={group.label}>
            <legend>{group.label}</legend>
            <Options options={group.options} />
          </optgroup>
        ),
      )}
    </select>
  )
}

function Options({ options }: { readonly options: readonly Option[] }) {
  return (
    <>
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.disabled}>
          {option.icon && <Icon name={option.icon} />}
          <span class="option-label truncate">{option.label}</span>
          {option.why && <span class="option-reason">{option.why}</span>}
        </option>
      ))}
    </>
  )
}

/** A field for a positive whole number. Invalid input reverts to the last valid number. */
export function Stepper(props: {
  readonly id: string
  readonly value: number
  readonly most: number
  readonly fewer: string
  readonly more: string
  readonly describedBy?: string
  readonly onChange: (value: number) => void
}) {
  const { id, value, most, fewer, more, describedBy, onChange } = props
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

export function Segments<Value extends string>(props: {
  readonly id?: string
  readonly label: string
  readonly value: Value
  /** The labels of the values. */
  readonly options: Readonly<Record<Value, string>>
  readonly onChoose: (value: Value) => void
}) {
  const { id, label, value, options, onChoose } = props
  return (
    <span class="segments" id={id} role="radiogroup" aria-label={label}>
      {(Object.keys(options) as Value[]).map((option) => (
        <label key={option}>
          <input type="radio" name={label} checked={option === value} onChange={() => onChoose(option)} />
          <span>{options[option]}</span>
        </label>
      ))}
    </span>
  )
}

/** A checkbox with its label. */
export function Check(props: {
  readonly id?: string
  readonly label: ComponentChildren
  readonly class?: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly describedBy?: string | undefined
  readonly onChange: (checked: boolean) => void
}) {
  const { id, label, class: more = '', checked, disabled, describedBy, onChange } = props
  return (
    <label class={`check ${more}`}>
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
