import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

type ButtonProps = {
  readonly label: ComponentChildren
  readonly onPress: (event: MouseEvent) => void
  readonly icon?: IconName
  readonly kind?: 'plain' | 'main' | 'quiet' | 'risky'
  readonly large?: boolean
  readonly keys?: string
  readonly disabled?: boolean
  readonly class?: string
  readonly autofocus?: boolean
  readonly describedBy?: string
  readonly id?: string
}

/** Its label is a verb; there is one `main` button in a view. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', large = false, class: more = '' } = props
  return (
    <button
      type="button"
      id={props.id}
      class={`btn ${kind === 'plain' ? '' : kind} ${large ? 'large' : ''} ${more}`}
      disabled={props.disabled}
      autofocus={props.autofocus}
      aria-describedby={props.describedBy}
      onClick={props.onPress}
    >
      {props.icon && <Icon name={props.icon} />}
      {props.label}
      {props.keys && (
        <kbd class="hide-narrow" aria-hidden="true">
          {props.keys}
        </kbd>
      )}
    </button>
  )
}

type IconButtonProps = {
  readonly icon: IconName
  readonly label: string
  readonly onPress?: (event: MouseEvent) => void
  /** Opens a menu as soon as the pointer goes down, as menus do. */
  readonly onMenu?: (button: HTMLElement) => void
  readonly class?: string
  readonly current?: boolean
  readonly pressed?: boolean
  readonly skipTab?: boolean
}

export function IconButton(props: IconButtonProps) {
  const { onMenu, onPress } = props
  return (
    <button
      type="button"
      class={`btn icon ${props.class ?? 'quiet'}`}
      aria-label={props.label}
      title={props.label}
      aria-haspopup={onMenu ? 'menu' : undefined}
      aria-current={props.current ? 'page' : undefined}
      aria-pressed={props.pressed}
      tabIndex={props.skipTab ? -1 : undefined}
      onPointerDown={
        onMenu &&
        ((event: PointerEvent) => {
          if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return
          event.preventDefault()
          onMenu(event.currentTarget)
        })
      }
      onClick={(event: MouseEvent) => {
        // A click that a key made has no pointer before it.
        if (onMenu && event.detail === 0 && event.currentTarget instanceof HTMLElement)
          onMenu(event.currentTarget)
        onPress?.(event)
      }}
    >
      <Icon name={props.icon} />
    </button>
  )
}

type LinkButtonProps = {
  readonly label: ComponentChildren
  readonly onPress: () => void
  readonly title?: string
}

/** Inside sentences, and for paths. */
export function LinkButton({ label, onPress, title }: LinkButtonProps) {
  return (
    <button type="button" class="link" title={title} onClick={onPress}>
      {label}
    </button>
  )
}
