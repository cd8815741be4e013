import type { Page } from 'playwright-core'

/** What is done in the list of presets, or in the studio with one of them. */
export type PresetStep =
  | 'menu'
  | 'rename'
  | 'import'
  | 'new'
  | 'open'
  | 'size'
  | 'least'
  | 'look'
  | 'more'
  | 'webm'
  | 'json'
  | 'jsonBad'
  | 'jsonWrong'
  | 'nameTaken'
  | 'external'

export const presetRow = (page: Page, name: string) => page.locator(`[data-preset="${name}"]`)

export async function takePresetStep(page: Page, step: PresetStep, preset = ''): Promise<void> {
  switch (step) {
    case 'menu':
      await page.getByRole('button', { name: `More for ${preset}` }).press('Enter')
      await page.locator('.menu').waitFor()
      return
    case 'rename':
      await presetRow(page, preset).press('F2')
      await page.getByRole('textbox', { name: 'New name' }).fill('Web 2048')
      await page.keyboard.press('Enter')
      return
    case 'import':
      await page.getByRole('button', { name: 'Import, export' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Import…' }).click()
      await page.locator('.preset-report').waitFor()
      return
    case 'new':
      await page.getByRole('button', { name: 'New preset' }).click()
      await page.locator('.studio-head').waitFor()
      return
    case 'external':
      return openWithAnotherService(page, preset)
    case 'open':
      return openInStudio(page, preset)
    default:
      await openInStudio(page, preset)
      await changeInStudio(page, step)
  }
}

async function openInStudio(page: Page, preset: string): Promise<void> {
  await presetRow(page, preset).click()
  await page.locator('.studio-head').waitFor()
}

/** The list is there with the built-in service only; another one may be chosen while the studio is open. */
async function openWithAnotherService(page: Page, preset: string): Promise<void> {
  await page.evaluate(() => {
    window.strings.change({ connection: { ...window.strings.state().connection, kind: 'builtIn' } })
  })
  // In a narrow window the sections stand by themselves.
  await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
  await page.getByRole('button', { name: 'Presets', exact: true }).click()
  await openInStudio(page, preset)
  await page.evaluate(() => {
    window.strings.change({ connection: { ...window.strings.state().connection, kind: 'external' } })
  })
}

type Change = Exclude<PresetStep, 'menu' | 'rename' | 'import' | 'new' | 'open' | 'external'>

async function changeInStudio(page: Page, step: Change): Promise<void> {
  const json = page.getByRole('textbox', { name: 'Preset as JSON' })
  const showJson = () => page.getByRole('radio', { name: 'JSON' }).check()
  switch (step) {
    case 'size':
      await page.getByRole('radio', { name: 'Under a size' }).check()
      return
    case 'least':
      await page.getByRole('radio', { name: 'Under a size' }).check()
      await page.getByRole('textbox', { name: 'Most' }).fill('100')
      await page.locator('.hint.warn').waitFor()
      return
    case 'look':
      await page.getByRole('radio', { name: 'Same look' }).check()
      return
    case 'more':
      await page.getByText('More', { exact: true }).click()
      return
    case 'webm':
      await page.getByText('More', { exact: true }).click()
      await page.getByLabel('Container').selectOption('webm')
      return
    case 'json':
      await showJson()
      return
    case 'jsonBad':
      await showJson()
      await json.fill((await json.inputValue()).replace('"jpeg",', '"jpeg"'))
      return
    case 'jsonWrong':
      await showJson()
      await json.fill((await json.inputValue()).replace('2048,', '20480,'))
      return
    case 'nameTaken':
      await page.locator('.studio').press('F2')
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mail')
  }
}
