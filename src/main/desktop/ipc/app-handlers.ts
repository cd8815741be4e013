import type { Handlers } from '../../../shared/ipc/contract.ts'
import { HELP_LINKS, type HandlerDeps } from './handler-deps.ts'

export const appHandlers = (deps: HandlerDeps): Handlers['app'] => ({
  facts: () => ({
    platform: deps.platform,
    locale: deps.t().locale,
    version: deps.app.getVersion(),
    homeFolder: deps.app.getPath('home'),
    trayShown: deps.trayShown(),
  }),
  snapshot() {
    const snapshot = deps.core.state.snapshot()
    // After the answer is on its way: what waited for the page comes behind its first state.
    setImmediate(deps.pageIsReady)
    return snapshot
  },
  openLink: (name) => deps.shell.openExternal(HELP_LINKS[name]),
  copyText: (text) => deps.clipboard.writeText(text),
  dismissNotice: () => deps.core.notices.dismissDamage(),
  stayOpen: () => deps.stayOpen(),
  quit: () => deps.app.quit(),
})
