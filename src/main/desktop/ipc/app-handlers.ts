import type { Handlers } from '../../../shared/ipc/contract.ts'
import { WEB_PAGES, type HandlerDeps } from './handler-deps.ts'

export const appHandlers = (deps: HandlerDeps): Handlers['app'] => ({
  facts: () => ({
    platform: deps.platform,
    locale: deps.t().locale,
    version: deps.app.getVersion(),
    homeFolder: deps.app.getPath('home'),
    trayShown: deps.trayShown(),
    hasHomePage: WEB_PAGES.homePage !== null,
  }),
  snapshot() {
    const snapshot = deps.core.state.snapshot()
    // After the answer is on its way: what waited for the page comes behind its first state.
    setImmediate(deps.pageIsReady)
    return snapshot
  },
  async openLink(name) {
    const page = WEB_PAGES[name]
    if (page !== null) await deps.shell.openExternal(page)
  },
  copyText: (text) => deps.clipboard.writeText(text),
  dismissNotice: () => deps.core.notices.dismissDamage(),
  stayOpen: () => deps.stayOpen(),
  quit: () => deps.app.quit(),
})
