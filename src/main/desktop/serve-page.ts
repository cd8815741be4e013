/** Everything that the page in the window gets: its files, its thumbnails, answers to its calls, and changes of the state. */
import { ipcMain, protocol, session } from 'electron'
import type { Handlers } from '../../shared/ipc/contract.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import { feedChanges, type ChangeFeed, type StateStore } from '../state/state.ts'
import type { FileAccess } from '../core/index.ts'
import type { Previews } from '../preview/preview.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import { isOurPage, wireIpc } from './ipc/register.ts'
import { serveAppScheme } from './windows/app-protocol.ts'
import { hardenSession } from './windows/hardening.ts'
import type { MainWindow } from './windows/main-window.ts'

export type PageOptions = {
  readonly window: MainWindow
  readonly handlers: Handlers
  readonly thumbnails: KnownThumbnails
  readonly previews: Pick<Previews, 'pixels'>
  /** Absolute: the built page. */
  readonly rendererFolder: string
  readonly t: () => Translation
  readonly log: (message: string) => void
}

/** A page is told at most ten times a second. */
const FEED_INTERVAL_MS = 100

export function servePage({
  window,
  handlers,
  thumbnails,
  previews,
  rendererFolder,
  t,
  log,
}: PageOptions): void {
  hardenSession(session.defaultSession)
  serveAppScheme(protocol, { rendererFolder, thumbnails, previews, language: () => t().language })
  wireIpc({ ipcMain, handlers, isOurs: (event) => isOurPage(event, window.current()), t, log })
}

/** What the page is told of the state. */
export const feedPage = (window: Pick<MainWindow, 'send'>, state: StateStore): ChangeFeed =>
  feedChanges(state, {
    interval: FEED_INTERVAL_MS,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    send: (change) => window.send('stateChanged', change),
  })

export type KnownThumbnails = Pick<Thumbnails, 'thumbnail'>

/** Thumbnails are made only of photos and videos that the page was told of. */
export function onlyKnown(access: Pick<FileAccess, 'toFile'>, thumbnails: Thumbnails): KnownThumbnails {
  const isAllowed = async (path: string) => (await access.toFile(path)).kind === 'allowed'
  return {
    thumbnail: async (path, pixels) =>
      (await isAllowed(path)) ? thumbnails.thumbnail(path, pixels) : undefined,
  }
}
