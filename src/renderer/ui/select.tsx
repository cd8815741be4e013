import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export type Option = {
  readonly value: string
  readonly label: string
  readonly icon?: IconName
  /** A remark, or the reason why it can't be chosen. */
  readonly why?: string
  readonly disabled?: boolean
}

export type OptionGroup = { readonly label?: string; readonly options: readonly Option[] }

type SelectProps = {
  readonly id: string
  readonly value: string
  readonly groups: readonly OptionGroup[]
  readonly onChoose: (value: string) => void
  readonly label?: string
  readonly invalid?: boolean
  readonly describedBy?: string
}

/** The platform's own select, styled. A group without a label stands below a line. */
export function Select({ id, value, groups, onChoose, label, invalid, describedBy }: SelectProps) {
  const chosen = groups.flatMap(({ options }) => options).find((option) => option.value === value)
  return (
    <select
      class="select"
      id={id}
      value={value}
      aria-label={label}
      aria-invalid={invalid ? true : undefined}
      aria-describedby={describedBy}
      onChange={(event) => {
        const next = event.currentTarget.value
        // What is on show is always what is known to be chosen; the choice comes back through the state.
        event.currentTarget.value = value
        onChoose(next)
      }}
    >
      <button type="button">
        {chosen?.icon && <Icon name={chosen.icon} />}
        <span class="clip">{chosen?.label ?? value}</span>
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
          <span class="text">{option.label}</span>
          {option.why && <span class="why">{option.why}</span>}
        </option>
      ))}
    </>
  )
}
