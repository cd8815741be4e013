import type { App, BrowserWindow, Clipboard, Dialog, NativeImage, Shell } from 'electron'
import type { Events, Handlers, WebPage } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Core } from '../../core/index.ts'

/** What the handlers work with. Electron's modules come in from outside, so that none is reached for twice. */
export type HandlerDeps = {
  readonly core: Core
  readonly app: App
  readonly dialog: Dialog
  readonly shell: Shell
  readonly clipboard: Clipboard
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly t: () => Translation
  /** Dialogs belong to it; undefined while there is none. */
  readonly window: () => BrowserWindow | undefined
  readonly pageIsReady: () => void
  readonly send: <Name extends keyof Events>(name: Name, event: Events[Name]) => void
  readonly stayOpen: () => void
  readonly trayShown: () => boolean
  /** A picture under the pointer while a result is dragged out. */
  readonly dragIcon: (path: string) => Promise<NativeImage>
  /** Pasted images that have no file are kept here. */
  readonly pasteFolder: string
  readonly log: (message: string) => void
  /** Rooms with calls of their own. */
  readonly presets: Handlers['presets']
  readonly drive: Handlers['drive']
  readonly watch: Omit<Handlers['watch'], 'chooseFolder'>
  readonly updates: Handlers['updates']
  readonly diagnostics: { text(): Promise<string> }
}

/** Put in by scripts/build.ts; there is none when the sources are run as they are. */
declare const MEDIATRAY_HOME_PAGE: string | null

/** The web pages that the app names. `homePage` is that of whoever published this build. */
export const WEB_PAGES: Readonly<Record<WebPage, string | null>> = {
  homePage: typeof MEDIATRAY_HOME_PAGE === 'undefined' ? null : MEDIATRAY_HOME_PAGE,
  rclone: 'https://rclone.org/install/',
  gnomeTray: 'https://extensions.gnome.org/extension/615/appindicator-support/',
}
