import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fixture, lookAt, NARROW, WIDE } from '../harness/look-at.ts'
import type { Harness } from '../harness/open-window.ts'

/** The default window at 200 %. */
const ZOOMED = { width: 440, height: 320 }

/** Elements on show that reach over the side of the window. */
const overhanging = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.window *')]
      // What lies in a strip is reached by scrolling it.
      .filter(
        (element) =>
          element.checkVisibility() &&
          !element.closest('.sr, svg') &&
          element.parentElement?.closest('.strip') === null,
      )
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (left < -1 || right > innerWidth + 1)
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  )

export function checkLooks(harness: () => Harness): void {
  it.each(['compose-drive', 'details-problems', 'no-keychain-key', 'settings-connection', 'german'])(
    'nothing hangs over the edge of a narrow window: %s',
    async (name) => {
      expect(await overhanging(await lookAt(harness(), name, NARROW))).toEqual([])
    },
  )

  it('reasons are there in full in a narrow window', async () => {
    const page = await lookAt(harness(), 'compose-mixed', NARROW)
    const cut = await page
      .locator('.file.bad .hint')
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1),
      )
    expect(cut).toEqual([])
  })

  it.each(['studio-video-more', 'studio-german-conflict'])(
    'what stands beside the buttons of the studio has one line in its narrowest column: %s',
    async (name) => {
      const page = await lookAt(harness(), name)
      const lines = await page.locator('.studio-foot .link').evaluate((link) => {
        const words = document.createRange()
        words.selectNodeContents(link)
        return words.getClientRects().length
      })
      expect(lines).toBe(1)
    },
  )

  it('loses nothing at 200 %', async () => {
    const page = await lookAt(harness(), 'compose', ZOOMED)
    expect(await overhanging(page)).toEqual([])
    await page.getByRole('button', { name: 'Start job' }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Start job' }).click()
    expect(await page.getByLabel('Preset').count()).toBe(1)
  })

  it('stands the other way round from right to left', async () => {
    const page = await lookAt(harness(), 'details')
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    const side = await page.locator('.side').boundingBox()
    const stage = await page.locator('.job-pane').boundingBox()
    expect(side?.x).toBeGreaterThan(stage?.x ?? Number.POSITIVE_INFINITY)
    expect(await overhanging(page)).toEqual([])
  })

  it('leaves room for the buttons of a macOS window, and is dragged by its headers', async () => {
    const { script } = fixture('idle')
    const page = await harness().open(
      { ...script, facts: { ...script.facts, platform: 'darwin' } },
      WIDE,
      'light',
    )
    const search = await page.locator('#search').boundingBox()
    expect(search?.x).toBeGreaterThanOrEqual(80)
    const region = await page
      .locator('.job-pane .bar')
      .evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-app-region'))
    expect(region).toBe('drag')
  })

  it('marks what is chosen with an outline where colours are forced', async () => {
    const page = await lookAt(harness(), 'details', WIDE, 'forced')
    const outline = await page
      .locator('.row[aria-current]')
      .evaluate((element) => getComputedStyle(element).outlineStyle)
    expect(outline).toBe('solid')
  })

  it('does not move where less motion is asked for', async () => {
    const page = await lookAt(harness(), 'busy-unknown')
    const running = await page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    )
    expect(running).toBe(0)
  })
}
