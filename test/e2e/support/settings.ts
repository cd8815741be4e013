/** The settings as a person gets to them, and as they were left before the app was started. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Settings } from '../../../src/shared/model/settings.ts'
import type { Home } from './home.ts'

type Section = 'Connection' | 'New jobs' | 'Presets' | 'Watch folders' | 'Notifications' | 'General'

export async function openSettings(page: Page, section: Section): Promise<void> {
  const way = page.getByRole('button', { name: /^Settings/ })
  const wanted = page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: section })
  await way.or(wanted).waitFor()
  if (await way.isVisible()) await way.click()
  await wanted.click()
}

export const leaveForJobs = (page: Page) => page.getByRole('button', { name: 'Jobs', exact: true }).click()

/** For what a home's settings say of places in that home. */
export function leaveSettings(home: Home, settings: Partial<Settings>): void {
  writeFileSync(join(home.data, 'settings.json'), JSON.stringify({ settings }))
}
