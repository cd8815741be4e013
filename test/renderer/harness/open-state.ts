import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Called, Script } from './fake-bridge.ts'
import { fixture } from './fixtures.ts'
import { goTo } from './go-to.ts'
import { startHarness, type Harness, type Look, type Size } from './open-window.ts'

export const WIDE = { width: 880, height: 640 }
export const NARROW = { width: 420, height: 560 }

let harness: Harness | null = null

/** Starts one browser for all tests of a file: starting one takes longer than most of them. */
export function shareBrowser(): void {
  beforeAll(async () => {
    harness = await startHarness()
  })
  afterEach(() => {
    expect(harness?.complaints()).toEqual([])
  })
  afterAll(() => harness?.close())
}

/** Opens the window with a script behind it. */
export function openScript(script: Script, size: Size = WIDE, look: Look = 'light'): Promise<Page> {
  if (harness === null) throw new Error('The browser is missing')
  return harness.open(script, size, look)
}

/** Opens the window in a state of the design. */
export async function openState(name: string, size?: Size, look?: Look): Promise<Page> {
  const page = await openScript(fixture(name).script, size, look)
  await goTo(page, fixture(name))
  return page
}

/** Resizes the window that was opened last. */
export const resize = (size: Size): Promise<void> | undefined => harness?.resize(size)

/** Changes slices of the state, as the main process would. */
export const change = (page: Page, slices: Partial<AppState>): Promise<void> =>
  page.evaluate((changed) => window.strings.change(changed), slices)

/** Calls that the page has made to the main process under this name, such as `draft.start`. */
export const calls = (page: Page, name: string): Promise<readonly Called[]> =>
  page.evaluate((wanted) => window.strings.calls.filter((call) => call.name === wanted), name)

/** The argument of each call that the page has made to the main process under this name. */
export const argumentsOf = async (page: Page, name: string): Promise<readonly unknown[]> =>
  (await calls(page, name)).map(({ argument }) => argument)

export const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '')
