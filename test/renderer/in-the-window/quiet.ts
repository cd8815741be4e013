import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, openState } from '../harness/open-state.ts'

/** Quiet mode: its settings, and the jobs that it holds back. */
export function checkQuiet(): void {
  checkSettings()
  checkWaiting()
}

function checkSettings(): void {
  it('runs jobs always, or while all chosen conditions apply; typing in a field chooses its condition', async () => {
    const page = await openState('settings-quiet')
    const { quiet } = fixture('settings-quiet').script.state.settings
    const box = (name: string) => page.getByRole('checkbox', { name })
    expect(await page.getByRole('radio', { name: 'Always' }).isChecked()).toBe(false)
    expect(await box('Only between').isChecked()).toBe(true)
    await box('Only when plugged in').click()
    await page.getByText('Jobs run while all of these apply.').waitFor()
    await page.getByRole('textbox', { name: 'Minutes' }).fill('15')
    await page.getByLabel('From').fill('21:30')
    await page.getByRole('radio', { name: 'Always' }).click()
    expect(await argumentsOf(page, 'settings.update')).toEqual([
      { quiet: { ...quiet, plugged: true } },
      { quiet: { ...quiet, plugged: true, idle: true, idleMinutes: 15 } },
      { quiet: { ...quiet, plugged: true, idle: true, idleMinutes: 15, from: '21:30' } },
      {
        quiet: { ...quiet, plugged: false, between: false, idle: false, idleMinutes: 15, from: '21:30' },
      },
    ])
  })

  itInLongSuite('keeps the last valid number of minutes', async () => {
    const page = await openState('settings-quiet')
    const minutes = page.getByRole('textbox', { name: 'Minutes' })
    await minutes.fill('x')
    await minutes.blur()
    expect(await minutes.inputValue()).toBe('5')
    expect(await argumentsOf(page, 'settings.update')).toEqual([])
  })

  it('counts the jobs that wait, starts them anyway, and pauses', async () => {
    const page = await openState('settings-quiet')
    await page.getByText('3 jobs are waiting until 22:00.').waitFor()
    await page.getByRole('button', { name: 'Start them anyway' }).click()
    expect(await argumentsOf(page, 'outbox.startAnyway')).toEqual([null])
    await page.getByRole('button', { name: 'Until tomorrow' }).click()
    expect(await argumentsOf(page, 'outbox.pause')).toEqual(['tomorrow'])
    const paused = await openState('settings-quiet-paused')
    await paused.getByText('3 jobs are paused until 13:04.').waitFor()
    await paused.getByRole('main').getByRole('button', { name: 'Resume' }).click()
    expect(await argumentsOf(paused, 'outbox.resume')).toHaveLength(1)
  })

  itInLongSuite(
    'says that another service finishes its jobs, and can’t run them at low priority',
    async () => {
      const page = await openState('settings-quiet-external')
      await page.getByText('127.0.0.1:3847 finishes the 2 jobs it has already accepted.').waitFor()
      expect(await page.getByRole('switch', { name: 'Leave room for other apps' }).isDisabled()).toBe(true)
    },
  )

  itInLongSuite('offers only conditions that the computer can check', async () => {
    const page = await openState('settings-quiet-unknown')
    await page.getByText('not on this desktop').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Only when plugged in' }).count()).toBe(0)
    expect(await page.getByRole('checkbox', { name: 'Only when the computer' }).isDisabled()).toBe(true)
  })
}

function checkWaiting(): void {
  it.each(
    firstOf([
      ['waiting-power', 'Waiting for AC power'],
      ['waiting-time', 'Waiting until 22:00'],
      ['waiting-idle', 'Waiting until the computer is idle'],
      ['waiting-paused', 'Paused until 13:04'],
    ]),
  )('%s: the job says what it waits for, and can be started anyway', async (name, sentence) => {
    const page = await openState(name)
    const main = page.getByRole('main')
    await main.getByText(`${sentence}, 1st of 3`, { exact: true }).waitFor()
    expect(await page.locator('.job-row-status', { hasText: sentence }).count()).toBe(3)
    const buttons = await main.locator('.pane-header .button:not(.icon-button)').allTextContents()
    expect(buttons.filter((text) => text !== '')).toEqual(['Edit', 'Start anyway'])
    await main.getByRole('button', { name: 'Start anyway' }).click()
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => argumentsOf(page, 'outbox.startAnyway')).toHaveLength(2)
  })

  itInLongSuite(
    'a job that the built-in service has paused says how far it is, and can be started anyway',
    async () => {
      const page = await openState('waiting-held')
      await page.locator('.job-row-status', { hasText: 'Waiting until 22:00, 7 of 24 done' }).waitFor()
      await page.getByRole('button', { name: 'Start anyway' }).click()
      expect(await argumentsOf(page, 'outbox.startAnyway')).toHaveLength(1)
    },
  )

  it('announces once that jobs wait, and that they run again', async () => {
    const page = await openState('waiting-held')
    const { quiet } = fixture('waiting-held').script.state
    const announced = () => page.locator('[aria-live="polite"]').allTextContents()
    const waitAMinute = () =>
      page.evaluate(() => {
        window.strings.now += 60_000
      })
    await waitAMinute()
    await change(page, { quiet: { ...quiet, wait: null } })
    await expect.poll(async () => (await announced()).join(' ')).toContain('Jobs are running again')
    await waitAMinute()
    await change(page, { quiet })
    await expect.poll(async () => (await announced()).join(' ')).toContain('Jobs are waiting')
  })
}
