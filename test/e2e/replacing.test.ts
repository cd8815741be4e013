/** Originals that a job replaces from the window: on the disk, restored one by one, and final once the vault is empty. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseOption, choosePreset } from '../renderer/harness/choose-option.ts'
import { leaveForJobs, openSettings } from './support/settings.ts'
import {
  draftNames,
  row,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  WITHIN,
} from './support/start-app.ts'

let app: RunningApp
let page: Page

describe('originals that are replaced', () => {
  beforeAll(async () => {
    app = await startWithBuiltIn()
    page = await app.page()
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('two photos are replaced, one is restored byte for byte, and the vault is emptied', async () => {
    const paths = [app.files.photo('a.jpg'), app.files.photo('b.jpg')]
    const before = paths.map((path) => readFileSync(path))
    const isOriginal = () =>
      paths.map((path, index) => readFileSync(path).equals(before[index] ?? Buffer.of()))
    await app.dropFiles('.job-pane', paths)
    await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(2)
    await choosePreset(page, 'Web 2048')
    await chooseOption(page, 'Save to', 'Replace the originals')
    await page.getByText('2 originals will be replaced by their results.').first().waitFor()
    await startButton(page).click()

    const done = row(page, 'a.jpg').filter({ hasText: '2 replaced' })
    await done.waitFor()
    expect(isOriginal()).toEqual([false, false])

    await done.click()
    await page.getByText('Done, 2 of 2 originals replaced').waitFor()
    const button = page.getByRole('button', { name: 'Undo: a.jpg' })
    await button.focus()
    await page.keyboard.press('Enter')
    const again = page.getByRole('button', { name: 'Replace again: a.jpg' })
    await again.waitFor()
    expect(await again.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(isOriginal()).toEqual([true, false])
    await row(page, 'a.jpg').filter({ hasText: '1 replaced, 1 restored' }).waitFor()

    await openSettings(page, 'Originals and history')
    await page.getByText(/^2 files, .* in the vault of 1 disk/).waitFor()
    await page.getByRole('button', { name: 'Empty vault…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Empty vault' }).click()
    await page.getByText('None in the vault').waitFor()
    await leaveForJobs(page)
    await page
      .getByText(/The originals were deleted on/)
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: /^Undo|again/ }).count()).toBe(0)
    expect(isOriginal()).toEqual([true, false])
  })
})
