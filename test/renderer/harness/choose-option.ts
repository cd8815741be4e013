import type { Locator, Page } from 'playwright-core'

/** Opens a combobox and takes only this option. */
export async function chooseOption(inside: Page | Locator, field: string, option: string): Promise<void> {
  await inside.getByRole('combobox', { name: field, exact: true }).click()
  await inside.getByRole('option', { name: option }).click()
}

/** Takes only this preset for the draft, from the field or from *All presets…*. */
export async function choosePreset(page: Page, preset: string): Promise<void> {
  await page.locator('#preset').click()
  await page.getByRole('option', { name: preset }).click()
}
