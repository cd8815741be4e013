import type { Page } from 'playwright-core'
import type { Called } from './fake-bridge.ts'
import { fixtures } from './fixtures.ts'
import type { Fixture } from './fixtures.ts'
import { goTo } from './go-to.ts'
import type { Harness, Look, Size } from './open-window.ts'

export const WIDE = { width: 880, height: 640 }
export const NARROW = { width: 420, height: 560 }

export const fixture = (name: string): Fixture => {
  const found = fixtures[name]
  if (found === undefined) throw new Error(`There is no fixture ${name}`)
  return found
}

/** The window in a state of the design. */
export async function lookAt(
  harness: Harness,
  name: string,
  size: Size = WIDE,
  look: Look = 'light',
): Promise<Page> {
  const page = await harness.open(fixture(name).script, size, look)
  await goTo(page, fixture(name))
  return page
}

/** What the page has asked of the main process under this name, such as `draft.start`. */
export const calls = (page: Page, name: string): Promise<readonly Called[]> =>
  page.evaluate((wanted) => window.strings.calls.filter((call) => call.name === wanted), name)

/** The argument of each of those calls. */
export const argumentsOf = async (page: Page, name: string): Promise<readonly unknown[]> =>
  (await calls(page, name)).map(({ argument }) => argument)

export const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '')
