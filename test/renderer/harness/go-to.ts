import type { Page } from 'playwright-core'
import type { Fixture } from './fixtures.ts'
import { takePresetStep } from './preset-steps.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'

/** Brings the window to the place at which a state is looked at, and waits until nothing changes there any more. */
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
  if (fixture.script.state.draft.source.kind === 'drive' || hasFiles(fixture)) {
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
  }
  if (show !== undefined) {
    await page.evaluate((id) => window.strings.emit('show', { place: 'details', id }), asRecordId(show))
    await page.locator('.job-pane .scroll').waitFor()
  }
  if (settings !== undefined) {
    await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
    await page.getByRole('button', { name: settings, exact: true }).click()
    await page.locator('.job-pane .bar h1', { hasText: settings }).waitFor()
  }
  await perform(page, fixture)
  if (fixture.step !== undefined) await takePresetStep(page, fixture.step, fixture.preset)
  if (fixture.script.preview?.film !== undefined) await page.locator('.pane canvas').first().waitFor()
  await settled(page)
}

const hasFiles = ({ script }: Fixture): boolean => {
  const { source } = script.state.draft
  return source.kind === 'files' && source.items.length > 0
}

/** Pictures are there, and what has been asked for is drawn. */
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

async function perform(page: Page, { act }: Fixture): Promise<void> {
  switch (act) {
    case undefined:
      return
    case 'menu':
      await page.locator('.job-pane').getByRole('button', { name: 'More actions' }).press('Enter')
      await page.locator('.menu').waitFor()
      return
    case 'filterMenu':
      await page.locator('.side').getByRole('button', { name: 'Filter', exact: true }).press('Enter')
      await page.locator('.menu').waitFor()
      return
    case 'confirm':
      await page.getByRole('button', { name: 'Clear history…' }).click()
      await page.locator('dialog[open]').waitFor()
      return
    case 'watchDialog':
      await page.getByRole('button', { name: 'Add folder…' }).click()
      await page.locator('dialog[open]').waitFor()
      return
    case 'preset':
      await page.locator('#preset').click()
      return
    case 'keepKey':
      await page.getByRole('button', { name: 'Keep until I quit' }).click()
      await page.locator('#notice-key').waitFor()
      return
    case 'scrollDown':
      await page.locator('.job-pane .scroll').evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return
    case 'toast':
      await page.locator('.row').first().focus()
      await page.keyboard.press('Delete')
      await page.locator('.toast').waitFor()
      return
    case 'drag':
      await page.evaluate(() => {
        const transfer = new DataTransfer()
        for (let index = 0; index < 6; index += 1) transfer.items.add(new File(['x'], `${index}.jpg`))
        dispatchEvent(new DragEvent('dragenter', { dataTransfer: transfer, bubbles: true }))
      })
      await page.locator('.drop-over').waitFor()
  }
}
