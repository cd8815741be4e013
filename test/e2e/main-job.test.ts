import { choosePreset } from '../renderer/harness/choose-option.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Home, makeHome } from './support/home.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { share } from './support/share-app.ts'
import {
  doneRow,
  draftNames,
  picture,
  row,
  rows,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

let home: Home
let app: RunningApp
let page: Page

beforeAll(async () => {
  home = makeHome({ connection: 'builtIn' })
  const given = [home.photo('argument.jpg'), home.video('clip.mp4')]
  app = await startWithBuiltIn({ in: home, args: ['--', ...given] })
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})
afterEach(() => page.evaluate(() => window.mediatray.draft.clear()))

const done = (name: string) => doneRow(page, name)

// The first test, because it checks what the app was started with.
test('files that an app is started with are in its draft', async () => {
  await expect.poll(() => draftNames(app), WITHIN).toEqual(['argument.jpg', 'clip.mp4'])
})

describe('a job', () => {
  test('turns a file dropped on the window into a result that can be shown in its folder', async () => {
    const before = readFileSync(app.files.photo('holiday.jpg'))
    await app.dropFiles('.job-pane', [join(app.files.path, 'Photos/holiday.jpg')])
    await page.getByRole('heading', { name: /New job/ }).waitFor()
    await page.getByText('Starts right away.').waitFor()
    await choosePreset(page, 'Web 2048')
    await expect.poll(async () => (await stateOf(app)).draft.presets, WITHIN).toEqual(['Web 2048'])
    await picture(page, 'composing')
    await app.blurWindow()
    await startButton(page).click()
    await done('holiday.jpg').waitFor()

    const [notification] = await app.until('the notification', ({ notifications }) =>
      notifications.length > 0 ? notifications : null,
    )
    expect(notification).toMatchObject({
      title: '1 photo is ready',
      body: 'holiday.jpg, in ~/Pictures/Mediatray',
    })
    await app.notifications.click(0)
    await app.focusWindow()
    await page.getByRole('region', { name: 'Details' }).getByText(/^Done/).waitFor()
    await picture(page, 'done')
    await page.locator('.job-pane').getByRole('button', { name: 'Show in folder' }).first().click()
    const [call] = await app.until('the folder', ({ shellCalls }) =>
      shellCalls.length > 0 ? shellCalls : null,
    )
    expect(call?.call).toBe('showItemInFolder')
    expect(call?.target.startsWith(app.files.output)).toBe(true)
    expect(existsSync(call?.target ?? '')).toBe(true)
    expect(readFileSync(join(app.files.path, 'Photos/holiday.jpg'))).toEqual(before)
  })
})

describe('files are added', () => {
  test('with the dialogs for files and for a folder', async () => {
    await app.dropFiles('.job-pane', [app.files.photo('first.jpg')])
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['first.jpg'])
    await app.dialogs.answerOpen([app.files.photo('by-dialog.jpg')])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Files/ }).click()
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['first.jpg', 'by-dialog.jpg'])
    app.files.photo('trip/one.jpg')
    app.files.file('trip/notes.txt', 'no picture')
    await app.dialogs.answerOpen([join(app.files.path, 'Photos/trip')])
    await page.keyboard.press('ControlOrMeta+Shift+o')
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['first.jpg', 'by-dialog.jpg', 'one.jpg'])
  })

  test('by pasting a file, or an image without a file', async () => {
    await app.paste({ paths: [app.files.photo('pasted.jpg')] })
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['pasted.jpg'])
    const bytes = readFileSync(app.files.photo('bytes.jpg'))
    await app.paste({ images: [{ name: 'image.png', type: 'image/jpeg', bytes }] })
    await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(2)
    const [saved] = readdirSync(join(app.files.data, 'pasted'))
    expect(readFileSync(join(app.files.data, 'pasted', saved ?? ''))).toEqual(bytes)
  })

  testInLongSuite('as one set when several app instances pass them on at the same time', async () => {
    const names = ['alpha.jpg', 'beta.jpg', 'gamma.jpg']
    const starts = names.map((name) => app.secondInstance([app.files.photo(name)]))
    expect((await Promise.all(starts)).map(({ code }) => code)).toEqual([0, 0, 0])
    await expect.poll(async () => (await draftNames(app)).toSorted(), WITHIN).toEqual(names)
  })

  test('from the dock, with one event per file', async () => {
    await app.openFile(app.files.photo('dock-1.jpg'))
    await app.openFile(app.files.photo('dock-2.jpg'))
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['dock-1.jpg', 'dock-2.jpg'])
  })
})

