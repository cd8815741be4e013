/** Actions in the window that lead to a state of the design. */
import type { Locator, Page } from 'playwright-core'

export const presetRow = (page: Page, name: string) => page.locator(`[data-preset="${name}"]`)

async function openMenu(button: Locator): Promise<void> {
  await button.press('Enter')
  await button.page().locator('.menu').waitFor()
}

async function clickAndWait(button: Locator, selector: string): Promise<void> {
  await button.click()
  await button.page().locator(selector).waitFor()
}

/** Returns the row of a preset. Opens the subpage for a default preset that nothing uses. */
export async function shownPreset(page: Page, name: string): Promise<Locator> {
  const others = page.locator('[data-subpage="defaultPresets"]')
  const row = presetRow(page, name)
  await row.or(others).first().waitFor()
  if ((await row.count()) === 0) await others.click()
  return row
}

async function openInStudio(page: Page, preset: string): Promise<void> {
  await (await shownPreset(page, preset)).click()
  await page.locator('.studio-head').waitFor()
}

async function openDrivePicker(page: Page): Promise<void> {
  await openMenu(page.locator('.job-pane .pane-header [aria-haspopup="menu"]').first())
  await clickAndWait(page.locator('.menu [role="menuitem"]').last(), 'dialog[open]')
}

/** Opens Clients and then Harbour. */
async function openHarbour(page: Page): Promise<void> {
  await openDrivePicker(page)
  for (const name of ['Clients', 'Harbour']) await page.getByRole('option', { name, exact: true }).dblclick()
}

async function chooseGoal(page: Page, preset: string, name: string): Promise<void> {
  await openInStudio(page, preset)
  await page.getByRole('radio', { name }).check()
}

/** Compares the qualities around visual quality 84. */
async function compareQualities(page: Page, preset: string): Promise<void> {
  await openInStudio(page, preset)
  await page.locator('input[name="goal"][value="look"]').check()
  await page.locator('.goal-fields input[type="range"]').fill('84')
  await page.locator('.result-line.fine').waitFor()
  await page.locator('.compare-qualities:visible').click()
  await page.locator('.compared-facts').nth(2).waitFor()
}

async function openMoreOptions(page: Page, preset: string): Promise<void> {
  await openInStudio(page, preset)
  await page.getByText('More options', { exact: true }).click()
}

/** Opens the preset as JSON and replaces a part of the text. */
async function editJson(page: Page, preset: string, from = '', to = ''): Promise<void> {
  await openInStudio(page, preset)
  await page.getByRole('radio', { name: 'JSON' }).check()
  const json = page.getByRole('textbox', { name: 'Preset as JSON' })
  if (from !== '') await json.fill((await json.inputValue()).replace(from, to))
}

/** The link is in another column of a narrow window. */
async function openRules(page: Page): Promise<void> {
  await page.locator('.folder-row .subpage-link').first().click()
  await page.locator('.folder-line').waitFor()
}

async function searchSettings(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+f')
  await page.locator('#settings-search').fill(text)
  await page.locator('.found-setting, .nothing-found').first().waitFor()
}

