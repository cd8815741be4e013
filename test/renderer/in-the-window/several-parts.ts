import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, focusedText, openScript, openState, NARROW } from '../harness/open-state.ts'

const rows = (page: Page, name = 'DSC_4821.heic') =>
  page.locator('.job-row').filter({ hasText: name }).locator('.job-row-status')
const section = (page: Page, name: string) => page.getByRole('group', { name, exact: true })
const disclosure = (page: Page, name: string) => section(page, name).locator('.disclosure')
const menuTexts = (page: Page) => page.locator('.menu [role="menuitem"]').allInnerTexts()
const headings = (page: Page) => page.locator('.job-section h2').allInnerTexts()

const BOTH = [
  'Cancel Web 2048 only\nMail starts right away',
  'Cancel both presets\nThe originals stay unchanged',
]

const said = (page: Page) => page.locator('[aria-live], [role="status"]').allInnerTexts()

/** A job with several presets is one row, one progress and one set of actions. */
export function checkSeveralParts(): void {
  it('is one row while it runs, with the share of all work', async () => {
    const page = await openState('parts-running')
    expect(await rows(page).allInnerTexts()).toEqual(['Web 2048, 7 of 24, about 7 min left'])
    await expect.poll(() => page.locator('.running-job .percentage').textContent()).toBe('14%')
    expect(await page.locator('.job-pane .running-head').innerText()).toContain('Web 2048: resizing 7 of 24')
  })

  it('is one row after its end, with the outcome of both presets', async () => {
    const page = await openState('parts-problems')
    expect(await rows(page).allInnerTexts()).toEqual(['Done with 2 problems, 2 presets'])
    expect(await page.locator('.summary').innerText()).toContain('46 of 48 results are ready.')
    expect(await page.locator('.summary').innerText()).toContain('2 presets, saved to ~/Pictures/Web')
  })

  itInLongSuite('says how good the results of each preset are on average', async () => {
    const page = await openState('parts-problems')
    await page.getByText('Quality 82 on average, measured in 3 of 22.').waitFor()
  })

  itInLongSuite(
    'keeps its row and its focus when a preset moves from the outbox to the history',
    async () => {
      const page = await openState('parts-running')
      const { state } = fixture('parts-running').script
      const [web, mail] = state.jobs as readonly [PartAt<'service'>, PartAt<'service'>]
      const ended: PartAt<'history'> = {
        ...web,
        at: 'history',
        replaced: null,
        outcome: { kind: 'done', results: 24, uploaded: null },
        endedAt: 1,
        unseen: false,
      }
      await page.locator('.job-row[data-record="DSC_4821.heic"]').focus()
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-key'))
      await change(page, {
        jobs: [],
        endedParts: [ended],
        outbox: [{ ...mail, at: 'outbox', state: { kind: 'waiting', because: 'turn', notBefore: null } }],
      })
      await expect.poll(() => rows(page).allInnerTexts()).toEqual(['Next, Mail'])
      expect(await focused()).toBe('DSC_4821.heic')
      await change(page, { jobs: [{ ...mail, stage: { kind: 'queued', position: 1 } }], outbox: [] })
      await expect.poll(() => rows(page).allInnerTexts()).toEqual(['Next, Mail'])
      expect((await headings(page))[0]).toBe('Now')
      await change(page, { jobs: [{ ...mail, stage: { kind: 'processing' }, progress: web.progress }] })
      await expect.poll(() => rows(page).allInnerTexts()).toEqual(['Mail, 7 of 24, about 3 min left'])
      expect(await focused()).toBe('DSC_4821.heic')
      await expect.poll(() => page.locator('.running-job .percentage').textContent()).toBe('64%')
    },
  )

  itInLongSuite('opens the running preset, and after the end the one with problems', async () => {
    const running = await openState('parts-running')
    expect(await disclosure(running, 'Web 2048').getAttribute('aria-expanded')).toBe('true')
    expect(await disclosure(running, 'Mail').innerText()).toContain('Starts after Web 2048, 24 photos')
    const ended = await openState('parts-problems')
    expect(await disclosure(ended, 'Web 2048').getAttribute('aria-expanded')).toBe('false')
    expect(await disclosure(ended, 'Mail').getAttribute('aria-expanded')).toBe('true')
    expect(await disclosure(ended, 'Mail').innerText()).toContain('22 of 24 results, 2 problems')
    await expect
      .poll(() => disclosure(ended, 'Web 2048').innerText())
      .toContain('24 results, 98.4 MB → 15.6 MB')
  })

  itInLongSuite('folds the finished files and those that come later, and shows them on request', async () => {
    const page = await openState('parts-running')
    const web = section(page, 'Web 2048')
    await expect.poll(() => web.locator('.file-row').count()).toBe(3)
    await web.getByRole('button', { name: 'Show: 6 done' }).click()
    await expect.poll(() => web.locator('.file-row').count()).toBe(9)
    await web.getByRole('button', { name: 'Show all 15' }).press('Enter')
    await expect.poll(() => web.locator('.file-row').count()).toBeGreaterThan(12)
  })

  itInLongSuite('opens and closes a section with the keyboard, and keeps the choice', async () => {
    const page = await openState('parts-running')
    await disclosure(page, 'Mail').press('Enter')
    await expect.poll(() => disclosure(page, 'Mail').getAttribute('aria-expanded')).toBe('true')
    await expect.poll(() => section(page, 'Mail').locator('.file-row').count()).toBeGreaterThan(5)
    await disclosure(page, 'Web 2048').press('Space')
    await change(page, { queue: { waiting: 3, processing: true } })
    await expect.poll(() => disclosure(page, 'Web 2048').getAttribute('aria-expanded')).toBe('false')
    expect(await focusedText(page)).toContain('Web 2048')
  })

  it('asks with a menu how much to cancel', async () => {
    const page = await openState('parts-cancel')
    expect(await page.locator('.menu .menu-heading').innerText()).toBe('6 results are finished and stay.')
    expect(await menuTexts(page)).toEqual(BOTH)
    await page.keyboard.press('Enter')
    await expect
      .poll(() => argumentsOf(page, 'jobs.cancel'))
      .toEqual([{ id: 'DSC_4821.heic', scope: 'preset' }])
  })

  itInLongSuite('opens the same menu at the row with Ctrl+Backspace, and with its button', async () => {
    const page = await openState('parts-running')
    await page.locator('.job-row[data-record="DSC_4821.heic"]').focus()
    await page.keyboard.press('Control+Backspace')
    await expect.poll(() => menuTexts(page)).toEqual(BOTH)
    await page.keyboard.press('Escape')
    expect(await focusedText(page)).toContain('DSC_4821.heic')
    expect(await argumentsOf(page, 'jobs.cancel')).toEqual([])
    await page.locator('.job-row[data-record="DSC_4821.heic"]').hover()
    await page.locator('.job-row-actions').getByRole('button', { name: 'Cancel job' }).click()
    await expect.poll(() => menuTexts(page)).toEqual(BOTH)
    await page.getByRole('menuitem', { name: 'Cancel both presets' }).click()
    await expect.poll(() => argumentsOf(page, 'jobs.cancel')).toEqual([{ id: 'DSC_4821.heic', scope: 'job' }])
  })

  itInLongSuite('cancels without asking if a single preset is left', async () => {
    const page = await openState('parts-running')
    const { jobs } = fixture('parts-running').script.state
    const [web] = jobs as readonly [PartAt<'service'>]
    await change(page, { jobs: [web] })
    const button = page.locator('.job-pane').getByRole('button', { name: 'Cancel job' })
    await expect.poll(() => button.getAttribute('aria-haspopup')).toBeNull()
    await button.click()
    await expect.poll(() => argumentsOf(page, 'jobs.cancel')).toEqual([{ id: 'DSC_4821.heic', scope: 'job' }])
  })

  it('retries the failed files of one preset', async () => {
    const page = await openState('parts-problems')
    await section(page, 'Mail').getByRole('button', { name: 'Retry 2 files' }).click()
    await expect
      .poll(() => argumentsOf(page, 'jobs.retryFailed'))
      .toEqual([{ id: 'DSC_4821.heic-mail', scope: 'preset' }])
    await expect.poll(() => page.locator('.job-pane h1').textContent()).toBe('New job')
  })

  itInLongSuite('lets the user decide about an uncertain part while the others continue', async () => {
    const page = await openState('parts-unsure')
    expect((await headings(page))[0]).toContain('Needs attention')
    const mail = section(page, 'Mail')
    await mail.getByRole('radio').check()
    await mail.getByRole('button', { name: 'Continue' }).click()
    await expect
      .poll(() => argumentsOf(page, 'outbox.resolve'))
      .toEqual([{ id: 'DSC_4821.heic-mail', choice: { kind: 'sendAgain' } }])
    await mail.getByRole('button', { name: 'Remove' }).click()
    await expect
      .poll(() => argumentsOf(page, 'jobs.cancel'))
      .toEqual([{ id: 'DSC_4821.heic-mail', scope: 'part' }])
  })

  itInLongSuite('removes a refused part, or starts its files as a new job', async () => {
    const page = await openState('parts-refused')
    const mail = section(page, 'Mail')
    await mail.getByRole('button', { name: 'Remove' }).click()
    await expect
      .poll(() => argumentsOf(page, 'jobs.cancel'))
      .toEqual([{ id: 'DSC_4821.heic-mail', scope: 'part' }])
    await mail.getByRole('button', { name: 'Start as a new job…' }).click()
    await expect
      .poll(() => argumentsOf(page, 'jobs.runAgain'))
      .toEqual([{ id: 'DSC_4821.heic-mail', scope: 'part' }])
  })

  itInLongSuite('shows ten folders at first', async () => {
    const page = await openState('parts-folders')
    expect(await rows(page, 'IMG_0.jpg').allInnerTexts()).toEqual(['Working 3 of 60'])
    expect(await page.locator('.part-section').count()).toBe(10)
    await page.getByText('2 more folders').locator('..').getByRole('button').click()
    await expect.poll(() => page.locator('.part-section').count()).toBe(12)
  })

  it('shows the details of a part’s job', async () => {
    const { script } = fixture('parts-running')
    const page = await openScript(script, NARROW)
    await page.evaluate(() =>
      window.strings.emit('show', { place: 'details', id: 'DSC_4821.heic-mail' as never }),
    )
    await expect.poll(() => page.locator('.part-section').count()).toBe(2)
  })

  it('announces the end of a preset, and then the end of the job', async () => {
    const { script } = fixture('parts-running')
    const [web, mail] = script.state.jobs as readonly [PartAt<'service'>, PartAt<'service'>]
    const { details } = fixture('parts-problems').script
    const whole = details['DSC_4821.heic']
    const second = whole?.parts[1]
    if (whole === undefined || second === undefined)
      throw new Error('The fixture has no job of several parts')
    const unfinished = {
      ...whole,
      parts: [whole, { ...second, outcome: null, endedAt: null }],
    }
    const first = await openScript({ ...script, details: { ...details, 'DSC_4821.heic': unfinished } })
    await change(first, { jobs: [mail] })
    await expect
      .poll(async () => (await said(first)).join(' '))
      .toContain('DSC_4821.heic + 23 more, Web 2048: Done')
    const last = await openScript({ ...script, details, state: { ...script.state, jobs: [web] } })
    await change(last, { jobs: [] })
    await expect.poll(async () => (await said(last)).join(' ')).toContain('Done with 2 problems')
  })
}
