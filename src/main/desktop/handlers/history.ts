import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Handlers } from '../../../shared/ipc.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function historyHandlers(deps: HandlerDeps): Handlers['history'] {
  const { core, wording } = deps
  return {
    page({ query, offset, limit }) {
      const page = core.history.page(query, { offset, limit })
      core.knownFiles.learnTitles(page.records)
      return page
    },
    clear() {
      core.history.clear()
      core.historyChanged()
    },
    async save(format) {
      const options = {
        title: wording().say('dialog.saveHistory'),
        defaultPath: `mediatray-history.${format}`,
        filters: [{ name: format.toUpperCase(), extensions: [format] }],
      }
      const window = deps.window()
      const { filePath } = await (window === undefined
        ? deps.dialog.showSaveDialog(options)
        : deps.dialog.showSaveDialog(window, options))
      if (filePath === '') return null
      const pieces = format === 'json' ? core.history.exportJson() : core.history.exportCsv()
      await pipeline(Readable.from(pieces), createWriteStream(filePath))
      return { savedAs: filePath }
    },
  }
}
