import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { API_KEY, startService } from '../conformance/running-service.ts'
import { childrenOf } from '../child-processes.ts'
import { startPosedService } from './support/posed-service.ts'
import { makeHome } from './support/home.ts'
import {
  doneRow,
  picture,
  pollNow,
  row,
  startApp,
  startButton,
  startWith,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

test('a job waits here while the queue of the service is full, and is sent by itself when there is room', async () => {
  const service = await startService()
  try {
    await using app = await startWith({ baseUrl: service.baseUrl, key: API_KEY })
    const page = await app.page()
    const outputFolder = join(app.files.path, 'elsewhere')
    const filePath = await app.files.largePhoto()
    const long = await service.accept({ filePath, outputFolder, batchCount: 500 })
    const small = app.files.photo()
    for (let n = 0; n < 10; n++) await service.accept({ filePath: small, outputFolder })
    await pollNow(app)

    await app.dropFiles('.job-pane', [app.files.photo('patient.jpg')])
    await page.getByText('The queue is full. Waits here and is sent by itself.').waitFor()
    await startButton(page).click()
    await page.getByRole('heading', { name: /Waiting here/ }).waitFor()
    await row(page, 'patient.jpg').click()
    await page.getByText('The service already has 10 jobs waiting.').waitFor()
    await picture(page, 'queue-full')
    expect((await service.list()).queueLength).toBe(10)

    await service.call(`/jobs/${long.jobId}`, { method: 'DELETE' })
    await doneRow(page, 'patient.jpg').waitFor()
    expect((await stateOf(app)).outbox).toEqual([])
  } finally {
    await service.stop()
  }
})

test('a running job and one that is up next are cancelled, and the built-in service is back after it was killed', async () => {
  await using app = await startWithBuiltIn()
  const page = await app.page()
  const start = async (path: string) => {
    await app.dropFiles('.job-pane', [path])
    await page.getByLabel('Variations').fill('400')
    await page.getByLabel('Variations').blur()
    await expect.poll(async () => (await stateOf(app)).draft.variations, WITHIN).toBe(400)
    await startButton(page).click()
  }
  await start(await app.files.largePhoto('first.jpg'))
  await start(await app.files.largePhoto('second.jpg'))
  await page.getByRole('heading', { name: /Up next/ }).waitFor()
  await picture(page, 'running')

  await row(page, 'second.jpg').click()
  await page.getByRole('button', { name: 'Cancel job' }).last().click()
  await row(page, 'second.jpg').getByText('Cancelled').waitFor()
  await row(page, 'first.jpg').click()
  await page.locator('.job-pane').getByRole('button', { name: 'Cancel job' }).click()
  await row(page, 'first.jpg').getByText('Cancelled').waitFor()
  expect(app.notifications.all()).toEqual([])

  await page.keyboard.press('Control+n')
  await start(await app.files.largePhoto('third.jpg'))
  await expect.poll(async () => (await stateOf(app)).jobs[0]?.stage.kind, WITHIN).toBe('processing')
  const [service] = childrenOf(app.pid, 'service/main.js')
  if (service === undefined) throw new Error('The service is no process of the app')
  process.kill(service, 'SIGKILL')
  await row(page, 'third.jpg').getByText('The service lost track of this one').waitFor()
  expect(existsSync(join(app.files.path, 'Photos/third.jpg'))).toBe(true)
  await page.keyboard.press('Control+n')
  await app.dropFiles('.job-pane', [app.files.photo('after.jpg')])
  await startButton(page).click()
  await doneRow(page, 'after.jpg').waitFor()
})

test('an app that was killed sends what waited when it is started again, once', async () => {
  await using service = await startPosedService()
  using home = makeHome()
  {
    await using app = await startWith(service, { in: home, keep: 'keychain' })
    const page = await app.page()
    await service.close()
    await pollNow(app)
    await app.dropFiles('.job-pane', [home.photo('kept.jpg')])
    await startButton(page).click()
    await page.getByText('Start its app and the 1 job waiting here is sent.').waitFor()
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
