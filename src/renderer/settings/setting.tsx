import type { ComponentChildren } from 'preact'
import type { Settings } from '../../shared/model/settings.ts'
import { useApp } from '../store/app.ts'
import './settings.css'

/** A setting: its label, hint and control. */
export function Setting(props: {
  readonly label: string
  /** ID of the control. If missing, the label is plain text. */
  readonly for?: string
  readonly hint?: ComponentChildren
  /** Gives the control the full width next to the label. */
  readonly stacked?: boolean
  readonly children: ComponentChildren
}) {
  const { label, for: id, hint, stacked = false, children } = props
  return (
    <div class={`setting ${stacked ? 'stacked' : ''}`}>
      {id === undefined ? <span class="label">{label}</span> : <label for={id}>{label}</label>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <div class="setting-control">{children}</div>
    </div>
  )
}

export function SwitchSetting(props: {
  readonly id: string
  readonly label: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  readonly hint?: ComponentChildren
}) {
  const { id, label, hint, on, onChange } = props
  return (
    <Setting label={label} for={id} hint={hint}>
      <Switch id={id} on={on} onChange={onChange} />
    </Setting>
  )
}

/** Names of the settings that are on or off. */
type SwitchedSetting = {
  [Name in keyof Settings]: Settings[Name] extends boolean ? Name : never
}[keyof Settings]

/** A switch that shows and changes a setting. */
export function SettingSwitch(props: {
  readonly name: SwitchedSetting
  readonly label: string
  readonly hint?: ComponentChildren
}) {
  const { name, label, hint } = props
  const app = useApp()
  return (
    <SwitchSetting
      id={name}
      label={label}
      hint={hint}
      on={app.state.settings.value[name]}
      onChange={(on) => app.choose({ [name]: on })}
    />
  )
}

export function Switch(props: {
  readonly id?: string
  readonly label?: string
  readonly on: boolean
  readonly disabled?: boolean
  readonly onChange?: (on: boolean) => void
}) {
  const { id, label, on, disabled, onChange } = props
  return (
    <input
      class="switch"
      type="checkbox"
      role="switch"
      id={id}
      aria-label={label}
      checked={on}
      disabled={disabled}
      onChange={(event) => onChange?.(event.currentTarget.checked)}
    />
  )
}
