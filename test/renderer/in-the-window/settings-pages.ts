import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { argumentsOf, change, openScript, openState } from '../harness/open-state.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo } from '../harness/go-to.ts'

const title = (page: Page) => page.locator('.job-pane .pane-header h1').textContent()
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-subpage') ?? '')

/** The description of a control, as assistive technology gets it. */
const describedBy = (page: Page, name: string) =>
  link(page, name).evaluate(
    (one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.innerText,
  )

/** The pages of the settings and the rows that open their subpages. */
export function checkSettingsPages(): void {
  it.each(
    firstOf([
      ['General', 'Notifications', 'notifications', 'All'],
      ['Automation', 'Quiet mode', 'quiet', 'Always'],
      ['Automation', 'After a job', 'afterJob', 'Off'],
      ['Automation', '~/Scans/Inbox', 'folder d', 'Off. Print A4 300 dpi, to ~/Scans/Print'],
      ['Advanced', 'Assistants', 'assistants', 'Off'],
      ['Advanced', 'Clipboard', 'clipboard', 'Off'],
    ]),
  )('%s has a link to %s, which is described by its state', async (name, label, subpage, summary) => {
    const page = await openState('settings-general')
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(() => describedBy(page, label)).toBe(summary)
    await link(page, label).press('ArrowRight')
    await expect.poll(() => title(page)).toBe(label)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focused(page)).toBe(subpage)
    await page.keyboard.press('Enter')
    await expect.poll(() => title(page)).toBe(label)
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe(subpage)
    expect(await title(page)).toBe(name)
    await link(page, label).click()
    await page.getByRole('button', { name: `Back to ${name}` }).click()
    await expect.poll(() => focused(page)).toBe(subpage)
  })

  itInLongSuite('leaves the arrow keys to the controls that use them', async () => {
    const page = await openState('settings-quiet')
    await page.getByRole('radio', { name: 'Always' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByLabel('From').focus()
    await page.keyboard.press('ArrowLeft')
    expect(await title(page)).toBe('Quiet mode')
  })

  itInLongSuite('follows the direction of the text', async () => {
    const page = await openState('settings-advanced')
    await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    await link(page, 'Clipboard').press('ArrowLeft')
    await expect.poll(() => title(page)).toBe('Clipboard')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => title(page)).toBe('Advanced')
  })

  it('describes the settings of each subpage in words', async () => {
    const { state } = fixture('settings-advanced').script
    const { script } = fixture('settings-assistants')
    const { notifications, quiet } = state.settings
    const page = await openScript({
      ...script,
      state: {
        ...state,
        settings: {
          ...script.state.settings,
          notifications: { ...notifications, drive: false },
          quiet: { ...quiet, between: true, idle: true },
          afterJob: {
            program: '/usr/local/bin/publish-photos',
            url: 'https://hooks.harbour.example/mediatray',
          },
          clipboardShortcut: 'Control+Alt+C',
        },
      },
    })
    await goTo(page, fixture('settings-general'))
    expect(await describedBy(page, 'Notifications')).toBe('All except finished uploads to Drive')
    await page.getByRole('button', { name: 'Automation', exact: true }).click()
    await expect
      .poll(() => describedBy(page, 'Quiet mode'))
      .toBe('Only between 22:00 and 07:00 and after the computer has been idle for 5 minutes')
    expect(await describedBy(page, 'After a job')).toBe('Runs publish-photos, sends to hooks.harbour.example')
    await page.getByRole('button', { name: 'Advanced', exact: true }).click()
    expect(await describedBy(page, 'Service')).toBe(
      'Built-in service is running. Drive: ida@harbourstudio.example',
    )
    await expect.poll(() => describedBy(page, 'Assistants')).toMatch(/^2 folders\. Last used /)
    expect(await describedBy(page, 'Clipboard')).toBe('Ctrl + Alt + C with Web 2048. Not automatic')
    const { settings } = await page.evaluate(() => window.strings.state())
    const many = { ...notifications, done: false, problems: false, drive: false, service: false }
    await change(page, { settings: { ...settings, notifications: many } })
    await page.getByRole('button', { name: 'General', exact: true }).click()
    await expect
      .poll(() => describedBy(page, 'Notifications'))
      .toBe('Only failed jobs and questions about watched folders')
  })

  itInLongSuite(
    'has one row for the watched folders after the fourth, and goes back through it',
    async () => {
      const page = await openState('settings-folders')
      await expect.poll(() => page.locator('.folder-row').count()).toBe(4)
      await link(page, '4 more folders').press('Enter')
      await expect.poll(() => title(page)).toBe('Watched folders')
      await page.locator('.folder-row .subpage-link').nth(1).press('Enter')
      await page.locator('.folder-line').waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(() => focused(page)).toBe('folder 5')
      await page.keyboard.press('Escape')
      await expect.poll(() => focused(page)).toBe('folders')
    },
  )

  it('answers the question of a watched folder on its page, and leaves the page of a removed folder', async () => {
    const page = await openState('settings-automation')
    await link(page, '~/Desktop/To compress').click()
    await page.getByRole('button', { name: 'Process 12 files' }).click()
    expect(await argumentsOf(page, 'watch.answer')).toEqual([{ id: 'b', take: true }])
    await page.evaluate(() => {
      window.strings.watch = window.strings.watch.filter(({ id }) => id !== 'b')
      window.strings.emit('watchChanged', null)
    })
    await expect.poll(() => title(page)).toBe('Automation')
  })

  it('turns a watched folder off in its row, which stays closed', async () => {
    const page = await openState('settings-automation')
    await page.getByRole('switch', { name: 'Watch ~/Camera Uploads' }).uncheck()
    await expect
      .poll(() => argumentsOf(page, 'watch.save'))
      .toMatchObject([{ id: 'a', folder: { enabled: false } }])
    expect(await title(page)).toBe('Automation')
  })

  itInLongSuite('shows the default presets that nothing uses on a subpage', async () => {
    const page = await openState('settings-presets')
    expect(await page.locator('[data-preset]').count()).toBe(6)
    await link(page, '3 more default presets').click()
    await expect.poll(() => page.locator('[data-preset]').count()).toBe(3)
    await page.locator('[data-preset]').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('s')
    await expect.poll(() => argumentsOf(page, 'presets.star')).toHaveLength(1)
    expect(await page.locator('[data-preset]').count()).toBe(3)
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('defaultPresets')
  })
}
