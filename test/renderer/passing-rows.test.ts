import { expect, it } from 'vitest'
import { asRecordId } from '../../src/shared/model/ids.ts'
import type { RecordSummary } from '../../src/shared/model/work.ts'
import { standard } from './harness/fixtures.ts'
import { openScript, shareBrowser } from './harness/open-state.ts'

shareBrowser()

const [record] = standard.records as readonly [RecordSummary]
const records = Array.from({ length: 200 }, (_, n) => ({
  ...record,
  id: asRecordId(`passing-${n}`),
  name: `passing-${n}.jpg`,
  firstPath: `/home/ida/Pictures/passing-${n}.jpg`,
}))

it('requests thumbnails of rows once the list rests', async () => {
  const page = await openScript({ ...standard, records })
  const list = page.locator('.job-list')
  const row = (n: number) => list.locator(`[data-record="passing-${n}"]`)
  await row(0).locator('img').waitFor({ state: 'attached' })
  // Holds timers, so that the list doesn't rest however slow the machine is.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await list.evaluate((element) => {
    element.scrollTop = 100 * 52
  })
  await row(100).waitFor()
  expect(await row(100).locator('img').count()).toBe(0)
  await page.clock.runFor(1_000)
  await row(100).locator('img').waitFor({ state: 'attached' })
})
