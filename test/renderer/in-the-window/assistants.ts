import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { argumentsOf, calls, openState } from '../harness/open-state.ts'

/** The settings page *Assistants*, and jobs that assistants submitted. */
export function checkAssistants(): void {
  it('switches assistants on and off, and then shows only what they did', async () => {
    const page = await openState('settings-assistants')
    const folders = page.locator('.folder-rows li')
    await expect.poll(() => folders.allTextContents()).toHaveLength(2)
    await page.getByRole('switch').click()
    expect(await argumentsOf(page, 'assistants.switch')).toEqual([false])
    await folders.first().waitFor({ state: 'detached' })
    expect(await page.locator('.activity-rows li').count()).toBe(3)
    expect(await page.getByRole('textbox', { name: 'Command' }).count()).toBe(0)
  })

  it('asks for a folder first, and adds one', async () => {
    const page = await openState('settings-assistants-no-folder')
    await page.getByText('Add a folder first. Assistants can’t use any files yet.').waitFor()
    await page.getByText('No activity yet.').waitFor()
    await page.getByRole('button', { name: 'Add folder…' }).click()
    await page.getByText('~/Pictures/Web').waitFor()
  })

  itInLongSuite('removes a folder at once, keeps the focus on the page, and undoes it', async () => {
    const page = await openState('settings-assistants')
    await page.getByRole('button', { name: 'Remove ~/Pictures/Web' }).click()
    await page.getByText('~/Pictures/Web removed').waitFor()
    expect(await argumentsOf(page, 'assistants.removeFolder')).toEqual(['/home/ida/Pictures/Web'])
    expect(await page.locator('.folder-rows li').count()).toBe(1)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('add-assistants-folder')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => page.locator('.folder-rows li').count()).toBe(2)
  })

  it('copies the command', async () => {
    const page = await openState('settings-assistants')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await argumentsOf(page, 'app.copyText')).toEqual([
      '/opt/Mediatray/resources/bin/mediatray-cli mcp',
    ])
  })

  itInLongSuite('confirms only for a moment that the command was copied', async () => {
    const page = await openState('settings-assistants')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
  })

  itInLongSuite('offers no command if its path changes, and says what to do', async () => {
    const page = await openState('settings-assistants-no-folder')
    await page.getByText('Install Mediatray first.').waitFor()
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  })

  it('shows what assistants did, and leads to their jobs', async () => {
    const page = await openState('settings-assistants')
    const rows = page.locator('.activity-rows li')
    await expect.poll(() => rows.count()).toBe(3)
    expect(await rows.nth(1).innerText()).toMatch(
      /^Refused: ~\/Documents\/Taxes\s+The folder isn’t in the list above/,
    )
    expect(await rows.nth(2).innerText()).toContain('not finished yet')
    await page.getByRole('button', { name: 'Show all in history' }).click()
    await page.getByRole('button', { name: 'Remove filter: From: Assistants' }).waitFor()
    const asked = await calls(page, 'history.page')
    expect(asked.at(-1)?.argument).toMatchObject({ query: { by: 'assistant' } })
  })

  it('marks the jobs of assistants in the list', async () => {
    const page = await openState('list-assistants')
    await page.locator('.job-row-status', { hasText: /, assistant$/ }).waitFor()
  })
}
