import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { contractNames } from '../../../src/shared/ipc/contract.ts'
import { FEWER_PROCESSES } from '../../stand-in/electron/fewer-processes.ts'
import type { Script } from './fake-bridge.ts'
import { buildPage, servePage } from './serve-page.ts'

const ARGUMENTS = [
  ...FEWER_PROCESSES,
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
/** The system's color settings. `contrast` and `dark contrast` ask for more contrast; `forced` is a contrast theme of Windows. */
export type Look = 'light' | 'dark' | 'contrast' | 'dark contrast' | 'forced'

export type Harness = {
  /** Shows the window with this script for its bridge, replacing the previous window. */
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
  let shown: Look | undefined
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(served.url)
  return {
    async open(script, size, look) {
      const { width, height } = page.viewportSize() ?? {}
      // Each change would draw the previous window again.
      if (size.width !== width || size.height !== height) await page.setViewportSize(size)
      if (shown !== look) {
        await page.emulateMedia({
          colorScheme: look.startsWith('dark') ? 'dark' : 'light',
          contrast: look.endsWith('contrast') ? 'more' : 'no-preference',
          forcedColors: look === 'forced' ? 'active' : 'none',
        })
      }
      shown = look
      // If the pointer still rested over the list from an earlier test, the list would not update.
      await page.mouse.move(0, 0)
      await page.evaluate(([played, names]) => window.play(JSON.parse(played), names), [
        JSON.stringify(script),
        contractNames,
      ] as const)
      return page
    },
    resize: (size) => page.setViewportSize(size),
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
