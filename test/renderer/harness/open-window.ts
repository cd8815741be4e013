import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
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
  // Without tabs and an address bar, which the browser would draw again for each page that it loads.
  '--app=about:blank',
]

export type Size = { readonly width: number; readonly height: number }
/** The system's color preference; `forced` is high contrast. */
export type Look = 'light' | 'dark' | 'forced'

export type Harness = {
  /** Opens the window with this script for its bridge, replacing the previous page. */
  open(script: Script, size: Size, look: Look): Promise<Page>
  /** Resizes the window that was opened last. */
  resize(size: Size): Promise<void>
  /** Returns the console errors and uncaught exceptions since the last call. */
  complaints(): readonly string[]
  close(): Promise<void>
}

/** Starts Debian's Chromium with the built page: one build, one browser and one page for all tests. */
export async function startHarness(): Promise<Harness> {
  const profile = await mkdtemp(join(tmpdir(), 'mediatray-page-'))
  const folder = join(profile, 'page')
  await buildPage(folder)
  const served = await servePage(folder)
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ARGUMENTS,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = context.pages()[0] ?? (await context.newPage())
  let complaints: string[] = []
  let shown: { readonly size: Size; readonly look: Look } | undefined
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return {
    async open(script, size, look) {
      served.play(script)
      // Each change would draw the previous page again.
      if (shown?.size.width !== size.width || shown.size.height !== size.height)
        await page.setViewportSize(size)
      if (shown?.look !== look) {
        await page.emulateMedia({
          colorScheme: look === 'dark' ? 'dark' : 'light',
          forcedColors: look === 'forced' ? 'active' : 'none',
        })
      }
      shown = { size, look }
      // If the pointer still rested over the list from an earlier test, the list would not update.
      await page.mouse.move(0, 0)
      await page.goto(served.url)
      await page.locator('.window').waitFor()
      return page
    },
    async resize(size) {
      if (shown) shown = { ...shown, size }
      await page.setViewportSize(size)
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
