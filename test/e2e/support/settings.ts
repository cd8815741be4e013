/** Opens the settings as a user would, or writes them before the app starts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Settings } from '../../../src/shared/model/settings.ts'
import type { Home } from './home.ts'

type Place =
  | 'General'
  | 'New jobs'
  | 'Presets'
  | 'Automation'
  | 'Automation > Quiet mode'
  | 'Automation > After a job'
  | 'Originals and history'
  | 'Advanced'
  | 'Advanced > Service'
  | 'Advanced > Clipboard'

/** Opens a page of the settings, or a subpage by its row. */
export async function openSettings(page: Page, place: Place): Promise<void> {
  const [name = '', subpage] = place.split(' > ')
  const way = page.getByRole('button', { name: /^Settings/ })
  const wanted = page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name })
  await way.or(wanted).waitFor()
  if (await way.isVisible()) await way.click()
  await wanted.click()
  if (subpage !== undefined) await page.getByRole('link', { name: subpage, exact: true }).click()
}

export const leaveForJobs = (page: Page) => page.getByRole('button', { name: 'Jobs', exact: true }).click()

/** Writes the settings into this home. Use it for settings that refer to paths there. */
export function leaveSettings(home: Home, settings: Partial<Settings>): void {
  writeFileSync(join(home.data, 'settings.json'), JSON.stringify({ settings }))
}
