import { chooseOption } from '../renderer/harness/choose-option.ts'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import type { ServiceJob } from '../../src/shared/api/resources.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { type StubService, startStubService } from './support/stub-service.ts'
import {
  picture,
  pollNow,
  row,
  type RunningApp,
  startButton,
  startWith,
  stateOf,
  trayLines,
  WITHIN,
} from './support/start-app.ts'

let service: StubService
let app: RunningApp
let page: Page

beforeAll(async () => {
  service = await startStubService()
  service.drive = { clientConfigured: true, connected: true, email: 'me@example.org', scope: null }
  app = await startWith(service)
  await app.clock.hold()
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await app.blurWindow()
  await page.evaluate(() => window.mediatray.draft.clear())
})

const COMMON = ['', 'Open Mediatray', 'Settings…', 'Quit Mediatray'] as const

/**
 * Starts a job through the window without a click: a click would give the page focus, which Chromium never takes away.
 * @returns its number at the service
 */
async function start(...names: readonly string[]): Promise<number> {
  const before = service.jobs.length
  const wasInFront = app.windows()[0]?.focused === true
  await app.tray.choose('New job…')
  await app.dropFiles(
    '.job-pane',
    names.map((name) => app.files.photo(name)),
  )
  await startButton(page).waitFor()
  if (!wasInFront) await app.blurWindow()
  await startButton(page).evaluate((button: HTMLButtonElement) => button.click())
  await expect.poll(() => service.jobs.length, WITHIN).toBe(before + 1)
  return service.jobs.length
}

/** Creates the result files that a job names, because a job counts as done only if they exist. */
function makeResults({ result, results = [] }: Partial<ServiceJob>): void {
  const paths = [...results, ...(result === undefined ? [] : [result])].map(({ outputPath }) => outputPath)
  for (const path of paths.filter((one) => one.startsWith(app.files.output) && !existsSync(one))) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'a result')
  }
}

async function pose(number: number, change: Partial<ServiceJob>): Promise<void> {
  makeResults(change)
  service.pose(number, change)
  await pollNow(app)
}

const results = (...names: readonly string[]) =>
  names.map((name) => ({ file: name, outputPath: `${app.files.output}/${name}` }))
const END = { status: 'completed', completedAt: '2026-11-20T13:00:00.000Z' } as const
const newest = () => app.notifications.all().at(-1)
const trayShows = (icon: string, toolTip: string, lines: readonly string[]) =>
  app.until(`the tray of "${toolTip}"`, ({ trays }) => {
    const [tray] = trays
    return (
      tray?.icon.includes(`/${icon}`) === true &&
      tray.toolTip === toolTip &&
      JSON.stringify(trayLines(app)) === JSON.stringify([...lines, ...COMMON])
    )
  })

describe('the tray', () => {
  test('is idle, then shows the running job, and then the results of the last job', async () => {
    // With the window in front, no notifications are shown, and suppressed ones aren't summarized later.
    await app.focusWindow()
    const address = service.baseUrl.replace(/^http:\/\/(.*)\/api$/, '$1')
    await trayShows('idle', 'Mediatray, nothing to do', [
      `Connected, ${address}`,
      '',
      'New job…',
      'Process clipboard',
      '',
      'Pause',
    ])

    const first = await start('DSC_4821.jpg', 'DSC_4822.jpg')
    const second = await start('later.jpg')
    await pose(first, { status: 'processing', progress: { totalProgress: 29, phase: 'resizing' } })
    await trayShows('busy', '29%, 1 waiting', [
      'DSC_4821.jpg + 1 more, 29%',
      '1 waiting',
      '',
      'New job…',
      'Process clipboard',
      '',
      'Cancel this job',
      'Pause',
    ])
    await app.until('the progress bar', ({ progress }) => Math.abs(progress - 0.29) < 0.005)
    await picture(page, 'busy')

    await pose(first, { ...END, results: results('DSC_4821.jpg', 'DSC_4822.jpg') })
    await pose(second, { status: 'processing', progress: {} })
    await expect.poll(() => app.progressBar(), WITHIN).toBe(0.01)
    // The app shows a result only if the file exists and is a photo.
    mkdirSync(app.files.output, { recursive: true })
    copyFileSync(`${app.files.path}/Photos/later.jpg`, `${app.files.output}/later.jpg`)
    await pose(second, { ...END, result: { outputPath: `${app.files.output}/later.jpg` } })
    await trayShows('idle', 'Mediatray, nothing to do', [
      `Connected, ${address}`,
      '',
      'New job…',
      'Process clipboard',
      '',
      'Pause',
      '',
      'Show last result   (later.jpg)',
    ])
    await app.until('no progress bar', ({ windows }) => windows[0]?.progress === -1)
    await app.until('no badge', ({ badge }) => badge === 0)
    await app.tray.choose('Show last result   (later.jpg)')
    await app.until('the result', ({ shellCalls }) =>
      shellCalls.some(({ target }) => target === `${app.files.output}/later.jpg`),
    )
  })
})

