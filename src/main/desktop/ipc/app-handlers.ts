import { languages, translatedShares } from '../../../node/translation.ts'
import { USUAL_MODE, writeWhole } from '../../../node/write-file.ts'
import type { WebPage } from '../../../shared/ipc/arguments.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Page } from './page.ts'

export const appHandlers = (page: Page): Handlers['app'] => ({
  facts: async () => ({
    platform: page.platform,
    locale: page.app.getLocale(),
    version: page.app.getVersion(),
    homeFolder: page.app.getPath('home'),
    languages: languages(),
    trayShown: page.tray.isShown(),
    desktopBindsShortcuts: page.integration.desktopBindsShortcuts,
    desktopMayRefuseShortcuts: page.integration.desktopMayRefuseShortcuts,
    canTellFrontApp: await page.clipboardJobs.canTellFrontApp(),
    fileManagerMenu: page.fileManagerMenu,
    hasHomePage: WEB_PAGES.homePage !== null,
  }),
  translated: translatedShares,
  snapshot() {
    const snapshot = page.feed.snapshot()
    // Queued events must arrive after this snapshot.
    setImmediate(() => page.window.pageIsReady())
    return snapshot
  },
  async openLink(name) {
    const address = WEB_PAGES[name]
    if (address !== null) await page.shell.openExternal(address)
  },
  async showLicences() {
    const trouble = await page.openPath(page.noticesFile)
    // If no program opens text files, at least show the user where the file is.
    if (trouble !== '') page.shell.showItemInFolder(page.noticesFile)
  },
  copyText: (text) => page.clipboard.writeText(text),
  dismissNotice: (kind) => page.notices.dismissDamage(kind),
  stayOpen: () => page.integration.stayOpen(),
  quit: () => page.app.quit(),
})

/** Replaced by scripts/build.ts; undefined when running from source. */
declare const MEDIATRAY_HOME_PAGE: string | null

/** Web pages that the app links to. `homePage` is the page of the build's publisher. */
export const WEB_PAGES: Readonly<Record<WebPage, string | null>> = {
  homePage: typeof MEDIATRAY_HOME_PAGE === 'undefined' ? null : MEDIATRAY_HOME_PAGE,
  rclone: 'https://rclone.org/install/',
  gnomeTray: 'https://extensions.gnome.org/extension/615/appindicator-support/',
}

/** Handles the diagnostics report. Saves exactly the text that the user has reviewed, if there is one. */
export function diagnosticsHandlers({ diagnostics, dialogs, t }: Page): Handlers['diagnostics'] {
  /** The reviewed but unsaved report. */
  let shown: string | undefined

  return {
    async preview() {
      shown = await diagnostics()
      return shown
    },
    async save() {
      const file = await dialogs.askToSave({
        title: t().dialog.saveDiagnostics,
        defaultPath: 'mediatray-diagnostics.txt',
      })
      if (file === null) return null
      await writeWhole(file, shown ?? (await diagnostics()), USUAL_MODE)
      shown = undefined
      return { savedAs: file }
    },
  }
}
