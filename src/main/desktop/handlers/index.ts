/** What the page may ask for, call by call. Each is one thing that a person does; the rooms do the work. */
import type { Handlers } from '../../../shared/ipc.ts'
import { appHandlers } from './app.ts'
import { askToOpen } from './ask-for-path.ts'
import { connectionHandlers } from './connection.ts'
import { diagnosticsHandlers } from './diagnostics.ts'
import { draftHandlers } from './draft.ts'
import { fileHandlers } from './files.ts'
import type { HandlerDeps } from './handler-deps.ts'
import { historyHandlers } from './history.ts'
import { outboxHandlers } from './outbox.ts'
import { workHandlers } from './work.ts'

export { HELP_LINKS, type HandlerDeps } from './handler-deps.ts'

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
    title: deps.wording().say('dialog.chooseWatched'),
    buttonLabel: deps.wording().say('dialog.choose'),
    defaultPath: deps.app.getPath('pictures'),
    properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
  })
  return path ?? null
}