const ACTIONS = ['New job…', 'Process clipboard', '', 'Pause'] as const

describe('problems', () => {
  test('cause one notification, stay in the tray and the badge until the user views them, and can be retried from the tray', async () => {
    const job = await start('scan_001.jpg', 'scan_002.jpg')
    await pose(job, {
      ...END,
      results: results('scan_001.jpg'),
      errors: [{ file: `${app.files.path}/Photos/scan_002.jpg`, error: 'The file is damaged' }],
    })
    await trayShows('attention', '1 job has problems', [
      'scan_001.jpg + 1 more: 1 problem',
      '',
      'Show problems',
      'Retry 1 file',
      '',
      ...ACTIONS,
    ])
    await app.until('the badge', ({ badge }) => badge === 1)
    await app.until('the notification', () => newest()?.title === '1 of 2 photos are ready')
    expect(newest()?.body).toBe('Couldn’t process 1 file: scan_002.jpg')
    await app.tray.choose('Show problems')
    await page.getByRole('heading', { name: /Problems/ }).waitFor()
    await app.until('the badge to go', ({ badge }) => badge === 0)
    await app.until('the tray to be idle', ({ trays }) => trays[0]?.icon.includes('/idle') === true)
  })

  test('of a whole job are shown as one failure that names the reason and states that the original is unchanged', async () => {
    await app.blurWindow()
    const job = await start('teaser.jpg')
    await pose(job, { status: 'failed', error: 'the disk is full', completedAt: END.completedAt })
    await app.until('the failure', () => newest()?.title === 'teaser.jpg failed')
    expect(newest()?.body).toBe('“the disk is full”. The original is unchanged.')
    await app.until('the tray', () => trayLines(app).includes('Retry 1 file'))
    await app.tray.choose('Retry 1 file')
    await expect
      .poll(async () => (await stateOf(app)).draft.source, WITHIN)
      .toMatchObject({ items: [{ name: 'teaser.jpg' }] })
    await app.until('the badge to go', ({ badge }) => badge === 0)
  })
})

describe('notifications', () => {
  test('about more than two jobs that end within a minute become one summary', async () => {
    // The tests above showed two notifications within the same minute of the stopped clock.
    const told = app.notifications.all().length
    const job = await start('third.jpg')
    await pose(job, { ...END, result: { outputPath: `${app.files.output}/third.jpg` } })
    await app.until('the summary', () => newest()?.title === '3 jobs are done')
    expect(newest()?.body).toBe('2 files are ready, 2 had problems')
    expect(app.notifications.all().map(({ state }) => state)).toEqual([
      ...Array.from({ length: told }, () => 'closed'),
      'shown',
    ])
    await app.notifications.click(newest()?.number ?? -1)
    await app.until('the window', ({ windows }) => windows[0]?.focused === true)
  })

  test('are suppressed while the window is in front, and when they are switched off', async () => {
    const before = app.notifications.all().length
    await app.focusWindow()
    const seen = await start('seen.jpg')
    await pose(seen, { ...END, result: { outputPath: `${app.files.output}/seen.jpg` } })
    await row(page, 'seen.jpg').getByText('1 photo, ').waitFor()
    await app.blurWindow()
    const { notifications } = (await stateOf(app)).settings
    await page.evaluate(
      (choices) => window.mediatray.settings.update({ notifications: { ...choices, done: false } }),
      notifications,
    )
    const quiet = await start('quiet.jpg')
    await pose(quiet, { ...END, result: { outputPath: `${app.files.output}/quiet.jpg` } })
    await row(page, 'quiet.jpg').getByText('1 photo, ').waitFor()
    expect(app.notifications.all()).toHaveLength(before)
    await page.evaluate(
      (choices) => window.mediatray.settings.update({ notifications: choices }),
      notifications,
    )
  })
})

