import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

type AmberNoteProps = {
  readonly id?: string
  readonly words: string
  readonly wayOut: { readonly words: string; readonly onPress: () => void } | null
  /** Below the control, as wide as the form, or wherever it stands. */
  readonly place: 'wide' | 'here'
}

/** What may surprise about the file in the preview. The preset can be saved all the same: other files may fare better. */
export function AmberNote({ id, words, wayOut, place }: AmberNoteProps) {
  return (
    <p class={`${place} hint warn`} id={id} role="status">
      <Icon name="warn" />
      <span>
        {words} {wayOut && <LinkButton label={wayOut.words} onPress={wayOut.onPress} />}
      </span>
    </p>
  )
}
