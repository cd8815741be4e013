import type { Page } from 'playwright-core'
import type { Fixture } from './fixtures.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'

/** Brings the window to the place at which a state is looked at. */
export async function goTo(page: Page, fixture: Fixture): Promise<void> {
  const { show, settings, search, filter } = fixture
  if (filter !== undefined) {
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
    const label = filter === 'problems' ? 'Done with problems' : 'Failed'
    await page.getByRole('menuitemcheckbox', { name: label }).click()
  }
  if (search !== undefined) await page.getByRole('searchbox').fill(search)
  if (fixture.script.state.draft.source.kind === 'drive' || hasFiles(fixture)) {
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
  }
  if (show !== undefined) {
    await page.evaluate((id) => window.strings.emit('show', { place: 'details', id }), asRecordId(show))
  }
  if (settings !== undefined) {
    await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
    await page.getByRole('button', { name: settings, exact: true }).click()
  }
  if (search !== undefined) await page.waitForTimeout(250)
  await perform(page, fixture)
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || image.loading === 'lazy'),
  )
  await page.waitForTimeout(80)
}

const hasFiles = ({ script }: Fixture): boolean => {
  const { source } = script.state.draft
  return source.kind === 'files' && source.items.length > 0
}

async function perform(page: Page, { act }: Fixture): Promise<void> {
  switch (act) {
    case undefined:
      return
    case 'menu':
      await page.locator('.stage').getByRole('button', { name: 'More actions' }).press('Enter')
      return
    case 'filterMenu':
      await page.locator('.side').getByRole('button', { name: 'Filter', exact: true }).press('Enter')
      return
    case 'confirm':
      await page.getByRole('button', { name: 'Clear history…' }).click()
      return
    case 'watchDialog':
      await page.getByRole('button', { name: 'Add folder…' }).click()
      return
    case 'preset':
      await page.locator('#preset').click()
      return
    case 'toast':
      await page.locator('.row').first().focus()
      await page.keyboard.press('Delete')
      return
    case 'drag':
      await page.evaluate(() => {
        const transfer = new DataTransfer()
        for (let index = 0; index < 6; index += 1) transfer.items.add(new File(['x'], `${index}.jpg`))
        dispatchEvent(new DragEvent('dragenter', { dataTransfer: transfer, bubbles: true }))
      })
  }
}
