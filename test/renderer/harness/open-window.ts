import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
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
/** What the system asks for; `forced` is its high contrast. */
export type Look = 'light' | 'dark' | 'forced'

export type Harness = {
  /** Opens the window with a script behind it, in the place of what stood there before. */
  open(script: Script, size: Size, look: Look): Promise<Page>
  /** Everything that the page's console complained of since the last call. */
  complaints(): readonly string[]
  close(): Promise<void>
}

/** Debian's Chromium with the built page in it: one build, one browser and one page for all that is looked at. */
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
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return {
    async open(script, size, look) {
      served.play(script)
      await page.setViewportSize(size)
      await page.emulateMedia({
        colorScheme: look === 'dark' ? 'dark' : 'light',
        forcedColors: look === 'forced' ? 'active' : 'none',
      })
      // A pointer that rests somewhere from before would hold the list.
      await page.mouse.move(0, 0)
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
