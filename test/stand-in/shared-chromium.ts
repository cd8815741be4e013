/** The test's connection to Chromium, and a browser that several apps share: starting one takes longer than starting an app. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core'
import { launchChromium } from './electron/launch-chromium.ts'

export type SharedChromium = {
  /** WebSocket URL for the apps. */
  readonly endpoint: string
  readonly connection: () => Promise<Browser>
}

/**
 * Starts a browser that ends with this process.
 * @param folder where its profile is created; the caller removes it
 */
export async function shareChromium(folder: string): Promise<SharedChromium> {
  const profile = mkdtempSync(join(folder, 'profile-'))
  const launched = launchChromium({ executable: '/usr/bin/chromium', profile, visible: false })
  const endpoint = await launched.endpoint
  const connected = connectTo(endpoint)
  return { endpoint, connection: () => connected }
}

/** @param address of a browser's debugging port, or its WebSocket URL */
export const connectTo = (address: string): Promise<Browser> =>
  chromium.connectOverCDP(address, { noDefaults: true })

const targetIds = new WeakMap<Page, Promise<string>>()

/** Waits for the page: Playwright learns about a new one after the app. */
export async function findPage(browser: Browser, targetId: string): Promise<Page> {
  const [context] = browser.contexts()
  if (context === undefined) throw new Error('Playwright has no browser context')
  const find = async () => {
    for (const candidate of context.pages()) {
      const known = targetIds.get(candidate) ?? targetIdOf(context, candidate)
      targetIds.set(candidate, known)
      if ((await known) === targetId) return candidate
    }
    return undefined
  }
  let found = await find()
  while (found === undefined) {
    const appeared = new Promise((resolve) => context.once('page', resolve))
    found = await find()
    if (found === undefined) await appeared
  }
  return found
}

async function targetIdOf(context: BrowserContext, page: Page): Promise<string> {
  try {
    const session = await context.newCDPSession(page)
    const { targetInfo } = await session.send('Target.getTargetInfo')
    await session.detach()
    return targetInfo.targetId
  } catch {
    // It was closed meanwhile.
    return ''
  }
}
