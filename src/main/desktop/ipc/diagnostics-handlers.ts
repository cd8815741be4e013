/** The report: what is saved is what was shown, word for word. */
import { writeFile } from 'node:fs/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Dialogs } from '../dialogs.ts'

export type DiagnosticsHandlerDeps = {
  readonly diagnostics: { text(): Promise<string> }
  readonly dialogs: Pick<Dialogs, 'askToSave'>
  readonly t: () => Translation
}

export function diagnosticsHandlers({
  diagnostics,
  dialogs,
  t,
}: DiagnosticsHandlerDeps): Handlers['diagnostics'] {
  /** What the person has seen and not saved yet. */
  let shown: string | undefined

  return {
    async preview() {
      shown = await diagnostics.text()
      return shown
    },
    async save() {
      const file = await dialogs.askToSave({
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
