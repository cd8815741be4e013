/** Everything that the page in the window gets: its files, its pictures, answers to its calls, and changes of the state. */
import { app, clipboard, dialog, ipcMain, protocol, session, shell } from 'electron'
import type { Handlers } from '../../shared/ipc/contract.ts'
import type { Core } from '../core/index.ts'
import type { Pictures } from '../thumbnails/thumbnails.ts'
import { feedChanges } from '../state/state.ts'
import { serveAppScheme } from './windows/app-protocol.ts'
import { dragIcon } from './ipc/drag-icon.ts'
import { createHandlers, type HandlerDeps } from './ipc/handlers.ts'
import { hardenSession } from './windows/hardening.ts'
import { wireIpc } from './ipc/register.ts'
import type { Places } from './paths.ts'
import { isOurPage } from './ipc/sender-check.ts'
import type { Surfaces } from './surfaces.ts'

export type PageOptions = Pick<
  HandlerDeps,
  'core' | 'platform' | 't' | 'stayOpen' | 'watch' | 'presets' | 'drive' | 'updates' | 'diagnostics' | 'log'
> & {
  readonly places: Places
  readonly pictures: Pictures
  readonly surfaces: () => Surfaces
}

/** A page is told at most ten times a second. */
const FEED_INTERVAL_MS = 100

export function servePage(options: PageOptions): Handlers {
  const { core, places, surfaces, log } = options
  const known = onlyKnown(core, options.pictures)
  const window = () => surfaces().window

  hardenSession(session.defaultSession)
  serveAppScheme(protocol, { rendererFolder: places.renderer, pictures: known })

  const handlers = createHandlers({
    ...options,
    app,
    dialog,
    shell,
    clipboard,
    window: () => window().current(),
    pageIsReady: () => window().pageIsReady(),
    send: (name, event) => window().send(name, event),
    trayShown: () => surfaces().tray.isShown(),
    dragIcon: (path) => dragIcon(path, known, places.appIcon),
    pasteFolder: places.pasted,
  })
  wireIpc({ ipcMain, handlers, isOurs: (event) => isOurPage(event, window().current()), t: options.t, log })
  feedChanges(core.state, {
    interval: FEED_INTERVAL_MS,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    send: (change) => window().send('stateChanged', change),
  })
  return handlers
}

/** Pictures are made only of files that the page was told of. */
const onlyKnown = (core: Core, pictures: Pictures): Pick<Pictures, 'thumbnail' | 'preview'> => ({
  thumbnail: async (path, pixels) =>
    core.knownPaths.has(path) ? pictures.thumbnail(path, pixels) : undefined,
  preview: async (path) => (core.knownPaths.has(path) ? pictures.preview(path) : undefined),
})
