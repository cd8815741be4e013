/** Opens the preset editor as a user would, and reads its preview. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findWithAxe } from '../../renderer/harness/find-with-axe.ts'
import { shownPreset } from '../../renderer/harness/steps.ts'
import { openSettings } from './settings.ts'

export async function openStudio(page: Page, preset: string): Promise<void> {
  await openSettings(page, 'Presets')
  await (await shownPreset(page, preset)).click()
  await page.locator('.studio-head').waitFor()
}

/** @param name the beginning of the file name */
export const previewOf = (page: Page, name: string) =>
  page.getByRole('group', { name: new RegExp(`^Preview of ${name}`) })

export const resultLine = (page: Page) => page.locator('.result-line')

/** Resolves when the preview is complete for the current settings. */
export const isFine = (page: Page): Promise<void> => page.locator('.result-line.fine').waitFor()

export async function axeFindsNothing(page: Page): Promise<void> {
  const grounds = new Set<string>()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
    expect(await findWithAxe(page), colorScheme).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(grounds.size).toBe(2)
}
