/** The report: what is saved is what was shown, word for word. */
import { writeFile } from 'node:fs/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { askToSave } from './dialogs.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function diagnosticsHandlers(deps: HandlerDeps): Handlers['diagnostics'] {
  const { t, diagnostics } = deps
  /** What the person has seen and not saved yet. */
  let shown: string | undefined

  return {
    async preview() {
      shown = await diagnostics.text()
      return shown
    },
    async save() {
      const file = await askToSave(deps, {
        title: t().dialog.saveDiagnostics,
        defaultPath: 'mediatray-diagnostics.txt',
      })
      if (file === null) return null
      await writeFile(file, shown ?? (await diagnostics.text()))
      shown = undefined
      return { savedAs: file }
    },
  }
}
