import { writeFile } from 'node:fs/promises'
import type { App, Clipboard, Shell } from 'electron'
import type { WebPage } from '../../../shared/ipc/arguments.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Core } from '../../core/index.ts'
import type { ChangeFeed } from '../../state/state.ts'
import type { Dialogs } from '../dialogs.ts'

export type AppHandlerDeps = {
  readonly app: Pick<App, 'getVersion' | 'getPath' | 'quit'>
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly feed: Pick<ChangeFeed, 'snapshot'>
  readonly notices: Core['notices']
  readonly tray: { isShown(): boolean }
  readonly window: { pageIsReady(): void }
  readonly integration: { stayOpen(): void; readonly desktopBindsShortcuts: boolean }
  readonly shell: Pick<Shell, 'openExternal' | 'openPath' | 'showItemInFolder'>
  readonly noticesFile: string
  readonly t: () => Translation
}

export const appHandlers = (deps: AppHandlerDeps): Handlers['app'] => ({
  facts: () => ({
    platform: deps.platform,
    locale: deps.t().locale,
    version: deps.app.getVersion(),
    homeFolder: deps.app.getPath('home'),
    trayShown: deps.tray.isShown(),
    desktopBindsShortcuts: deps.integration.desktopBindsShortcuts,
    hasHomePage: WEB_PAGES.homePage !== null,
  }),
  snapshot() {
    const snapshot = deps.feed.snapshot()
    // After the answer is on its way: what waited for the page comes behind its first state.
    setImmediate(() => deps.window.pageIsReady())
    return snapshot
  },
  async openLink(name) {
    const page = WEB_PAGES[name]
    if (page !== null) await deps.shell.openExternal(page)
  },
  async showLicences() {
    const trouble = await deps.shell.openPath(deps.noticesFile)
    // Without a program for texts the person can at least take the file.
    if (trouble !== '') deps.shell.showItemInFolder(deps.noticesFile)
  },
  copyText: (text) => deps.clipboard.writeText(text),
  dismissNotice: (kind) => deps.notices.dismissDamage(kind),
  stayOpen: () => deps.integration.stayOpen(),
  quit: () => deps.app.quit(),
})

/** Put in by scripts/build.ts; there is none when the sources are run as they are. */
declare const MEDIATRAY_HOME_PAGE: string | null

/** The web pages that the app names. `homePage` is that of whoever published this build. */
export const WEB_PAGES: Readonly<Record<WebPage, string | null>> = {
  homePage: typeof MEDIATRAY_HOME_PAGE === 'undefined' ? null : MEDIATRAY_HOME_PAGE,
  rclone: 'https://rclone.org/install/',
  gnomeTray: 'https://extensions.gnome.org/extension/615/appindicator-support/',
}

export type DiagnosticsHandlerDeps = {
  readonly diagnostics: { text(): Promise<string> }
  readonly dialogs: Pick<Dialogs, 'askToSave'>
  readonly t: () => Translation
}

/** The report: what is saved is what was shown, word for word. */
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
