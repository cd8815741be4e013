/** Serves the window's page: its files, thumbnails, IPC replies and state changes. */
import { ipcMain, protocol, session } from 'electron'
import { systemTiming } from '../../node/timing.ts'
import type { Handlers } from '../../shared/ipc/contract.ts'
import { feedChanges, type ChangeFeed, type StateStore } from '../state/state.ts'
import type { FileAccess } from '../core/index.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import { isOurPage, wireIpc } from './ipc/register.ts'
import type { Shell } from './shell.ts'
import { serveAppScheme, type AppSchemeOptions } from './windows/app-protocol.ts'
import { hardenSession } from './windows/hardening.ts'
import type { MainWindow } from './windows/main-window.ts'

/** Limits state updates to ten per second. */
const FEED_INTERVAL_MS = 100

export function servePage(
  handlers: Handlers,
  content: Omit<AppSchemeOptions, 'language'>,
  { window, t, log }: Pick<Shell, 'window' | 't' | 'log'>,
): void {
  hardenSession(session.defaultSession)
  serveAppScheme(protocol, { ...content, language: () => t().language })
  wireIpc({ ipcMain, handlers, isOurs: (event) => isOurPage(event, window.current()), t, log })
}

export const feedPage = (window: Pick<MainWindow, 'send'>, state: StateStore): ChangeFeed =>
  feedChanges(state, {
    interval: FEED_INTERVAL_MS,
    after: systemTiming.after,
    send: (change) => window.send('stateChanged', change),
  })

/** Creates thumbnails only for photos and videos that the page already knows. */
export function onlyKnown(
  access: Pick<FileAccess, 'toFile'>,
  thumbnails: Thumbnails,
): Pick<Thumbnails, 'thumbnail'> {
  return {
    async thumbnail(path, pixels) {
      const found = await access.toFile(path)
      return found.kind === 'allowed' ? thumbnails.thumbnail(path, pixels, found.identity) : undefined
    },
  }
}