const steps = {
  searchSettings: (page) => searchSettings(page, 'done'),
  searchNothing: (page) => searchSettings(page, 'watermark'),
  addService: (page) =>
    clickAndWait(page.getByRole('button', { name: 'Add another service' }), 'dialog[open]'),
  showLost: (page) => clickAndWait(page.locator('.foreseen-note .link'), '.foreseen-note ul'),
  async drivePicker(page) {
    await openHarbour(page)
    await page.getByRole('option', { name: 'Delivery' }).click()
  },
  async driveLoading(page) {
    await openHarbour(page)
    await page.getByRole('option', { name: 'Raw material' }).dblclick()
    await page.locator('.folder-note progress').waitFor()
  },
  async driveError(page) {
    await openHarbour(page)
    await page.getByRole('option', { name: 'Website' }).dblclick()
    await page.locator('.folder-note[role="alert"]').waitFor()
  },
  menu: (page) => openMenu(page.locator('.job-pane').getByRole('button', { name: 'More actions' })),
  cancelMenu: (page) => openMenu(page.locator('.job-pane .pane-header [aria-haspopup="menu"]').first()),
  filterMenu: (page) =>
    openMenu(page.locator('.sidebar').getByRole('button', { name: 'Filter', exact: true })),
  confirm: (page) => clickAndWait(page.getByRole('button', { name: 'Clear history…' }), 'dialog[open]'),
  emptyVault: (page) => clickAndWait(page.getByRole('button', { name: 'Empty vault…' }), 'dialog[open]'),
  watchDialog: (page) => clickAndWait(page.getByRole('button', { name: 'Add folder…' }), 'dialog[open]'),
  receiverDialog: (page) => clickAndWait(page.getByRole('button', { name: 'Add receiver…' }), 'dialog[open]'),
  importSettings: (page) => clickAndWait(page.getByRole('button', { name: 'Import…' }), '.import-table'),
  openRules,
  async editRule(page) {
    await openRules(page)
    await clickAndWait(page.getByRole('button', { name: /^Videos larger than/ }), 'dialog[open]')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Condition', { exact: true }).last().selectOption('age')
    await page.getByText('Enter a number of days').waitFor()
    await page.getByLabel('Condition', { exact: true }).first().focus()
  },
  async editRest(page) {
    await openRules(page)
    await clickAndWait(page.getByRole('button', { name: /^Everything else/ }), 'dialog[open]')
    await page.getByRole('radio', { name: 'Process' }).check()
  },
  async dryRun(page) {
    await openRules(page)
    await clickAndWait(page.getByRole('button', { name: 'Try', exact: true }), '.tried')
  },
  async startDryRun(page) {
    await openRules(page)
    await clickAndWait(page.getByRole('button', { name: 'Try', exact: true }), '.rules-dry-run')
  },
  keepKey: (page) => clickAndWait(page.getByRole('button', { name: 'Keep until I quit' }), '#notice-key'),
  presetSelect: (page) => clickAndWait(page.locator('#preset'), '.combobox-list'),
  adjust: (page) => clickAndWait(page.getByRole('button', { name: 'Adjust…' }), '.studio-head'),
  outputSelect: (page) => clickAndWait(page.locator('#output'), '.combobox-list'),
  scrollDown: (page) =>
    page.locator('.job-pane .scroll-area').evaluate((element) => element.scrollTo(0, element.scrollHeight)),
  async toast(page) {
    await page.locator('.job-row').first().focus()
    await page.keyboard.press('Delete')
    await page.locator('.toast').waitFor()
  },
  async drag(page) {
    await page.evaluate(() => {
      const transfer = new DataTransfer()
      for (let index = 0; index < 6; index += 1) transfer.items.add(new File(['x'], `${index}.jpg`))
      dispatchEvent(new DragEvent('dragenter', { dataTransfer: transfer, bubbles: true }))
    })
    await page.locator('.drop-overlay').waitFor()
  },
  // In the list of presets.
  presetMenu: (page, preset) => openMenu(page.getByRole('button', { name: `More options for ${preset}` })),
  async rename(page, preset) {
    await presetRow(page, preset).press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Web 2048')
    await page.keyboard.press('Enter')
  },
  async import(page) {
    await page.getByRole('button', { name: 'Import and export' }).press('Enter')
    await clickAndWait(page.getByRole('menuitem', { name: 'Import…' }), '.preset-report')
  },
  newPreset: (page) => clickAndWait(page.getByRole('button', { name: 'New preset' }), '.studio-head'),
  // In the editor.
  open: openInStudio,
  /** The list only exists with the built-in service; the service can change while the editor is open. */
  async external(page, preset) {
    const use = (kind: 'builtIn' | 'external') =>
      page.evaluate((next) => {
        window.strings.change({ connection: { ...window.strings.state().connection, kind: next } })
      }, kind)
    await use('builtIn')
    // In a narrow window, only the sections are visible.
    await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
    await page.getByRole('button', { name: 'Presets', exact: true }).click()
    await openInStudio(page, preset)
    await use('external')
  },
  size: (page, preset) => chooseGoal(page, preset, 'Maximum file size'),
  async least(page, preset) {
    await chooseGoal(page, preset, 'Maximum file size')
    await page.getByRole('textbox', { name: 'Maximum file size' }).fill('100')
    await page.locator('.hint.warning').waitFor()
  },
  look: (page, preset) => chooseGoal(page, preset, 'Visual quality'),
  compare: compareQualities,
  more: openMoreOptions,
  async webm(page, preset) {
    await openMoreOptions(page, preset)
    await page.getByLabel('Container').selectOption('webm')
  },
  async audioOnly(page, preset) {
    await openInStudio(page, preset)
    await page.locator('#preset-video-codec').selectOption('none')
    await page.locator('.hint.error button').click()
  },
  json: (page, preset) => editJson(page, preset),
  jsonBad: (page, preset) => editJson(page, preset, '"jpeg",', '"jpeg"'),
  jsonWrong: (page, preset) => editJson(page, preset, '2048,', '20480,'),
  async nameTaken(page, preset) {
    await openInStudio(page, preset)
    await page.locator('.studio').press('F2')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mail')
  },
} as const satisfies Readonly<Record<string, (page: Page, preset: string) => Promise<unknown>>>

export type Step = keyof typeof steps

/** @param preset the preset that the step is about */
export const takeStep = (page: Page, step: Step, preset = ''): Promise<unknown> => steps[step](page, preset)
