import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { NARROW, openState, WIDE } from '../harness/open-state.ts'
import { checkStates } from './check-states.ts'

/** The waiting jobs: at the service and in the outbox. */
export function checkQueue(): void {
  checkReasons()
  checkStates(STATES)
}

const STATES = [
  ['queue', WIDE, 'light'],
  ['queue-external', NARROW, 'dark'],
  ['queue', NARROW, 'light'],
  ['queue', WIDE, 'dark'],
  ['queue-external', WIDE, 'light'],
] as const

const waitingSection = (page: Page) =>
  page.locator('.job-section', { has: page.getByRole('heading', { name: /^Waiting/ }) })

function checkReasons(): void {
  it('shows all waiting jobs in one section, each with its place or what it waits for', async () => {
    const page = await openState('queue', { width: 880, height: 860 })
    expect(await waitingSection(page).getByRole('heading').innerText()).toMatch(/^Waiting\s*10$/)
    expect(await waitingSection(page).locator('.job-row-status').allInnerTexts()).toEqual([
      'Next, H.264 1080p',
      '2nd, Print A4 300 dpi',
      '3rd, Web 2048',
      ...Array.from({ length: 5 }, () => 'Waiting until 22:00'),
      'Being edited in a new job',
      'Waiting for the preset “Print A5”',
    ])
    expect(await page.locator('.text-warning').allInnerTexts()).toContain('Waiting for the preset “Print A5”')
    await page.locator('.job-pane').getByText('Waiting until 22:00, 4th of 10').waitFor()
    await page.locator('.job-row', { hasText: 'harbour-walk.mp4' }).click()
    await page.getByText('Waiting, 1st of 10').waitFor()
    await page.getByText('has accepted this job and starts it next. Its place can’t be changed.').waitFor()
  })

  it('says which jobs another service has, and which are sent when it has room', async () => {
    const page = await openState('queue-external', { width: 880, height: 860 })
    expect(await waitingSection(page).locator('.job-row-status').allInnerTexts()).toEqual([
      'Next, at the service',
      '2nd, at the service',
      '3rd, at the service',
      ...['4th', '5th', '6th', '7th', '8th'].map((place) => `${place}, sent when there’s room`),
      'Being edited in a new job',
      'Waiting for Drive',
    ])
    await page
      .getByText('127.0.0.1:3847 has accepted this job and starts it after the job ahead of it.')
      .waitFor()
  })
}
