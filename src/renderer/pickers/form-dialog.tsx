import type { ComponentChildren } from 'preact'
import { useTranslation } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** A wide dialog with a form, and the buttons that cancel and submit it. */
export function FormDialog(props: {
  readonly title: string
  readonly class?: string
  /** Label of the button that submits the form. */
  readonly submit: string
  readonly disabled?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const { title, class: name, submit, disabled = false, onSubmit, onClose, children } = props
  const t = useTranslation()
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form
        class={name}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        <div class="dialog-buttons">
          <Button label={t.actions.cancel} large onPress={onClose} />
          <Button submit label={submit} kind="primary" large disabled={disabled} />
        </div>
      </form>
    </Dialog>
  )
}
