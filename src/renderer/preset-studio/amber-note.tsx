import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Warns about an effect on the file in the preview. The preset can still be saved: other files may not be affected. */
export function AmberNote(props: {
  readonly id?: string
  readonly words: string
  readonly wayOut: { readonly words: string; readonly onPress: () => void } | null
  /** `field-column`: below the control. `inline`: where the note is rendered. */
  readonly place: 'field-column' | 'inline'
}) {
  const { id, words, wayOut, place } = props
  return (
    <p class={`${place} hint warning`} id={id} role="status">
      <Icon name="warn" />
      <span>
        {words} {wayOut && <LinkButton label={wayOut.words} onPress={wayOut.onPress} />}
      </span>
    </p>
  )
}
