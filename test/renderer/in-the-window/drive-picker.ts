import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { DriveProblem } from '../../../src/shared/model/built-in-service.ts'
import { reason } from '../../../src/shared/failure/failure.ts'
import { chooseOption } from '../harness/choose-option.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, focusedText, NARROW, openScript, openState } from '../harness/open-state.ts'

const list = (page: Page) => page.getByRole('listbox')
const path = (page: Page) => page.locator('.folder-path').innerText()
const chosen = (page: Page) => page.locator('[role="option"][aria-selected="true"]').allInnerTexts()
const useButton = (page: Page) => page.locator('dialog .button.primary')
const announced = (page: Page) => page.locator('dialog p[role="status"]').textContent()
const field = (page: Page) => page.getByLabel('Or enter an ID or link')

/** The Drive folder picker, with the mouse and with the keyboard. */
export function checkDrivePicker(): void {
  it('names its target and uses it as the job’s input', async () => {
    const page = await openState('drive-picker')
    expect((await path(page)).split('\n').map((name) => name.trim())).toEqual([
      'My Drive',
      'Clients',
      'Harbour',
    ])
    expect(await announced(page)).toBe('Harbour, 7 folders')
    expect(await useButton(page).innerText()).toBe('Use “Delivery”')
    await useButton(page).click()
    await expect.poll(() => argumentsOf(page, 'draft.update')).toEqual([{ driveInput: 'Delivery' }])
    expect(await page.locator('dialog').count()).toBe(0)
    await expect.poll(() => argumentsOf(page, 'drive.stopListing')).toHaveLength(1)
  })

  it('moves, opens, goes up, jumps and uses with keys, and the focus follows into each folder', async () => {
    const page = await openState('drive-picker')
    await list(page).focus()
    await page.keyboard.press('ArrowDown')
    expect(await chosen(page)).toEqual(['Raw material'])
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowUp')
    expect(await chosen(page)).toEqual(['Archive 2025'])
    await page.keyboard.type('de')
    expect(await chosen(page)).toEqual(['Delivery'])
    await page.keyboard.press('Enter')
    await expect.poll(() => announced(page)).toBe('Delivery, 4 folders')
    expect(await chosen(page)).toEqual([])
    expect(await useButton(page).innerText()).toBe('Use “Delivery”')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Backspace')
    await expect.poll(() => announced(page)).toBe('Harbour, 7 folders')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => announced(page)).toBe('Clients, 2 folders')
    await page.keyboard.press('End')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => argumentsOf(page, 'draft.update')).toEqual([{ driveInput: 'Lighthouse' }])
  })

  itInLongSuite('opens folders from the path, and folds the middle of a long one', async () => {
    const page = await openState('drive-picker')
    for (const name of ['Delivery', '2026', 'November'])
      await page.getByRole('option', { name, exact: true }).locator('.enter-folder').click()
    await expect.poll(() => page.getByText('No folders here. You can use this one.').count()).toBe(1)
    expect((await path(page)).split('\n').map((name) => name.trim())).toEqual([
      'My Drive',
      '…',
      '2026',
      'November',
    ])
    await page.locator('.folder-path summary').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focusedText(page)).toBe('Clients')
    await page.keyboard.press('Escape')
    expect(await focusedText(page)).toBe('…')
    expect(await page.locator('.folder-path details[open]').count()).toBe(0)
    await page.locator('.folder-path summary').click()
    await page.locator('.folder-path details button', { hasText: 'Harbour' }).click()
    await expect.poll(() => announced(page)).toBe('Harbour, 7 folders')
  })

  itInLongSuite('folds the path earlier in a narrow window, so that the names fit', async () => {
    const page = await openState('drive-loading', NARROW)
    expect((await path(page)).split('\n').map((name) => name.trim())).toEqual([
      'My Drive',
      '…',
      'Harbour',
      'Raw material',
    ])
  })

  itInLongSuite('shows that it is loading in place of the list, which keeps its height', async () => {
    const page = await openState('drive-loading')
    expect(await page.locator('.folder-box').innerText()).toBe('Loading folders…')
    expect((await page.locator('.folder-box').boundingBox())?.height).toBe(216)
    expect(await useButton(page).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => argumentsOf(page, 'drive.stopListing')).toHaveLength(1)
  })

  it('explains an error and offers to try again, which has the focus', async () => {
    const page = await openState('drive-error')
    expect(await page.locator('.folder-note').innerText()).toContain('Couldn’t load this folder')
    await expect.poll(() => focusedText(page)).toBe('Try again')
    expect(await useButton(page).isDisabled()).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => argumentsOf(page, 'drive.folders')).toHaveLength(5)
  })

  it('turns a pasted link into its ID, and the list loses its choice', async () => {
    const page = await openState('drive-picker')
    await field(page).fill('https://drive.google.com/drive/folders/1Zq8bTn4LwX0rVhK2eYcPfA7mUd')
    expect(await field(page).inputValue()).toBe('1Zq8bTn4LwX0rVhK2eYcPfA7mUd')
    expect(await chosen(page)).toEqual([])
    expect(await useButton(page).innerText()).toBe('Use folder')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => argumentsOf(page, 'draft.update'))
      .toEqual([{ driveInput: '1Zq8bTn4LwX0rVhK2eYcPfA7mUd' }])
  })

  it('opens from Save to, and then the results go there', async () => {
    const { script } = fixture('drive-picker')
    const page = await openScript(script)
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
    await page.locator('#output').click()
    await page.getByRole('option', { name: 'Drive folder' }).click()
    await page.getByRole('option', { name: 'Scans' }).click()
    await useButton(page).click()
    await expect
      .poll(() => argumentsOf(page, 'draft.update'))
      .toEqual([{ output: { kind: 'drive', folderId: 'Scans' } }])
  })

  itInLongSuite('doesn’t open without a drive, which the composer explains', async () => {
    const { script } = fixture('drive-picker')
    const page = await openScript(script)
    const drive = { clientConfigured: false, connected: false, email: null, scope: null }
    await change(page, { connection: { ...script.state.connection, drive } })
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
    await chooseOption(page, 'Save to', 'Drive folder')
    await expect
      .poll(() => argumentsOf(page, 'draft.update'))
      .toEqual([{ output: { kind: 'drive', folderId: '' } }])
    expect(await page.locator('dialog').count()).toBe(0)
  })

  itInLongSuite('takes an ID that the drive can’t check now, and rejects a missing folder', async () => {
    const { script } = fixture('drive-picker')
    const enter = async (problem: DriveProblem): Promise<Page> => {
      const page = await openScript({ ...script, driveCheck: { ok: false, problem } })
      await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
      await chooseOption(page, 'Save to', 'Drive folder')
      await field(page).fill('Prints')
      await page.keyboard.press('Enter')
      return page
    }
    const reached = await enter({ code: 'noSuchFolder', folderId: 'Prints' })
    await reached.getByText('This folder doesn’t exist in the cloud drive: Prints').waitFor()
    expect(await argumentsOf(reached, 'draft.update')).toEqual([])

    const unreached = await enter({
      code: 'trouble',
      trouble: { kind: 'network', reason: reason('driveNetwork') },
    })
    await expect
      .poll(() => argumentsOf(unreached, 'draft.update'))
      .toEqual([{ output: { kind: 'drive', folderId: 'Prints' } }])
    expect(await unreached.locator('dialog').count()).toBe(0)
  })

  itInLongSuite('opens above the dialog of a watched folder, which keeps its entries', async () => {
    const page = await openScript(fixture('drive-picker').script)
    await page.evaluate(() => window.strings.emit('show', { place: 'settings' }))
    await page.getByRole('button', { name: 'Automation', exact: true }).click()
    await page.getByRole('button', { name: 'Add folder…' }).click()
    await page.getByLabel('Include subfolders').check()
    await chooseOption(page, 'Save to', 'Drive folder')
    await page.getByRole('option', { name: 'Scans' }).click()
    await page.getByRole('button', { name: 'Use “Scans”' }).click()
    await expect.poll(() => page.getByLabel('Folder ID').inputValue()).toBe('Scans')
    expect(await page.getByLabel('Include subfolders').isChecked()).toBe(true)
  })

  itInLongSuite('has only the field for another service, whose drive it can’t list', async () => {
    const page = await openState('drive-picker')
    const { connection } = fixture('drive-picker').script.state
    await change(page, { connection: { ...connection, kind: 'external' } })
    await expect.poll(() => list(page).count()).toBe(0)
    expect(await page.getByLabel('Folder ID or link').count()).toBe(1)
  })
}

const line = (page: Page) => page.locator('.saved-line').allInnerTexts()

/** The line about saved space above the list. */
export function checkSaved(): void {
  it('shows what all jobs saved, follows a search, and scrolls with the list', async () => {
    const page = await openState('saved')
    await expect.poll(() => line(page)).toEqual(['12.4 GB saved in 8,412 files'])
    const top = async () => (await page.locator('.saved-line').boundingBox())?.y ?? 0
    const [before, section] = [await top(), await page.locator('.job-section').first().boundingBox()]
    expect(section?.y).toBe(before + 24)
    await page.getByRole('searchbox').fill('scan')
    await expect.poll(() => line(page)).toEqual(['1.2 GB saved in 312 files'])
  })

  it('is absent if the user hides it', async () => {
    const page = await openState('saved')
    await expect.poll(() => line(page)).toHaveLength(1)
    const { settings } = fixture('saved').script.state
    await change(page, { settings: { ...settings, showSpaceSaved: false } })
    await expect.poll(() => line(page)).toEqual([])
  })

  it('is absent below 1 MB', async () => {
    const page = await openState('idle')
    expect(await line(page)).toEqual([])
  })
}
