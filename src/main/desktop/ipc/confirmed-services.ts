import { isLoopback } from '../../../shared/model/connection.ts'
import { usedServices } from '../../../shared/model/settings.ts'
import { parseBaseUrl } from '../../service-api/index.ts'
import type { MayReach, Page } from './page.ts'

const REACH = 1

/**
 * Asks before the first request to a new address. The page, an injected script or an imported file may name any address. The user therefore
 * confirms it in a dialog that the page can't draw. The default address and those of the services in the settings don't need confirmation.
 */
export function createMayReach({ settings, dialogs, t }: Pick<Page, 'settings' | 'dialogs' | 't'>): MayReach {
  /** Addresses that the user has confirmed. Contains full URLs, because a different program may serve a different path. */
  const confirmed = new Set<string>()

  return async (baseUrl) => {
    const parsed = parseBaseUrl(baseUrl)
    // The connection reports an invalid address.
    if (!parsed.ok) return true
    const { href, origin } = parsed.value
    if (confirmed.has(href) || usedServices(settings.view()).includes(href)) return true
    const button = await dialogs.ask({
      type: 'question',
      message: t().dialog.reachService({ address: href }),
      detail: isLoopback(new URL(origin).hostname)
        ? t().dialog.reachServiceDetail
        : t().dialog.reachHostDetail,
      buttons: [t().dialog.cancel, t().dialog.reach],
      defaultId: 0,
      cancelId: 0,
    })
    if (button === REACH) confirmed.add(href)
    return button === REACH
  }
}
