import { choosePreset } from '../renderer/harness/choose-option.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tabTo } from './support/keyboard.ts'
import { shownPreset } from '../renderer/harness/steps.ts'
import { openSettings } from './support/settings.ts'
import {
  doneRow,
  picture,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

let app: RunningApp
let page: Page

beforeAll(async () => {
  app = await startWithBuiltIn({ settings: { defaultPresets: ['Web 2048'] } })
  page = await app.page()
})
afterAll(() => app[Symbol.asyncDispose]())

const presetRow = (name: string) => page.locator(`[data-preset="${name}"]`)
const save = () => page.getByRole('button', { name: 'Save preset' })
const toast = (text: string) => page.locator('.toast').getByText(text).waitFor()
const names = () =>
  page.evaluate(async () => (await window.mediatray.presets.list()).documents.map(({ name }) => name))

async function textOf(name: string): Promise<string> {
  const texts = await page.evaluate(async () => (await window.mediatray.presets.list()).documents)
  return texts.find((preset) => preset.name === name)?.text ?? ''
}

describe('a preset', () => {
  test('is created with the form, saved, and applied to a photo', async () => {
    await openSettings(page, 'Presets')
    await page.getByRole('button', { name: 'New preset' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tiny WebP')
    await page.getByLabel('Format').selectOption('webp')
    await page.getByLabel('Pixels').fill('64')
    await picture(page, 'studio')
    await save().click()
    await toast('Saved “Tiny WebP”')
    expect(JSON.parse(await textOf('Tiny WebP'))).toEqual({
      name: 'Tiny WebP',
      image: { format: 'webp', size: { width: 64, height: 64 } },
    })
    await page.keyboard.press('Escape')
    await expect.poll(() => presetRow('Tiny WebP').textContent(), WITHIN).toContain('WebP, 64 px')

    await app.dropFiles('.job-pane', [app.files.photo('used.jpg')])
    await choosePreset(page, 'Tiny WebP')
    await page.getByText('WebP, 64 px, quality 82.').waitFor()
    await startButton(page).click()
    await doneRow(page, 'used.jpg').waitFor()
    const [result = ''] = readdirSync(app.files.output)
    expect(result).toBe('used-tiny-webp.webp')
    const { width, height } = await sharp(join(app.files.output, result)).metadata()
    expect(Math.max(width, height)).toBe(64)
  })

  test('stays selected in the draft and the settings when it is renamed in its row', async () => {
    await app.dropFiles('.job-pane', [app.files.photo('draft.jpg')])
    await expect.poll(async () => (await stateOf(app)).draft.presets, WITHIN).toEqual(['Web 2048'])
    await openSettings(page, 'Presets')
    await (await shownPreset(page, 'Web 2048')).press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('For the web')
    await page.keyboard.press('Enter')
    await presetRow('For the web').getByText('New jobs').waitFor()
    const { draft, settings, connection } = await stateOf(app)
    expect([draft.presets, settings.defaultPresets]).toEqual([['For the web'], ['For the web']])
    expect(connection.presets?.image).toContain('For the web')
    await page.evaluate(() => window.mediatray.draft.clear())
  })

  test('is found by its new name when an earlier job is run again', async () => {
    await presetRow('Tiny WebP').press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Small WebP')
    await page.keyboard.press('Enter')
    await presetRow('Small WebP').waitFor()
    const [job] = (
      await page.evaluate(() => window.mediatray.history.page({ query: {}, offset: 0, limit: 1 }))
    ).records
    if (job === undefined) throw new Error('The history is empty.')
    await page.evaluate((id) => window.mediatray.jobs.runAgain({ id, scope: 'job' }), job.id)
    const { draft, connection } = await stateOf(app)
    expect([job.preset, draft.presets]).toEqual(['Tiny WebP', ['Small WebP']])
    expect(connection.presets?.image).toContain('Small WebP')
    await page.evaluate(() => window.mediatray.draft.clear())
  })

  test('is deleted immediately and restored with Undo', async () => {
    await (await shownPreset(page, 'Thumbnail')).press('Delete')
    await presetRow('Thumbnail').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await presetRow('Thumbnail').waitFor()
  })

  test('is exported as a file, and imported as a copy when that file is dropped', async () => {
    const file = join(app.files.path, 'thumbnail.json')
    await app.dialogs.answerSave(file)
    await page.getByRole('button', { name: 'More options for Thumbnail' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await toast(file)
    expect(readFileSync(file, 'utf8')).toBe(await textOf('Thumbnail'))
    const broken = app.files.file('broken.json', '{\n  "name": "Scans",\n  "image": { "quality": 140 }\n}')
    await app.dropFiles('.job-pane', [file, broken])
    const report = page.locator('.preset-report')
    await report
      .getByText('“Thumbnail” already exists, so the imported preset is named “Thumbnail 2”.')
      .waitFor()
    expect(await report.textContent()).toContain(
      'Couldn’t import “Scans”. image.quality: Quality must be from 1 to 100 (line 3).',
    )
    await report.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(names, WITHIN).not.toContain('Thumbnail 2')
  })
})

test('the preset editor works with the keyboard alone and keeps unsaved changes', async () => {
  await openSettings(page, 'Presets')
  await (await shownPreset(page, 'Thumbnail')).focus()
  await page.keyboard.press('Enter')
  // The summary starts with the target.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')), WITHIN)
    .toBe('goal')
  await tabTo(page.locator('.studio input[type="range"]').first())
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Escape')
  await presetRow('Thumbnail').getByText('1 change not saved.').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.studio-foot').getByText('1 change').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await toast('Saved “Thumbnail”')
  await page.keyboard.press('Escape')
  await presetRow('Thumbnail').getByText('Changed.').waitFor()
})

test('errors in the JSON are shown with their line, and nothing is saved until they are fixed', async () => {
  await presetRow('Thumbnail').click()
  const before = await textOf('Thumbnail')
  await page.getByRole('radio', { name: 'JSON' }).check()
  const json = page.getByRole('textbox', { name: 'Preset as JSON' })
  const text = await json.inputValue()
  await json.fill(text.replace(',', ''))
  await page.getByText('Line 3: a comma is missing').waitFor()
  expect(await save().isDisabled()).toBe(true)
  await page.keyboard.press('ControlOrMeta+s')
  expect(await textOf('Thumbnail')).toBe(before)
  await json.fill(text)
  await page.getByText('Line 3: a comma is missing').waitFor({ state: 'detached' })
})
