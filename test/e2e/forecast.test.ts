import { findWithAxe } from '../renderer/harness/find-with-axe.ts'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { API_KEY, startService } from '../conformance/running-service.ts'
import {
  doneRow,
  picture,
  type RunningApp,
  startButton,
  startWith,
  startWithBuiltIn,
  stateOf,
  submitPhoto,
  WITHIN,
} from './support/start-app.ts'

let app: RunningApp
let page: Page

beforeAll(async () => {
  app = await startWithBuiltIn()
  page = await app.page()
})
afterAll(() => app[Symbol.asyncDispose]())

const row = () => page.getByRole('status', { name: 'Result' })

test('a new job says what it will come to, and that is what comes of it', async () => {
  const names = ['one.jpg', 'two.jpg', 'three.jpg']
  await app.dropFiles(
    '.job-pane',
    names.map((name) => app.files.photo(name)),
  )
  await page.getByLabel('Preset', { exact: true }).selectOption('Web 2048')
  await expect.poll(() => row().textContent(), WITHIN).toMatch(/^About [\d.]+ .?B of [\d.]+ .?B, /)
  await expect
    .poll(async () => (await stateOf(app)).forecast, WITHIN)
    .toMatchObject({ kind: 'known', isGrowing: false })
  const { forecast } = await stateOf(app)
  await picture(page, 'forecast')
  expect(await findWithAxe(page)).toEqual([])

  await startButton(page).click()
  await doneRow(page, 'one.jpg').waitFor()
  const results = readdirSync(app.files.output).map((name) => statSync(join(app.files.output, name)).size)
  const bytes = results.reduce((sum, size) => sum + size, 0)
  expect(results).toHaveLength(names.length)
  expect(forecast?.kind === 'known' && [forecast.bytes.low <= bytes, bytes <= forecast.bytes.high]).toEqual([
    true,
    true,
  ])
  expect((await stateOf(app)).forecast).toBeNull()
  await doneRow(page, 'one.jpg').click()
  await page.getByText(/^Forecast: .+ in .+\. Came out: .+ in .+\.$/).waitFor()
  await picture(page, 'forecast-kept')
})

test('what can’t be processed is said before anything is started', async () => {
  await app.dropFiles('.job-pane', [app.files.file('broken.jpg', 'no picture at all')])
  await expect.poll(() => row().textContent(), WITHIN).toContain('Size not known')
  await page.evaluate(() => window.mediatray.draft.clear())
  await expect.poll(() => row().count(), WITHIN).toBe(0)
})

test('the studio says what the whole new job comes to, with settings that are not saved', async () => {
  await app.dropFiles(
    '.job-pane',
    ['four.jpg', 'five.jpg', 'six.jpg'].map((name) => app.files.photo(name)),
  )
  await page.getByLabel('Preset', { exact: true }).selectOption('Web 2048')
  await page.getByRole('button', { name: 'Edit preset' }).click()
  const batch = page.locator('.result-line .batch')
  await expect.poll(() => batch.textContent(), WITHIN).toMatch(/^3 photos: about [\d.]+ kB$/)
  await picture(page, 'forecast-studio')
  const before = await batch.textContent()
  await page.getByLabel('Format').selectOption('avif')
  await expect.poll(() => batch.count(), WITHIN).toBe(0)
  await expect.poll(() => batch.textContent(), WITHIN).toMatch(/^3 photos: about/)
  expect(await batch.textContent()).not.toBe(before)
  await page.getByRole('button', { name: 'Back to the new job' }).click()
  await expect.poll(() => row().textContent(), WITHIN).toMatch(/^About/)
  await page.evaluate(() => window.mediatray.draft.clear())
})

test('of another service it is known after three jobs, by what they came to', async () => {
  const service = await startService()
  onTestFinished(async () => void (await service.stop()))
  await using other = await startWith({ baseUrl: service.baseUrl, key: API_KEY })
  const its = await other.page()
  const said = its.getByRole('status', { name: 'Result' })
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg']) {
    await submitPhoto(other, name)
    await doneRow(its, name).waitFor()
  }
  await other.dropFiles('body', [other.files.photo('four.jpg'), other.files.photo('five.jpg')])
  await expect.poll(() => said.textContent(), WITHIN).toMatch(/^About [\d.]+ .?B of [\d.]+ .?B, /)
  await picture(its, 'forecast-other-service')
  await its.evaluate(() => window.mediatray.draft.update({ variations: 1, preset: 'Web 2048' }))
  await expect.poll(() => said.textContent(), WITHIN).toContain('before three jobs')
})
