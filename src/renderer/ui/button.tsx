import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import './button.css'

/** A button whose label is a verb. A view has at most one `primary` button. */
export function Button(props: {
  readonly label: ComponentChildren
  readonly onPress?: (event: MouseEvent) => void
  /** Opens a menu on pointer down, as native menus do. */
  readonly onMenu?: ((button: HTMLElement) => void) | undefined
  readonly submit?: boolean
  readonly icon?: IconName | undefined
  readonly kind?: 'plain' | 'primary' | 'quiet' | 'danger'
  readonly large?: boolean
  readonly keys?: string
  readonly disabled?: boolean
  /** Whether it can't be pressed for a moment. Unlike a disabled button, it keeps the focus. */
  readonly busy?: boolean
  readonly class?: string
  readonly autofocus?: boolean
  readonly describedBy?: string
  readonly id?: string
  readonly title?: string | undefined
  /** The accessible name, if the label alone is ambiguous. Starts with the label. */
  readonly name?: string
}) {
  const { kind = 'plain', large = false, class: more = '' } = props
  return (
    <button
      type={props.submit ? 'submit' : 'button'}
      id={props.id}
      class={`button ${kind === 'plain' ? '' : kind} ${large ? 'large' : ''} ${more}`}
      disabled={props.disabled}
      aria-disabled={props.busy ? true : undefined}
      title={props.title}
      aria-label={props.name}
      autofocus={props.autofocus}
      aria-describedby={props.describedBy}
      aria-haspopup={props.onMenu ? 'menu' : undefined}
      {...pressing(props)}
    >
      {props.icon && <Icon name={props.icon} />}
      {props.label}
      {props.onMenu && <Icon name="chevron" class="small" />}
      {props.keys && (
        <kbd class="hide-narrow" aria-hidden="true">
          {props.keys}
        </kbd>
      )}
    </button>
  )
}

/** Returns the handlers of a button that acts, opens a menu, or both. */
function pressing({
  busy,
  onMenu,
  onPress,
}: Pick<Parameters<typeof Button>[0], 'busy' | 'onMenu' | 'onPress'>) {
  if (busy === true) return {}
  if (onMenu === undefined) return { onClick: onPress }
  return {
    onPointerDown(event: PointerEvent): void {
      if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return
      event.preventDefault()
      onMenu(event.currentTarget)
    },
    onClick(event: MouseEvent): void {
      // A click from the keyboard isn't preceded by a pointer event.
      if (event.detail === 0 && event.currentTarget instanceof HTMLElement) onMenu(event.currentTarget)
      onPress?.(event)
    },
  }
}

export function IconButton(props: {
  readonly icon: IconName
  readonly label: string
  readonly onPress?: (event: MouseEvent) => void
  /** Opens a menu on pointer down, as native menus do. */
  readonly onMenu?: (button: HTMLElement) => void
  readonly class?: string
  readonly current?: boolean
  readonly pressed?: boolean
  readonly disabled?: boolean
  readonly skipTab?: boolean
}) {
  const { onMenu } = props
  return (
    <button
      type="button"
      class={`button icon-only ${props.class ?? 'quiet'}`}
      aria-label={props.label}
      title={props.label}
      aria-haspopup={onMenu ? 'menu' : undefined}
      aria-current={props.current ? 'page' : undefined}
      aria-pressed={props.pressed}
      disabled={props.disabled}
      tabIndex={props.skipTab ? -1 : undefined}
      {...pressing(props)}
    >
      <Icon name={props.icon} />
    </button>
  )
}

/** A button that looks like a link, for use in sentences and paths. */
export function LinkButton(props: {
  readonly id?: string
  readonly label: ComponentChildren
  readonly onPress: () => void
  readonly title?: string
  /** The accessible name, if the label alone is ambiguous. */
  readonly name?: string
  /** Whether the content that the button shows or hides is visible. */
  readonly expanded?: boolean
}) {
  const { id, label, onPress, title, name, expanded } = props
  const shared = { id, title, 'aria-label': name, 'aria-expanded': expanded }
  return (
    <button type="button" class="link" {...shared} onClick={onPress}>
      {label}
    </button>
  )
}
