import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { askToSave } from './dialogs.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function historyHandlers(deps: HandlerDeps): Handlers['history'] {
  const { core, t } = deps
  return {
    page({ query, offset, limit }) {
      const page = core.history.page(query, { offset, limit })
      core.knownPaths.learnTitles(page.records)
      return page
    },
    clear() {
      core.history.clear()
    },
    async save(format) {
      const file = await askToSave(deps, {
        title: t().dialog.saveHistory,
        defaultPath: `mediatray-history.${format}`,
        filters: [{ name: format.toUpperCase(), extensions: [format] }],
      })
      if (file === null) return null
      const pieces = format === 'json' ? core.history.exportJson() : core.history.exportCsv()
      await pipeline(Readable.from(pieces), createWriteStream(file))
      return { savedAs: file }
    },
  }
}
