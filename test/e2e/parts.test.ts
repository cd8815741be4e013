/** A job with several presets, and one with results next to the originals: each is one row, one set of details, one notification. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chooseOption, choosePreset } from '../renderer/harness/choose-option.ts'
import { testInLongSuite } from './support/long-suite.ts'
import {
  doneRow,
  draftNames,
  row,
  rows,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

/** Enough large photos that their job is still running when the test cancels it. */
const MANY = 24

let app: RunningApp
let page: Page

beforeAll(async () => {
  // The samples have the same content, and would be skipped after the first job.
  app = await startWithBuiltIn({ settings: { doneFiles: 'again' } })
  page = await app.page()
  await app.blurWindow()
})
afterAll(() => app[Symbol.asyncDispose]())
afterEach(() => page.evaluate(() => window.mediatray.draft.clear()))

const section = (name: string) => page.getByRole('group', { name, exact: true })
const disclosure = (name: string) => section(name).locator('.disclosure')
const titles = () => app.recorded().notifications.map(({ title }) => title)

async function compose(paths: readonly string[]): Promise<void> {
  await app.dropFiles('.job-pane', paths)
  await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(paths.length)
}

/** Takes the first preset and adds the others with the keyboard, as a user would. */
async function choosePresets(first: string, ...others: readonly string[]): Promise<void> {
  await choosePreset(page, first)
  const field = page.getByRole('combobox', { name: 'Preset', exact: true })
  await field.click()
  for (const name of others) {
    await page.getByRole('option', { name }).hover()
    await page.keyboard.press(' ')
  }
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await stateOf(app)).draft.presets, WITHIN).toEqual([first, ...others])
}

/** Holds the running job, which could otherwise end before the test cancels it. */
const pauseInFirstPart = () =>
  page.evaluate(async () => {
    const { app: bridge, outbox } = window.mediatray
    for (let isRunning = false; !isRunning;) {
      const { jobs } = (await bridge.snapshot()).state
      isRunning = jobs.some(({ doneFiles }) => doneFiles.length > 0)
    }
    await outbox.pause('hour')
  })

async function manyPhotos(): Promise<readonly string[]> {
  const first = await app.files.largePhoto('large-1.jpg')
  const others = Array.from({ length: MANY - 1 }, (_, index) => {
    const path = join(first, '..', `large-${index + 2}.jpg`)
    copyFileSync(first, path)
    return path
  })
  return [first, ...others]
}

describe('a job with two presets', () => {
  test('gives each preset the files that it handles, and is one row with a section for each', async () => {
    await compose([app.files.photo('dawn.jpg'), app.files.video('sunrise.mp4')])
    await choosePresets('Web 720p', 'Web 2048')
    await startButton(page).click()
    const done = row(page, 'dawn.jpg').filter({ hasText: '2 presets' })
    await done.waitFor()
    expect(await rows(page).count()).toBe(1)
    await done.click()
    await expect.poll(() => disclosure('Web 720p').innerText(), WITHIN).toContain('2 results')
    await expect.poll(() => disclosure('Web 2048').innerText(), WITHIN).toContain('1 result')
    expect(readdirSync(app.files.output).toSorted()).toEqual(['Web 2048', 'Web 720p'])
    expect(readdirSync(join(app.files.output, 'Web 720p'))).toHaveLength(2)
    await expect.poll(titles, WITHIN).toEqual(['3 results are ready'])
  })

  testInLongSuite('can be canceled for one preset only, and the other one runs to its end', async () => {
    await compose(await manyPhotos())
    await choosePresets('Web 2048', 'Thumbnail')
    await startButton(page).click()
    await pauseInFirstPart()
    await row(page, 'large-1.jpg').click()
    await page.locator('.job-pane').getByRole('button', { name: 'Cancel job' }).click()
    await page.getByRole('menuitem', { name: 'Cancel Web 2048 only' }).click()
    await page.evaluate(() => window.mediatray.outbox.resume())
    await expect.poll(() => disclosure('Thumbnail').innerText(), WITHIN).toContain(`${MANY} results`)
    await expect.poll(() => disclosure('Web 2048').innerText(), WITHIN).toContain('Canceled')
    expect(readdirSync(join(app.files.output, 'Thumbnail'))).toHaveLength(MANY)
    expect(await rows(page).count()).toBe(2)
    expect(titles()).toHaveLength(1)
  })

  testInLongSuite(
    'names the files that failed with any preset once, and retries only what failed',
    async () => {
      const broken = app.files.file('broken.jpg', 'This is not a picture.')
      await compose([app.files.photo('fine.jpg'), broken])
      await choosePresets('Web 2048', 'Thumbnail')
      await startButton(page).click()
      const ended = row(page, 'fine.jpg').filter({ hasText: '2 problems' })
      await ended.waitFor()
      await expect.poll(titles, WITHIN).toContain('2 of 4 results are ready')
      const { notifications } = app.recorded()
      expect(notifications.map(({ body }) => body).join('\n')).toMatch(/broken\.jpg/)
      await ended.click()
      app.files.photo('broken.jpg')
      await section('Thumbnail').getByRole('button', { name: 'Retry 1 file' }).click()
      await expect.poll(() => draftNames(app), WITHIN).toEqual(['broken.jpg'])
      expect((await stateOf(app)).draft.presets).toEqual(['Thumbnail'])
      await startButton(page).click()
      await doneRow(page, 'broken.jpg').waitFor()
      expect(
        readdirSync(join(app.files.output, 'Thumbnail')).filter((name) => /broken/.test(name)),
      ).toHaveLength(1)
      expect(readdirSync(join(app.files.output, 'Web 2048')).filter((name) => /broken/.test(name))).toEqual(
        [],
      )
    },
  )
})

testInLongSuite(
  'a job next to the originals in two folders is one row with a section for each folder',
  async () => {
    const paths = [app.files.photo('2023/lake.jpg'), app.files.photo('2024/lake.jpg')]
    await compose(paths)
    await choosePreset(page, 'Web 2048')
    await chooseOption(page, 'Save to', 'Next to each original')
    await expect.poll(async () => (await stateOf(app)).draft.output.kind, WITHIN).toBe('beside')
    await startButton(page).click()
    const done = doneRow(page, 'lake.jpg')
      .or(row(page, 'lake.jpg').filter({ hasText: '2 folders' }))
      .first()
    await done.waitFor()
    await done.click()
    await expect.poll(() => page.locator('.part-section').count(), WITHIN).toBe(2)
    for (const path of paths) expect(readdirSync(join(path, '..'))).toHaveLength(2)
    expect(await row(page, 'lake.jpg').count()).toBe(1)
  },
)
