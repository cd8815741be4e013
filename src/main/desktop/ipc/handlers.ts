/** What the page may ask for, call by call. Each is one thing that a person does; the rooms do the work. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { appHandlers } from './app-handlers.ts'
import { askToOpen } from './dialogs.ts'
import { connectionHandlers } from './service-handlers.ts'
import { diagnosticsHandlers } from './diagnostics-handlers.ts'
import { draftHandlers } from './draft-handlers.ts'
import { fileHandlers } from './file-handlers.ts'
import type { HandlerDeps } from './handler-deps.ts'
import { historyHandlers } from './history-handlers.ts'
import { outboxHandlers } from './outbox-handlers.ts'
import { workHandlers } from './work-handlers.ts'

export { WEB_PAGES, type HandlerDeps } from './handler-deps.ts'

export const createHandlers = (deps: HandlerDeps): Handlers => ({
  app: appHandlers(deps),
  updates: deps.updates,
  draft: draftHandlers(deps),
  work: workHandlers(deps),
  outbox: outboxHandlers(deps),
  history: historyHandlers(deps),
  files: fileHandlers(deps),
  connection: connectionHandlers(deps),
  settings: { update: (patch) => void deps.core.settings.update(patch) },
  presets: deps.presets,
  drive: deps.drive,
  watch: { ...deps.watch, chooseFolder: () => chooseWatched(deps) },
  diagnostics: diagnosticsHandlers(deps),
})

async function chooseWatched(deps: HandlerDeps): Promise<string | null> {
  const [path] = await askToOpen(deps, {
    title: deps.t().dialog.chooseWatched,
    buttonLabel: deps.t().dialog.choose,
    defaultPath: deps.app.getPath('pictures'),
    properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
  })
  return path ?? null
}
