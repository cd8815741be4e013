import type { Locator, Page } from 'playwright-core'

/** Opens a combobox and takes only this option. */
export async function chooseOption(inside: Page | Locator, field: string, option: string): Promise<void> {
  await inside.getByRole('combobox', { name: field, exact: true }).click()
  await inside.getByRole('option', { name: option }).click()
}