testInLongSuite('a job for Drive isn’t done until its upload is finished', async () => {
  await page.keyboard.press('ControlOrMeta+n')
  await app.dropFiles('.job-pane', [app.files.photo('interview.jpg')])
  await chooseOption(page, 'Save to', 'Drive folder')
  await page
    .getByLabel('Folder ID')
    .fill('https://drive.google.com/drive/folders/1ZqABCDEFGHIJKLMNOPQRSTUVmUd')
  await page.getByText('From the link you pasted.').waitFor()
  const before = service.jobs.length
  await startButton(page).click()
  await expect.poll(() => service.jobs.length, WITHIN).toBe(before + 1)
  const job = service.jobs.length
  const drive = { outputFolderId: '1ZqABCDEFGHIJKLMNOPQRSTUVmUd' }
  const told = app.notifications.all().length

  await pose(job, { ...END, result: { outputPath: '/tmp/interview.jpg' }, drive })
  await row(page, 'interview.jpg').getByText('Processed, uploading to Drive').waitFor()
  await app.until('the tray to be busy', ({ trays }) => trays[0]?.icon.includes('/busy') === true)
  expect(app.notifications.all()).toHaveLength(told)
  await picture(page, 'uploading')

  await pose(job, { drive: { ...drive, uploadResult: { uploaded: 1, errors: [] } } })
  await row(page, 'interview.jpg').getByText('1 photo, ').waitFor()
  await app.until('the end of the upload', () => app.notifications.all().length > told)
  await app.until('no progress bar', ({ windows }) => windows[0]?.progress === -1)
})

describe('the service', () => {
  test('doesn’t block the user when it isn’t running: jobs wait in the app, and the tray shows the problem', async () => {
    await service.close()
    await pollNow(app)
    await trayShows('offline', 'Service not running', [
      'The service isn’t running',
      '',
      'Use built-in service',
      'Try again',
      '',
      ...ACTIONS,
    ])
    const jobs = service.jobs.length
    await page.keyboard.press('ControlOrMeta+n')
    await app.dropFiles('.job-pane', [app.files.photo('offline.jpg')])
    await page.getByText('The service isn’t running. The job waits here until it is.').waitFor()
    await startButton(page).click()
    await trayShows('offline', 'Service not running, 1 waiting', [
      'The service isn’t running',
      '1 job is waiting',
      '',
      'Use built-in service',
      'Try again',
      '',
      ...ACTIONS,
    ])
    await service.open()
    await app.tray.choose('Try again')
    await expect.poll(() => service.jobs.length, WITHIN).toBe(jobs + 1)
    await page.getByRole('region', { name: 'Notice' }).waitFor({ state: 'detached' })
    await pose(jobs + 1, { ...END, result: { outputPath: `${app.files.output}/offline.jpg` } })
    await app.until('the tray to be idle', ({ trays }) => trays[0]?.icon.includes('/idle') === true)
  })

  test('refuses the old key after a change, and accepts the job once the new one is entered', async () => {
    await app.blurWindow()
    service.key = 'second-key'
    await page.keyboard.press('ControlOrMeta+n')
    await app.dropFiles('.job-pane', [app.files.photo('keyed.jpg')])
    await startButton(page).click()
    await trayShows('attention', 'The service rejected the API key', [
      'The service rejected the API key',
      '',
      'Enter new key…',
      '',
      ...ACTIONS,
    ])
    await row(page, 'keyed.jpg').getByText('Waiting for a new API key').waitFor()
    await app.until('the notification', () => newest()?.title === 'The service rejected the API key')
    const asked = service.requests.length
    await picture(page, 'key-rejected')

    await app.tray.choose('Enter new key…')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), WITHIN).toBe('notice-key')
    await page.keyboard.type('wrong-key')
    await page.keyboard.press('Enter')
    await page.getByText('The service rejected this key.').waitFor()
    await page.getByLabel('API key').fill('second-key')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Notice' }).waitFor({ state: 'detached' })
    await expect.poll(() => service.jobs[0]?.fileName, WITHIN).toBe('keyed.jpg')
    expect(service.requests.slice(asked).filter((request) => request === 'POST /jobs')).toHaveLength(1)
    expect((await stateOf(app)).connection.key).toBe('keychain')
    await page.evaluate(() => window.mediatray.connection.forgetKey())
  })
})
