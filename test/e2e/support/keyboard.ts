import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

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

/** Presses keys and checks after each that the focus is on something visible, with an outline. */
export function keyboardOf(page: Page) {
  const press = async (key: string): Promise<void> => {
    await page.keyboard.press(key)
    await expect.poll(() => focusFault(page), { message: key, timeout: 10_000 }).toBeNull()
  }
  return {
    press,
    type: async (text: string): Promise<void> => {
      for (const key of text) await press(key === ' ' ? 'Space' : key)
    },
    /** @throws Error if this key never moves the focus to the target */
    pressUntil: async (key: string, target: Locator): Promise<void> => {
      const isThere = () => target.evaluate((element) => element === document.activeElement)
      for (let stops = 0; stops < MOST_STOPS && !(await isThere()); stops += 1) await press(key)
      if (!(await isThere())) throw new Error(`${key} doesn’t reach ${target.toString()}`)
    },
  }
}

/** Returns the focused element if its focus can't be seen. */
const focusFault = (page: Page): Promise<string | null> =>
  page.evaluate(() => {
    const { activeElement: focused } = document
    if (focused === null || focused === document.body) return 'Nothing has the focus'
    // A radio button is invisible. Its tile or the element next to it has the outline.
    const around = [focused, focused.nextElementSibling, focused.parentElement].filter((one) => one !== null)
    const isOutlined = around.some((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
    })
    return focused.checkVisibility() && isOutlined ? null : focused.outerHTML.slice(0, 160)
  })
