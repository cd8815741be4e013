import type { ComponentChildren } from 'preact'

type SettingProps = {
  readonly label: string
  /** The control's id; without one the label is plain text. */
  readonly for?: string
  readonly hint?: string
  /** The control below or wide beside the label. */
  readonly stacked?: boolean
  readonly children: ComponentChildren
}

/** A line of the settings: what it is called, what it means, and the control. */
export function Setting({ label, for: id, hint, stacked = false, children }: SettingProps) {
  return (
    <div class={`set ${stacked ? 'stacked' : ''}`}>
      {id === undefined ? <span class="label">{label}</span> : <label for={id}>{label}</label>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="control">{children}</div>
    </div>
  )
}

type SwitchProps = {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

export function SwitchSetting({ id, label, hint, on, onChange }: SwitchProps) {
  return (
    <Setting label={label} for={id} {...(hint === undefined ? {} : { hint })}>
      <Switch id={id} on={on} onChange={onChange} />
    </Setting>
  )
}

type BareSwitchProps = {
  readonly id?: string
  readonly label?: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

export function Switch({ id, label, on, onChange }: BareSwitchProps) {
  return (
    <input
      class="switch"
      type="checkbox"
      role="switch"
      id={id}
      aria-label={label}
      checked={on}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
