import type { Page } from 'playwright-core'
import type { Fixture } from './fixtures.ts'
import { takeStep } from './steps.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'

/** Navigates the window to a state's location and waits until nothing changes anymore. */
export async function goTo(page: Page, fixture: Fixture): Promise<void> {
  const { show, settings, search, filter } = fixture
  if (filter !== undefined) {
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
    const label = filter === 'problems' ? 'Done with problems' : 'Failed'
    await page.getByRole('menuitemcheckbox', { name: label }).click()
  }
  if (search !== undefined) {
    await page.getByRole('searchbox').fill(search)
    await page.waitForFunction(
      (text) => window.strings.calls.some(({ argument }) => JSON.stringify(argument ?? null).includes(text)),
      search,
    )
  }
  const { source } = fixture.script.state.draft
  if (source.kind === 'drive' || source.items.length > 0) {
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
  }
  if (show !== undefined) {
    await page.evaluate((id) => window.strings.emit('show', { place: 'details', id }), asRecordId(show))
    await page.locator('.job-pane .scroll-area').waitFor()
  }
  if (settings !== undefined) await showSettings(page, settings)
  if (fixture.step !== undefined) await takeStep(page, fixture.step, fixture.preset)
  if (fixture.script.preview?.video !== undefined)
    await page.locator('.preview-pane canvas').first().waitFor()
  await settled(page)
}

/** @param place a page of the settings, or a subpage: "Automation > Quiet mode" */
async function showSettings(page: Page, place: string): Promise<void> {
  const [name = '', subpage] = place.split(' > ')
  const title = (text: string) => page.locator('.job-pane .pane-header h1', { hasText: text }).waitFor()
  await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
  await page.getByRole('button', { name, exact: true }).click()
  await title(name)
  if (subpage === undefined) return
  await page.getByRole('link', { name: subpage, exact: true }).click()
  await title(subpage)
}

/** Resolves when images are loaded and pending updates are drawn. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.images].every((image) => {
      const { top, bottom } = image.getBoundingClientRect()
      const seen = image.checkVisibility() && bottom > 0 && top < innerHeight
      return image.complete || (image.loading === 'lazy' && !seen)
    }),
  )
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame)
  })
}
