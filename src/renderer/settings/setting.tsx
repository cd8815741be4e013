import type { ComponentChildren } from 'preact'
import type { Settings } from '../../shared/model/settings.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { Segments, Select } from '../ui/form-controls.tsx'
import './settings.css'

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

export function SettingSwitch(props: {
  readonly name: SwitchedSetting
  readonly label: string
  readonly hint?: ComponentChildren
}) {
  const { name, ...texts } = props
  const app = useApp()
  return (
    <SwitchSetting
      id={name}
      {...texts}
      on={app.state.settings.value[name]}
      onChange={(on) => app.choose({ [name]: on })}
    />
  )
}

/** Names of the settings with a few named values. */
type ChosenSetting = 'appearance' | 'doneFiles' | 'grouping' | 'interrupted' | 'newJobChoices'

export function SettingSegments<Name extends ChosenSetting>(props: {
  readonly name: Name
  readonly label: string
  readonly hint?: string
  readonly options: Readonly<Record<Settings[Name], string>>
}) {
  const { name, label, hint, options } = props
  const app = useApp()
  return (
    <Setting label={label} hint={hint}>
      <Segments
        id={name}
        label={label}
        value={app.state.settings.value[name]}
        options={options}
        onChoose={(value) => app.choose({ [name]: value })}
      />
    </Setting>
  )
}

const FOREVER = 'forever'

/** Sets how long something is kept. Offers common numbers of days, and the current one. */
export function SettingDays(props: {
  readonly id: string
  readonly name: 'keepHistoryDays' | 'keepOriginalsDays'
  readonly label: string
  readonly usual: readonly number[]
  /** The option that keeps everything. */
  readonly always: string
  readonly isAlwaysFirst?: boolean
}) {
  const { id, name, label, usual, always, isAlwaysFirst = false } = props
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  const set = app.state.settings.value[name]
  const days = [...new Set([...usual, ...(set === null ? [] : [set])])]
    .toSorted((a, b) => a - b)
    .map((count) => ({ value: String(count), label: texts.days({ count }) }))
  const all = { value: FOREVER, label: always }
  return (
    <Setting label={label} for={id}>
      <Select
        id={id}
        value={set === null ? FOREVER : String(set)}
        options={isAlwaysFirst ? [all, ...days] : [...days, all]}
        onChoose={(value) => app.choose({ [name]: value === FOREVER ? null : Number(value) })}
      />
    </Setting>
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
