/** The built-in service's cloud drive: rclone with a WebDAV server behind a gate that can hold or reject requests. */
import { chooseOption } from '../../renderer/harness/choose-option.ts'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Gate, openGate } from '../../service/drive/gate.ts'
import { type Remotes, startRemotes } from '../../service/drive/remotes.ts'
import { testInLongSuite } from '../support/long-suite.ts'
import { leaveForJobs, openSettings } from '../support/settings.ts'
import {
  FASTER,
  doneRow,
  pollNow,
  row,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from '../support/start-app.ts'

let remotes: Remotes
let gate: Gate
let app: RunningApp
let page: Page

beforeAll(async () => {
  remotes = await startRemotes()
  gate = await openGate(remotes.davPort)
  await remotes.add('cloud', { type: 'webdav', url: gate.url, vendor: 'other' })
  app = await startWithBuiltIn({ env: { ...FASTER, RCLONE_CONFIG: remotes.config } })
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await gate.close()
  await remotes.stop()
})
beforeEach(async () => {
  gate.rule(() => 'pass')
  await page.evaluate(() => window.mediatray.draft.clear())
})

const folder = (name: string): string => {
  mkdirSync(join(remotes.davRoot, name), { recursive: true })
  return name
}
const inFolder = (name: string) => readdirSync(join(remotes.davRoot, name)).toSorted()

/** Adds files to the composer and selects an existing Drive folder as the output. */
async function compose(files: readonly string[], output: string): Promise<void> {
  await app.dropFiles('.job-pane', files)
  await chooseOption(page, 'Save to', 'Drive folder')
  const picker = page.getByRole('dialog')
  await picker.getByRole('option', { name: output, exact: true }).click()
  await picker.getByRole('button', { name: `Use “${output}”` }).click()
  await willSaveTo(output)
}

/** Enters a folder ID in the composer, without the picker. */
async function enterOutput(output: string): Promise<void> {
  await page.getByLabel('Folder ID').fill(output)
  await willSaveTo(output)
}

const willSaveTo = (folderId: string) =>
  expect.poll(async () => (await stateOf(app)).draft.output, WITHIN).toEqual({ kind: 'drive', folderId })

const titles = () => app.notifications.all().map(({ title }) => title)
const details = () => page.locator('.job-pane')

test('without a drive, the composer explains why and disables the Start button', async () => {
  await expect
    .poll(async () => (await stateOf(app)).connection.drive, WITHIN)
    .toMatchObject({ clientConfigured: false })
  await app.dropFiles('.job-pane', [app.files.photo('early.jpg')])
  await chooseOption(page, 'Save to', 'Drive folder')
  await enterOutput('results')
  await page.getByText('The service isn’t connected to Drive.').waitFor()
  await page.getByText('Connect Drive, or save to a folder.').waitFor()
  expect(await startButton(page).isDisabled()).toBe(true)
})

test('a drive chosen from rclone’s remotes is available immediately', async () => {
  await openSettings(page, 'Advanced > Service')
  const choice = page.getByLabel('Drive for the built-in service')
  await expect
    .poll(() => choice.locator('option').allTextContents(), WITHIN)
    .toEqual([expect.any(String), 'cloud', 'dav', 'disk'])
  await choice.selectOption('cloud')
  await expect
    .poll(async () => (await stateOf(app)).connection.drive, WITHIN)
    .toMatchObject({ clientConfigured: true, connected: true })
  await leaveForJobs(page)
})

testInLongSuite('a missing Drive folder is reported before anything is sent', async () => {
  await compose([app.files.photo('astray.jpg')], folder('Somewhere'))
  await enterOutput('nowhere at all')
  await startButton(page).click()
  await page.getByText('This folder doesn’t exist in the cloud drive: nowhere at all').waitFor()
  expect(await stateOf(app)).toMatchObject({ jobs: [], outbox: [] })

  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: /Drive folder/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('missing')
  await dialog.getByRole('button', { name: /Use/ }).click()
  await dialog.getByText('This folder doesn’t exist in the cloud drive: missing').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

test('a job is not done while it uploads to Drive, and its results are not offered locally afterwards', async () => {
  const output = folder('Results 2026')
  gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
  await compose([app.files.photo('holiday.jpg')], output)
  await app.blurWindow()
  await startButton(page).click()
  await row(page, 'holiday.jpg').getByText('Processed, uploading to Drive').waitFor()
  await gate.held()
  await pollNow(app)
  expect(titles()).toEqual([])
  expect((await stateOf(app)).jobs).toHaveLength(1)
  expect(inFolder(output)).toEqual([])

  gate.rule(() => 'pass')
  await app.until('the notification', ({ notifications }) => notifications.length > 0)
  expect(titles()).toEqual(['1 photo is in Drive'])
  expect(inFolder(output)).toHaveLength(1)
  await app.focusWindow()
  await doneRow(page, 'holiday.jpg').click()
  await details().getByText('1 file is in Drive.').waitFor()
  expect(
    await details()
      .getByRole('button', { name: /Save|Show in folder|Open/ })
      .count(),
  ).toBe(0)
})

testInLongSuite('a Drive folder is accepted as input, and its results arrive locally', async () => {
  const input = folder('From the phone')
  for (const name of ['one.jpg', 'two.jpg'])
    copyFileSync(app.files.photo(), join(remotes.davRoot, input, name))
  await page.keyboard.press('ControlOrMeta+n')
  await page.getByRole('button', { name: /Drive folder/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(input)
  await dialog.getByRole('button', { name: /Use/ }).click()
  await expect
    .poll(async () => (await stateOf(app)).draft.source, WITHIN)
    .toEqual({ kind: 'drive', folderId: input })
  await chooseOption(page, 'Save to', '~/Pictures/Mediatray')
  gate.rule((method, path) => (method === 'GET' && path.endsWith('.jpg') ? 'hold' : 'pass'))
  await startButton(page).click()
  await gate.held()
  await expect
    .poll(async () => (await stateOf(app)).jobs.map(({ driveInput }) => driveInput), WITHIN)
    .toEqual([input])
  gate.rule(() => 'pass')
  await expect.poll(async () => (await stateOf(app)).jobs, WITHIN).toEqual([])
  expect(readdirSync(app.files.output).toSorted()).toHaveLength(2)
  expect(inFolder(input)).toEqual(['one.jpg', 'two.jpg'])
})

testInLongSuite('files that could not be uploaded are listed individually', async () => {
  const output = folder('Half full')
  gate.rule((method, path) => (method === 'PUT' && path.includes('second') ? { status: 507 } : 'pass'))
  const told = titles().length
  await page.keyboard.press('ControlOrMeta+n')
  await compose([app.files.photo('first.jpg'), app.files.photo('second.jpg')], output)
  await app.blurWindow()
  await startButton(page).click()
  await app.until('the notification', ({ notifications }) => notifications.length > told)
  await app.focusWindow()
  await row(page, 'first.jpg').click()
  await page.getByRole('heading', { name: /Problems/ }).waitFor()
  const problems = page
    .getByRole('list', { name: /problems/i })
    .or(page.locator('.job-pane .file-row.two-line'))
  expect((await problems.allTextContents()).join()).toContain('second')
  expect((await problems.allTextContents()).join()).not.toContain('first')
  expect(inFolder(output)).toHaveLength(1)
  await details().getByText('1 file is in Drive.').waitFor()

  gate.rule(() => 'pass')
  await page.getByRole('button', { name: 'Retry 1 file' }).click()
  await expect
    .poll(async () => (await stateOf(app)).draft, WITHIN)
    .toMatchObject({
      source: { items: [{ name: 'second.jpg' }] },
      output: { kind: 'drive', folderId: output },
    })
  await startButton(page).click()
  await doneRow(page, 'second.jpg').waitFor()
  expect(inFolder(output)).toHaveLength(2)
})
