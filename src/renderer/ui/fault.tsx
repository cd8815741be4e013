import { Icon } from './icon.tsx'

/** Says what is wrong with a field, which refers to the ID. Renders nothing without a text. */
export function Fault(props: {
  readonly id: string
  readonly text: string | null | undefined
  readonly class?: string
  readonly hasIcon?: boolean
}) {
  const { id, text, class: more = '', hasIcon = false } = props
  return (
    text && (
      <p class={`hint error ${more}`} id={id} role="alert">
        {hasIcon && <Icon name="warn" />}
        <span>{text}</span>
      </p>
    )
  )
}
