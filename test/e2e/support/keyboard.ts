import type { Locator } from 'playwright-core'

/** More stops than any screen has. */
const MOST_STOPS = 60

/** As a person without a mouse gets there. Throws where Tab never does. */
export async function tabTo(target: Locator): Promise<void> {
  const isThere = () => target.evaluate((element) => element === document.activeElement)
  for (let stops = 0; stops < MOST_STOPS && !(await isThere()); stops += 1)
    await target.page().keyboard.press('Tab')
  if (!(await isThere())) throw new Error(`Tab does not lead to ${target.toString()}`)
}
