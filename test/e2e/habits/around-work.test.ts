/** What the app does because work goes on, or has come to its end. */
import { describe, expect, test } from 'vitest'
import type { Job } from '../../../src/shared/api/resources.ts'
import { type PosedService, startPosedService } from '../support/posed-service.ts'
import { openSettings } from '../support/settings.ts'
import {
  pollNow,
  type RunningApp,
  startWith,
  type StartOptions,
  stateOf,
  WITHIN,
  submitPhoto,
} from '../support/start-app.ts'

const startAt = (service: PosedService, settings: StartOptions['settings'], env: StartOptions['env'] = {}) =>
  startWith(service, { settings: settings ?? {}, env })

async function submit(app: RunningApp, name: string): Promise<void> {
  await submitPhoto(app, name)
  await expect.poll(async () => (await stateOf(app)).jobs.length, WITHIN).toBe(1)
}

/** The newest job becomes this, and the app has seen it. */
async function becomes(app: RunningApp, service: PosedService, change: Partial<Job>): Promise<void> {
  service.pose(service.jobs.length, change)
  await pollNow(app)
}
const RUNNING = { status: 'processing', startedAt: new Date().toISOString() } as const
const DONE = {
  status: 'completed',
  completedAt: new Date().toISOString(),
  result: { outputPath: '/tmp/one.jpg' },
} as const
const FAILED = { status: 'failed', completedAt: new Date().toISOString(), error: 'It broke.' } as const

const noJobs = async (app: RunningApp) => {
  await expect.poll(async () => (await stateOf(app)).jobs, WITHIN).toEqual([])
}

describe('The computer is kept awake', () => {
  test('while a job runs, if that is wanted, and not a moment longer', async () => {
    await using service = await startPosedService()
    await using app = await startAt(service, { keepAwake: true })
    await submit(app, 'one.jpg')
    expect(app.recorded().powerBlockers).toBe(0)
    await becomes(app, service, RUNNING)
    await app.until('a blocker', ({ powerBlockers }) => powerBlockers === 1)
    await becomes(app, service, DONE)
    await app.until('no blocker', ({ powerBlockers }) => powerBlockers === 0)

    const page = await app.page()
    await openSettings(page, 'General')
    const choice = page.locator('#keep-awake')
    await choice.uncheck()
    await submit(app, 'two.jpg')
    await becomes(app, service, RUNNING)
    await expect.poll(async () => (await stateOf(app)).jobs[0]?.stage.kind, WITHIN).not.toBe('queued')
    expect(app.recorded().powerBlockers).toBe(0)
    await openSettings(page, 'General')
    await choice.check()
    await app.until('a blocker', ({ powerBlockers }) => powerBlockers === 1)
    await choice.uncheck()
    await app.until('no blocker', ({ powerBlockers }) => powerBlockers === 0)
  })
})

describe('When everything is done', () => {
  test('the app quits after a notice', async () => {
    await using service = await startPosedService()
    await using app = await startAt(service, { whenDone: 'quit' }, { MEDIATRAY_END_NOTICE_MS: '300' })
    await submit(app, 'last.jpg')
    await becomes(app, service, DONE).catch(() => undefined)
    expect(await app.exited).toBe(0)
  })

  test('the notice says so, and Stay open prevents it for this time only', async () => {
    await using service = await startPosedService()
    await using app = await startAt(service, { whenDone: 'quit' }, { MEDIATRAY_END_NOTICE_MS: '3600000' })
    const page = await app.page()
    const notice = page.getByText(/^Mediatray quits in \d+/)
    await submit(app, 'one.jpg')
    await becomes(app, service, DONE)
    await notice.waitFor()
    await page.getByRole('button', { name: 'Stay open' }).click()
    await notice.waitFor({ state: 'detached' })
    expect((await stateOf(app)).ending).toBe(null)

    await submit(app, 'two.jpg')
    await becomes(app, service, DONE)
    await notice.waitFor()
    // New work is reason enough to stay.
    await submit(app, 'three.jpg')
    await notice.waitFor({ state: 'detached' })
  })

  test('a sound is heard, but nothing happens while a problem waits for a person', async () => {
    await using service = await startPosedService()
    await using app = await startAt(service, { whenDone: 'sound' })
    await submit(app, 'fine.jpg')
    await becomes(app, service, DONE)
    await app.until('the sound', ({ shellCalls }) => shellCalls.some(({ call }) => call === 'beep'))

    const page = await app.page()
    await openSettings(page, 'General')
    await page.locator('#when-done').selectOption('quit')
    await app.blurWindow()
    await submit(app, 'broken.jpg')
    await becomes(app, service, FAILED)
    await noJobs(app)
    expect(await stateOf(app)).toMatchObject({ unseen: 1, ending: null })
  })
})
