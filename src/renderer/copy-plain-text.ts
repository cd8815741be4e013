import { withoutMarks } from '../shared/i18n/direction.ts'

/** Copies selected text without the marks that isolate names, because programs don't accept an ID or a path with them. */
export const copyPlainText = (): void =>
  addEventListener('copy', (event) => {
    const { target, clipboardData } = event
    // Fields contain only the user's own text, and their selection isn't the document's.
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return
    const text = String(getSelection() ?? '')
    const plain = withoutMarks(text)
    if (plain === text) return
    clipboardData?.setData('text/plain', plain)
    event.preventDefault()
  })
