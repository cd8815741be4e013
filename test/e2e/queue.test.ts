import { choosePreset } from '../renderer/harness/choose-option.ts'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startService } from '../conformance/running-service.ts'
import { childrenOf } from '../child-processes.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { share } from './support/share-app.ts'
import { startStubService, type StubService } from './support/stub-service.ts'
import { makeHome } from './support/home.ts'
import {
  doneRow,
  picture,
  pollNow,
  row,
  type RunningApp,
  startApp,
  startButton,
  startWith,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

testInLongSuite(
  'a job waits while the service’s queue is full, and is sent automatically when there is room',
  async () => {
    await using service = await startService()
    await using app = await startWith(service)
    const page = await app.page()
    const outputFolder = join(app.files.path, 'elsewhere')
    const filePath = await app.files.largePhoto()
    const long = await service.accept({ filePath, outputFolder, batchCount: 500 })
    const small = app.files.photo()
    for (let n = 0; n < 10; n++) await service.accept({ filePath: small, outputFolder })
    await pollNow(app)

    await app.dropFiles('.job-pane', [app.files.photo('patient.jpg')])
    await page.getByText('The queue is full. The job waits here and is sent automatically.').waitFor()
    await startButton(page).click()
    await page.getByRole('heading', { name: /^Waiting/ }).waitFor()
    await row(page, 'patient.jpg').click()
    await page.getByText('The service already has 10 jobs in its queue.').waitFor()
    await picture(page, 'queue-full')
    expect((await service.list()).queueLength).toBe(10)

    await service.cancel(long.jobId)
    await doneRow(page, 'patient.jpg').waitFor()
    expect((await stateOf(app)).outbox).toEqual([])
  },
)

const shared = share(() => startWithBuiltIn())

/** Starts a job that takes long, with 400 variations of a photo. */
async function startLongJob(app: RunningApp, name: string): Promise<void> {
  const page = await app.page()
  await app.dropFiles('.job-pane', [await app.files.largePhoto(name)])
  await choosePreset(page, 'Dataset variations')
  await page.getByLabel('Variations', { exact: true }).fill('400')
  await page.getByLabel('Variations', { exact: true }).blur()
  await expect.poll(async () => (await stateOf(app)).draft.variations, WITHIN).toBe(400)
  await startButton(page).click()
}

test('a running job and a queued one can be canceled', async () => {
  const app = await shared()
  const page = await app.page()
  await startLongJob(app, 'first.jpg')
  await startLongJob(app, 'second.jpg')
  await page.getByRole('heading', { name: /^Waiting/ }).waitFor()
  await picture(page, 'running')

  await row(page, 'second.jpg').click()
  await page.getByRole('button', { name: 'Cancel job' }).last().click()
  await row(page, 'second.jpg').getByText('Canceled').waitFor()
  await row(page, 'first.jpg').click()
  await page.locator('.job-pane').getByRole('button', { name: 'Cancel job' }).click()
  await row(page, 'first.jpg').getByText('Canceled').waitFor()
  expect(app.notifications.all()).toEqual([])
})

testInLongSuite('the built-in service restarts after it is killed', async () => {
  const app = await shared()
  const page = await app.page()
  await page.keyboard.press('ControlOrMeta+n')
  await startLongJob(app, 'third.jpg')
  const made = () => (existsSync(app.files.output) ? readdirSync(app.files.output) : [])
  await expect.poll(() => made().some((name) => name.startsWith('third')), WITHIN).toBe(true)
  const [service] = childrenOf(app.pid, 'service/main.js')
  if (service === undefined) throw new Error('The service isn’t a child process of the app')
  process.kill(service, 'SIGKILL')
  // Some of the job's variations are done, so the user is asked before the others run.
  await expect
    .poll(async () => (await stateOf(app)).outbox.map(({ state }) => state.kind), WITHIN)
    .toEqual(['unknown'])
  expect(existsSync(join(app.files.path, 'Photos/third.jpg'))).toBe(true)
  await page.keyboard.press('ControlOrMeta+n')
  await app.dropFiles('.job-pane', [app.files.photo('after.jpg')])
  // A new job begins with the last choices: 400 variations.
  await choosePreset(page, 'Web 2048')
  await startButton(page).click()
  await doneRow(page, 'after.jpg').waitFor()
})

/** Starts three jobs while the service doesn't respond, and moves them. */
async function reorderThree(app: RunningApp, service: StubService): Promise<void> {
  const page = await app.page()
  await service.close()
  await pollNow(app)
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) {
    await page.keyboard.press('ControlOrMeta+n')
    await app.dropFiles('.job-pane', [app.files.photo(name)])
    await startButton(page).click()
    await row(page, name).waitFor()
  }
  await row(page, 'c.jpg').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  const order = async () => (await stateOf(app)).outbox.map(({ name }) => name)
  await expect.poll(order, WITHIN).toEqual(['c.jpg', 'a.jpg', 'b.jpg'])
  await row(page, 'a.jpg').click()
  await page.getByRole('button', { name: 'Move down' }).click()
  await expect.poll(order, WITHIN).toEqual(['c.jpg', 'b.jpg', 'a.jpg'])
  await page.getByText('Waiting, 3rd of 3').waitFor()
  await picture(page, 'queue-order')
}

async function areSentInOrder(app: RunningApp, service: StubService): Promise<void> {
  await expect.poll(() => service.jobs.length, WITHIN).toBe(3)
  expect(service.jobs.toReversed().map(({ fileName }) => fileName)).toEqual(['c.jpg', 'b.jpg', 'a.jpg'])
  await expect.poll(async () => (await stateOf(app)).outbox, WITHIN).toEqual([])
}

test('waiting jobs run in the order that the user chooses', async () => {
  await using service = await startStubService()
  await using app = await startWith(service)
  await reorderThree(app, service)
  await service.open()
  await pollNow(app)
  await areSentInOrder(app, service)
})

testInLongSuite(
  'waiting jobs run in the order that the user chose also after the app was killed',
  async () => {
    await using service = await startStubService()
    using home = makeHome()
    {
      await using app = await startWith(service, { in: home, keep: 'keychain' })
      await reorderThree(app, service)
      await app.kill('SIGKILL')
    }
    await service.open()
    await using app = await startApp({ in: home })
    await areSentInOrder(app, service)
  },
)

testInLongSuite('an app that was killed sends each waiting job once when it is launched again', async () => {
  await using service = await startStubService()
  using home = makeHome()
  {
    await using app = await startWith(service, { in: home, keep: 'keychain' })
    const page = await app.page()
    await service.close()
    await pollNow(app)
    await app.dropFiles('.job-pane', [home.photo('kept.jpg')])
    await startButton(page).click()
    await page.getByText('Start its app to send the 1 waiting job.').waitFor()
    await picture(page, 'not-running')
    await app.kill('SIGKILL')
  }
  await service.open()
  await using app = await startApp({ in: home })
  const page = await app.page()
  await expect.poll(() => service.jobs.map(({ fileName }) => fileName), WITHIN).toEqual(['kept.jpg'])
  await row(page, 'kept.jpg').waitFor()
  await expect.poll(async () => (await stateOf(app)).outbox, WITHIN).toEqual([])
  expect(service.requests.filter((request) => request === 'POST /jobs')).toHaveLength(1)
})
