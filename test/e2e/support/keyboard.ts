import type { Locator } from 'playwright-core'

/** More focus stops than any screen has. */
const MOST_STOPS = 60

/**
 * Moves the focus with Tab, as a user without a mouse would.
 * @throws Error if Tab never reaches the target
 */
export async function tabTo(target: Locator): Promise<void> {
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let stops = 0; stops < MOST_STOPS && !(await isThere()); stops += 1)
    await target.page().keyboard.press('Tab')
  if (!(await isThere())) throw new Error(`Tab doesn’t reach ${target.toString()}`)
}
