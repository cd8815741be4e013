import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { BrowserContext, Page } from 'playwright-core'
import { installBridge } from './fake-bridge.ts'
import type { Script } from './fake-bridge.ts'
import { buildPage, servePage } from './serve-page.ts'

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export type Size = { readonly width: number; readonly height: number }

export type Harness = {
  /** Opens the page with a script behind it; what stood there before is closed. */
  open(script: Script, size: Size, theme: 'light' | 'dark'): Promise<Page>
  /** Everything that the page's console complained of since the last call. */
  complaints(): readonly string[]
  close(): Promise<void>
}

/** Debian's Chromium with the built page in it. */
export async function startHarness(): Promise<Harness> {
  const profile = await mkdtemp(join(tmpdir(), 'mediatray-page-'))
  const folder = join(profile, 'page')
  await buildPage(folder)
  const served = await servePage(folder)
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ARGUMENTS,
    locale: 'en-GB',
  })
  let complaints: string[] = []
  return {
    async open(script, size, theme) {
      for (const page of context.pages()) await page.close()
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(String(error)))
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.addInitScript(installBridge, script)
      await page.goto(served.url)
      await page.locator('.window').waitFor()
      return page
    },
    complaints() {
      const all = complaints
      complaints = []
      return all
    },
    async close() {
      await context.close()
      await served.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
