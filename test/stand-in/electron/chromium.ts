/**
 * One Chromium for all windows of the app. It starts with the first window and ends with the last. If the test shares a browser among
 * apps, each app has its own browser context there instead, which ends at the same times.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CdpLine, openCdpSocket } from './cdp-pipe.ts'
import { launchChromium } from './launch-chromium.ts'
import type { Record } from './record.ts'
import { isAlive } from './single-instance.ts'

export type ChromiumPage = {
  readonly cdp: CdpLine
  readonly browser: CdpLine
  readonly targetId: string
  readonly sessionId: string
  /** Called when the page is gone, regardless of what closed it. */
  onGone(listener: () => void): void
  close(): Promise<void>
}

export type Chromium = {
  openPage(): Promise<ChromiumPage>
  /** Ends the browser and its helper processes. */
  end(): Promise<void>
}

export type ChromiumOptions = {
  readonly executable: string
  /** WebSocket URL of a running browser to use; null: the app starts its own. */
  readonly shared: string | null
  /** The app's own folder, in which profiles are created and removed. */
  readonly profilesFolder: () => string
  readonly visible: boolean
  readonly record: Record
}

type Running = {
  readonly browser: CdpLine
  readonly session: (sessionId: string) => CdpLine
  /** Empty in the app's own browser. */
  readonly context: { readonly browserContextId?: string }
  readonly pages: Map<string, () => void>
  firstPage: string | null
  readonly ended: Promise<void>
  readonly kill: () => void
}

export function createChromium(options: ChromiumOptions): Chromium {
  let running: Promise<Running> | null = null
  let profiles = 0

  const forget = () => {
    running = null
    options.record.change({ debuggerPort: null, chromiumPid: null })
  }

  const start = async (): Promise<Running> => {
    removeDeadProfiles(options.profilesFolder())
    const profile = join(options.profilesFolder(), `chromium-${process.pid}-${profiles++}`)
    mkdirSync(profile, { recursive: true })
    const { executable, visible } = options
    const { child, endpoint, lines, kill, ...launched } = launchChromium({ executable, profile, visible })
    const ended = launched.ended.then(() => {
      forget()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    })
    options.record.change({
      debuggerPort: Number(new URL(await endpoint).port),
      chromiumPid: child.pid ?? null,
    })
    const pages = await followPages(lines.browser)
    const { targetInfos } = await lines.browser.send('Target.getTargets')
    const first = targetInfos.find((target) => target.type === 'page')
    return { ...lines, context: {}, pages, firstPage: first?.targetId ?? null, ended, kill }
  }

  /** Chromium removes the context when this process disconnects, regardless of why. */
  const enter = async (endpoint: string): Promise<Running> => {
    const { lines, ended, close } = await openCdpSocket(endpoint)
    const context = await lines.browser.send('Target.createBrowserContext', { disposeOnDetach: true })
    options.record.change({ debuggerPort: Number(new URL(endpoint).port) })
    const pages = await followPages(lines.browser)
    let left = false
    const leave = () => {
      if (left) return
      left = true
      forget()
      close()
    }
    return { ...lines, context, pages, firstPage: null, ended: ended.then(leave), kill: leave }
  }

  const closePage = async (chromium: Running, targetId: string) => {
    if (!chromium.pages.has(targetId)) return
    if (chromium.pages.size === 1) {
      chromium.pages.get(targetId)?.()
      return
    }
    await chromium.browser.send('Target.closeTarget', { targetId })
  }

  return {
    async openPage() {
      running ??= options.shared === null ? start() : enter(options.shared)
      const chromium = await running
      const { browser, pages } = chromium
      const targetId =
        chromium.firstPage ??
        (
          await browser.send('Target.createTarget', {
            url: 'about:blank',
            newWindow: true,
            // Otherwise, the page would have the focus even while the app's window doesn't.
            background: true,
            ...chromium.context,
          })
        ).targetId
      chromium.firstPage = null
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
      const listeners: (() => void)[] = []
      const gone = () => {
        if (!pages.delete(targetId)) return
        for (const listener of listeners) listener()
        if (pages.size === 0) chromium.kill()
      }
      pages.set(targetId, gone)
      void chromium.ended.then(gone)
      return {
        cdp: chromium.session(sessionId),
        browser,
        targetId,
        sessionId,
        onGone: (listener) => void listeners.push(listener),
        close: () => closePage(chromium, targetId),
      }
    },
    async end() {
      if (running === null) return
      const chromium = await running.catch(() => null)
      chromium?.kill()
      await chromium?.ended
    },
  }
}

/** Returns what to call when a page is gone; pages are added later. */
async function followPages(browser: CdpLine): Promise<Map<string, () => void>> {
  const pages = new Map<string, () => void>()
  browser.on('Target.targetDestroyed', ({ targetId }) => pages.get(targetId)?.())
  await browser.send('Target.setDiscoverTargets', { discover: true })
  return pages
}

/** Removes profiles of apps that were killed and couldn't remove them. */
function removeDeadProfiles(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const owner = Number(/^chromium-(\d+)-/.exec(name)?.[1])
    if (owner !== process.pid && !isAlive(owner))
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
}
