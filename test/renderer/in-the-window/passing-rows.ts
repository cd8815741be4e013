import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { standard, withId } from '../harness/fixtures.ts'
import { openScript } from '../harness/open-state.ts'

const [record] = standard.records as readonly [PartAt<'history'>]
const records = Array.from({ length: 200 }, (_, n) => ({
  ...withId(record, `passing-${n}`),
  name: `passing-${n}.jpg`,
  firstPath: `/home/ida/Pictures/passing-${n}.jpg`,
}))

/** Opens the list and holds its timers, so that it doesn't rest however slow the machine is. */
async function openHeld() {
  const page = await openScript({ ...standard, records })
  const list = page.locator('.job-list')
  const thumbnailOf = (n: number) => list.locator(`[data-record="passing-${n}"] img`)
  await thumbnailOf(0).waitFor({ state: 'attached' })
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const scrollTo = (top: number) =>
    list.evaluate(async (element, to) => {
      const scrolled = new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }))
      element.scrollTop = to
      await scrolled
    }, top)
  return { page, thumbnailOf, scrollTo }
}

/** The thumbnails of rows while the list scrolls. The page's clock stays held, so these checks come last in their browser. */
export function checkPassingRows(): void {
  it('requests thumbnails of rows once the list rests', async () => {
    const { page, thumbnailOf, scrollTo } = await openHeld()
    await scrollTo(100 * 52)
    await page.locator('[data-record="passing-100"]').waitFor()
    expect(await thumbnailOf(100).count()).toBe(0)
    await page.clock.runFor(1_000)
    await thumbnailOf(100).waitFor({ state: 'attached' })
  })

  itInLongSuite('requests thumbnails of rows when scrolling slows down, before it ends', async () => {
    const { page, thumbnailOf, scrollTo } = await openHeld()
    await scrollTo(100 * 52)
    for (const step of [1, 2, 3, 4]) {
      await page.clock.runFor(50)
      await scrollTo(100 * 52 + step * 8)
    }
    await thumbnailOf(102).waitFor({ state: 'attached' })
  })
}