describe('files from outside the window', () => {
  const shared = share(() => startWithBuiltIn({ platform: 'darwin', args: ['--hidden'], waitFor: 'ready' }))

  test('wait for review after a drop on the tray, if the user prefers that', async () => {
    const started = await shared()
    expect(started.windows()).toEqual([])
    await started.tray.dropFiles([started.files.photo('on-the-tray.jpg')])
    const shown = await started.page()
    await shown.getByText('on-the-tray.jpg').or(shown.locator('.draft-file')).first().waitFor()
    await expect.poll(() => draftNames(started), WITHIN).toEqual(['on-the-tray.jpg'])
    await startButton(shown).click()
    await doneRow(shown, 'on-the-tray.jpg').waitFor()
  })

  testInLongSuite(
    'start immediately if the user prefers that, and can be undone for a few seconds',
    async () => {
      const started = await shared()
      const shown = await started.page()
      await shown.evaluate(() => window.mediatray.settings.update({ quickDrop: 'startAtOnce' }))
      const before = await rows(shown).count()
      await started.clock.hold()
      await started.tray.dropFiles([started.files.photo('regretted.jpg')])
      // A toast stays visible while the pointer is over it.
      await shown.getByText('Starting 1 photo with Make smaller').hover()
      await row(shown, 'regretted.jpg').getByText('Starting in a moment').waitFor()
      await shown.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(async () => (await stateOf(started)).outbox, WITHIN).toEqual([])
      await started.clock.release()

      await started.tray.dropFiles([started.files.photo('wanted.jpg')])
      await doneRow(shown, 'wanted.jpg').waitFor()
      expect(await rows(shown).count()).toBe(before + 1)
    },
  )
})

describe('a set', () => {
  testInLongSuite(
    'of photos and videos can be split into two jobs if its preset handles only one kind',
    async () => {
      await app.dropFiles('.job-pane', [app.files.photo('both.jpg'), app.files.video('both.mp4')])
      await choosePreset(page, 'Web 2048')
      await picture(page, 'mixed-set')
      await page.getByRole('button', { name: 'Split into two jobs' }).click()
      await done('both.jpg').waitFor()
      await done('both.mp4').waitFor()
    },
  )

  test('with a broken file yields the other results, explains why the file failed, and lets the user retry it', async () => {
    await app.blurWindow()
    const broken = app.files.file('broken.jpg', 'This is not a picture.')
    await app.dropFiles('.job-pane', [app.files.photo('fine.jpg'), broken])
    await startButton(page).click()
    const withProblem = row(page, 'fine.jpg').filter({ hasText: '1 problem' })
    await withProblem.waitFor()
    await app.until('the notification', ({ notifications }) =>
      notifications.some(
        ({ title, body }) => title === '1 of 2 photos are ready' && body.includes('broken.jpg'),
      ),
    )
    await app.focusWindow()
    await withProblem.click()
    await page.getByRole('heading', { name: /Problems/ }).waitFor()
    expect(await page.locator('.job-pane .file-row.two-line').textContent()).toContain('broken.jpg')
    await picture(page, 'with-problems')
    app.files.photo('broken.jpg')
    await page.getByRole('button', { name: 'Retry 1 file' }).click()
    await expect.poll(() => draftNames(app), WITHIN).toEqual(['broken.jpg'])
    await startButton(page).click()
    await done('broken.jpg').waitFor()
  })
})
