import { choosePreset } from '../renderer/harness/choose-option.ts'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService } from '../conformance/running-service.ts'
import { testInLongSuite } from './support/long-suite.ts'
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

const row = () => page.getByRole('group', { name: 'Estimate' }).locator('.estimate')

test('a new job shows an estimate that matches the results', async () => {
  const names = ['one.jpg', 'two.jpg', 'three.jpg']
  await app.dropFiles(
    '.job-pane',
    names.map((name) => app.files.photo(name)),
  )
  await choosePreset(page, 'Web 2048')
  await expect.poll(() => row().textContent(), WITHIN).toMatch(/^About [\d.]+ .?B of [\d.]+ .?B, /)
  await expect
    .poll(async () => (await stateOf(app)).estimate, WITHIN)
    .toMatchObject({ total: { kind: 'known', isGrowing: false } })
  const estimate = (await stateOf(app)).estimate?.total
  await picture(page, 'estimate')

  await startButton(page).click()
  await doneRow(page, 'one.jpg').waitFor()
  const results = readdirSync(app.files.output).map((name) => statSync(join(app.files.output, name)).size)
  const bytes = results.reduce((sum, size) => sum + size, 0)
  expect(results).toHaveLength(names.length)
  expect(estimate?.kind === 'known' && [estimate.bytes.low <= bytes, bytes <= estimate.bytes.high]).toEqual([
    true,
    true,
  ])
  expect((await stateOf(app)).estimate).toBeNull()
  await doneRow(page, 'one.jpg').click()
  await page.getByText(/^Estimated: .+ in .+\. Actual: .+ in .+\.$/).waitFor()
  await picture(page, 'estimate-kept')
})

test('files that can’t be processed are reported before the job is started', async () => {
  await app.dropFiles('.job-pane', [app.files.file('broken.jpg', 'no picture at all')])
  await expect.poll(() => row().textContent(), WITHIN).toContain('Size unknown')
  await page.evaluate(() => window.mediatray.draft.clear())
  await expect.poll(() => row().count(), WITHIN).toBe(0)
})

testInLongSuite('the preset editor estimates the whole new job with unsaved settings', async () => {
  await app.dropFiles(
    '.job-pane',
    ['four.jpg', 'five.jpg', 'six.jpg'].map((name) => app.files.photo(name)),
  )
  await choosePreset(page, 'Web 2048')
  await page.getByRole('button', { name: 'Edit preset' }).click()
  const batch = page.locator('.result-line .batch-estimate')
  await expect.poll(() => batch.textContent(), WITHIN).toMatch(/^3 photos: about [\d.]+ kB$/)
  await picture(page, 'estimate-studio')
  const before = await batch.textContent()
  await page.getByLabel('Format').selectOption('webp')
  // Hidden until the new estimate is known.
  await expect
    .poll(async () => (await batch.allTextContents()).filter((text) => text !== before), WITHIN)
    .toEqual([expect.stringMatching(/^3 photos: about/)])
  await page.getByRole('button', { name: 'Back to the new job' }).click()
  await expect.poll(() => row().textContent(), WITHIN).toMatch(/^About/)
  await page.evaluate(() => window.mediatray.draft.clear())
})

testInLongSuite('the estimate for another service is based on three finished jobs', async () => {
  await using service = await startService()
  await using other = await startWith(service)
  const its = await other.page()
  const said = its.getByRole('group', { name: 'Estimate' }).locator('.estimate')
  for (const name of ['one.jpg', 'two.jpg', 'three.jpg']) {
    await submitPhoto(other, name)
    await doneRow(its, name).waitFor()
  }
  await other.dropFiles('body', [other.files.photo('four.jpg'), other.files.photo('five.jpg')])
  await expect.poll(() => said.textContent(), WITHIN).toMatch(/^About [\d.]+ .?B of [\d.]+ .?B, /)
  await picture(its, 'estimate-other-service')
  await its.evaluate(() => window.mediatray.draft.update({ variations: 1, presets: ['Web 2048'] }))
  await expect.poll(() => said.textContent(), WITHIN).toContain('until three jobs')
})
