/** The report: what is saved is what was shown, word for word. */
import { writeFile } from 'node:fs/promises'
import type { Handlers } from '../../../shared/ipc.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function diagnosticsHandlers(deps: HandlerDeps): Handlers['diagnostics'] {
  const { dialog, window, wording, diagnostics } = deps
  /** What the person has seen and not saved yet. */
  let shown: string | undefined

  return {
    async preview() {
      shown = await diagnostics.text()
      return shown
    },
    async save() {
      const options = {
        title: wording().say('dialog.saveDiagnostics'),
        defaultPath: 'mediatray-diagnostics.txt',
      }
      const over = window()
      const { filePath } = await (over === undefined
        ? dialog.showSaveDialog(options)
        : dialog.showSaveDialog(over, options))
      if (filePath === '') return null
      await writeFile(filePath, shown ?? (await diagnostics.text()))
      shown = undefined
      return { savedAs: filePath }
    },
  }
}
