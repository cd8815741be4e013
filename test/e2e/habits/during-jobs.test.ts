/** The app's behavior while jobs run and when they end. */
import { describe, expect, test } from 'vitest'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import type { SettingsPatch } from '../../../src/shared/model/settings.ts'
import { type StubService, startStubService } from '../support/stub-service.ts'
import { openSettings } from '../support/settings.ts'
import { describeInLongSuite } from '../support/long-suite.ts'
import { shareApp } from '../support/share-app.ts'
import {
  pollNow,
  type RunningApp,
  startWith,
  stateOf,
  submitPhoto,
  trayLines,
  WITHIN,
} from '../support/start-app.ts'

/** The notice before the app quits stays until a test ends it. */
const shared = shareApp({ env: { MEDIATRAY_END_NOTICE_MS: '3600000' } })

/** The shared app without jobs, with these settings. */
async function appWith(patch: SettingsPatch) {
  const { app, service } = await shared()
  const page = await app.page()
  const update = (settings: SettingsPatch) =>
    page.evaluate((chosen) => window.mediatray.settings.update(chosen), settings)
  await update({ whenDone: 'nothing' })
  for (const number of service.jobs.keys()) service.pose(number + 1, DONE)
  await pollNow(app)
  await noJobs(app)
  await update(patch)
  return { app, service, page }
}

async function submit(app: RunningApp, name: string): Promise<void> {
  await submitPhoto(app, name)
  await expect.poll(async () => (await stateOf(app)).jobs.length, WITHIN).toBe(1)
}

/** Changes the newest job at the service and makes the app poll it. */
async function becomes(app: RunningApp, service: StubService, change: Partial<ServiceJob>): Promise<void> {
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

describe('the computer is kept awake', () => {
  test('only while a job is running, and only if the user wants that', async () => {
    const { app, service, page } = await appWith({ keepAwake: true })
    await submit(app, 'one.jpg')
    expect(app.recorded().powerBlockers).toBe(0)
    await becomes(app, service, RUNNING)
    await app.until('a blocker', ({ powerBlockers }) => powerBlockers === 1)
    await becomes(app, service, DONE)
    await app.until('no blocker', ({ powerBlockers }) => powerBlockers === 0)

    await openSettings(page, 'Automation')
    const choice = page.locator('#keepAwake')
    await choice.uncheck()
    await submit(app, 'two.jpg')
    await becomes(app, service, RUNNING)
    await expect.poll(async () => (await stateOf(app)).jobs[0]?.stage.kind, WITHIN).not.toBe('queued')
    expect(app.recorded().powerBlockers).toBe(0)
    await openSettings(page, 'Automation')
    await choice.check()
    await app.until('a blocker', ({ powerBlockers }) => powerBlockers === 1)
    await choice.uncheck()
    await app.until('no blocker', ({ powerBlockers }) => powerBlockers === 0)
  })
})

describe('quiet mode', () => {
  test('holds jobs while the user pauses from the tray, or the computer is in use, until they are started anyway', async () => {
    const { app, page } = await appWith({})
    const row = (name: string, state: string) =>
      page.locator('.job-row', { hasText: name }).filter({ hasText: state })
    await app.tray.choose('Pause', 'For 1 hour')
    await submitPhoto(app, 'one.jpg')
    await row('one.jpg', 'Paused until').waitFor()
    expect((await stateOf(app)).jobs).toEqual([])
    await app.until('the tray', () => trayLines(app).includes('Resume'))
    await app.tray.choose('Resume')
    await expect.poll(async () => (await stateOf(app)).jobs.length, WITHIN).toBe(1)

    await app.power.idle(30)
    await openSettings(page, 'Automation > Quiet mode')
    await page.getByRole('checkbox', { name: 'Only when the computer has been idle for' }).check()
    await submitPhoto(app, 'two.jpg')
    await row('two.jpg', 'Waiting until the computer is idle').click()
    await page.getByRole('main').getByRole('button', { name: 'Start anyway' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect.poll(async () => (await stateOf(app)).jobs.length, WITHIN).toBe(2)

    await submitPhoto(app, 'three.jpg')
    await row('three.jpg', 'Waiting until the computer is idle').waitFor()
    await app.power.idle(600)
    await app.power.resume()
    await expect.poll(async () => (await stateOf(app)).jobs.length, WITHIN).toBe(3)
  })
})

describeInLongSuite('when everything is done', () => {
  test('the app quits after a notice', async () => {
    await using service = await startStubService()
    await using app = await startWith(service, {
      settings: { whenDone: 'quit' },
      env: { MEDIATRAY_END_NOTICE_MS: '300' },
    })
    await submit(app, 'last.jpg')
    await becomes(app, service, DONE).catch(() => undefined)
    expect(await app.exited).toBe(0)
  })

  test('quitting is announced by a notice, and Stay open cancels it this time only', async () => {
    const { app, service, page } = await appWith({ whenDone: 'quit' })
    const notice = page.locator('[data-region="notice"]').getByText(/^Mediatray quits in \d+/)
    await submit(app, 'one.jpg')
    await becomes(app, service, DONE)
    await notice.waitFor()
    await page.getByRole('button', { name: 'Stay open' }).click()
    await notice.waitFor({ state: 'detached' })
    expect((await stateOf(app)).ending).toBe(null)

    await submit(app, 'two.jpg')
    await becomes(app, service, DONE)
    await notice.waitFor()
    // A new job keeps the app running.
    await submit(app, 'three.jpg')
    await notice.waitFor({ state: 'detached' })
  })

  test('the app plays a sound, but doesn’t quit while the user hasn’t seen a problem', async () => {
    const { app, service, page } = await appWith({ whenDone: 'sound' })
    await submit(app, 'fine.jpg')
    await becomes(app, service, DONE)
    await app.until('the sound', ({ shellCalls }) => shellCalls.some(({ call }) => call === 'beep'))

    await openSettings(page, 'Automation')
    await page.locator('#when-done').selectOption('quit')
    await app.blurWindow()
    await submit(app, 'broken.jpg')
    await becomes(app, service, FAILED)
    await noJobs(app)
    await expect.poll(() => stateOf(app), WITHIN).toMatchObject({ unseen: 1, ending: null })
  })
})
