import type { ComponentChildren } from 'preact'
import './choice.css'

/** A large option of a radio group, with a hint and optional fields. */
export function Choice(props: {
  /** Name of the radio group. */
  readonly name: string
  readonly label: string
  readonly hint: ComponentChildren
  readonly checked: boolean
  /** Also called if the user confirms an option that is already selected. */
  readonly onChoose: () => void
  readonly children?: ComponentChildren
}) {
  const { name, label, hint, checked, onChoose, children } = props
  return (
    <div class="choice">
      <label class="check">
        <input type="radio" name={name} checked={checked} onClick={onChoose} />
        <span>
          <b>{label}</b>
          <span class="hint numeric">{hint}</span>
        </span>
      </label>
      {children}
    </div>
  )
}
