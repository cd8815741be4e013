import { chooseOption } from '../../renderer/harness/choose-option.ts'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test, type TestContext } from 'vitest'
import type { FolderRules } from '../../../src/shared/model/folder-rules.ts'
import type { WatchFolder } from '../../../src/shared/model/watch-folder.ts'
import { startService } from '../../conformance/running-service.ts'
import { fileClockTicks } from '../../file-clock.ts'
import { isLongRun } from '../support/long-suite.ts'
import { distinct, type Home, makeHome } from '../support/home.ts'
import { doneRow, FASTER, startApp, startWith, startWithBuiltIn, WITHIN } from '../support/start-app.ts'
import { leaveForJobs, leaveSettings, openSettings } from '../support/settings.ts'
import { watchFolder } from '../../watch-folder.ts'

const MANY = 51

const watchIn = (home: Home, name: string) => {
  const path = join(home.path, name)
  mkdirSync(path, { recursive: true })
  return path
}

const watching = (path: string, home: Home, more: Partial<WatchFolder> = {}): WatchFolder =>
  watchFolder(path, home.output, { id: 'inbox', grouping: 'together', ...more })

/** Copies files into a folder, as a camera or a download would. */
let copies = 0
const put = (sample: string, folder: string, names: readonly string[]) => {
  const content = readFileSync(sample)
  for (const name of names) writeFileSync(join(folder, name), distinct(content, (copies += 1)))
}

const numbered = (count: number, first = 1) =>
  Array.from({ length: count }, (_, index) => `shot-${String(first + index).padStart(2, '0')}.jpg`)

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

const watchList = (page: Page) => page.evaluate(() => window.mediatray.watch.list())

/** Names of the inputs of all submissions so far. */
const submitted = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    const { records } = await window.mediatray.history.page({ query: {}, offset: 0, limit: 500 })
    const all = await Promise.all(records.map(({ id }) => window.mediatray.jobs.details(id)))
    return all
      .flatMap((record) => record?.inputs.map(({ path }) => path.replace(/^.*\//, '')) ?? [])
      .toSorted()
  })

/** Number of results of jobs that finished without problems. */
const made = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { records } = await window.mediatray.history.page({ query: {}, offset: 0, limit: 500 })
    const done = records.filter(({ outcome }) => outcome?.kind === 'done')
    const all = await Promise.all(done.map(({ id }) => window.mediatray.jobs.details(id)))
    return all.reduce((sum, record) => sum + (record?.results.length ?? 0), 0)
  })

const unfinished = (page: Page) =>
  page.evaluate(async () => {
    const { state } = await window.mediatray.app.snapshot()
    return state.jobs.length + state.outbox.length
  })

const looked = async (page: Page) => {
  await openSettings(page, 'Automation')
  await page.locator('.folder-row .subpage-link').click()
  await page.getByText(/^Watching/).waitFor()
}

function concurrentInLongSuite(name: string, run: (context: TestContext) => Promise<void>): void {
  if (isLongRun) test.concurrent(name, run)
}

test.concurrent('new files in a folder chosen in the settings are processed with a task, but never the results saved inside it', async ({
  expect,
}) => {
  using home = makeHome({ connection: 'builtIn' })
  const inbox = watchIn(home, 'Inbox')
  const results = join(inbox, 'done')
  await using app = await startWithBuiltIn({ in: home, env: FASTER })
  const page = await app.page()
  await openSettings(page, 'Automation')
  await page.getByText('No watched folders yet.').waitFor()
  await page.getByRole('button', { name: 'Add folder…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Watch a folder' })
  await app.dialogs.answerOpen([inbox])
  await dialog.getByRole('button', { name: 'Choose' }).click()
  await expect.poll(() => dialog.getByLabel('Folder', { exact: true }).inputValue(), WITHIN).toBe('~/Inbox')
  await dialog.getByLabel('Include subfolders').check()
  await chooseOption(dialog, 'Preset', 'Remove location')
  mkdirSync(results)
  await app.dialogs.answerOpen([results])
  await chooseOption(dialog, 'Save to', 'Choose folder…')
  const saveTo = dialog.getByRole('combobox', { name: 'Save to', exact: true })
  await expect.poll(() => saveTo.textContent(), WITHIN).toContain('~/Inbox/done')
  await dialog.getByLabel('Group files that arrive within').fill('0')
  await dialog.getByRole('button', { name: 'Watch folder' }).click()
  await page.getByRole('link', { name: '~/Inbox' }).click()
  await page.getByText('Watching', { exact: true }).waitFor()

  put(home.photo(), inbox, ['first.jpg'])
  await page.getByText('Watching, 1 sent so far').waitFor()
  await leaveForJobs(page)
  await doneRow(page, 'first.jpg').waitFor()
  expect(readdirSync(results)).toEqual(['first-remove-location.jpg'])
  // Anything that arrived earlier would have been processed before this file.
  put(home.photo(), inbox, ['second.jpg'])
  await doneRow(page, 'second.jpg').waitFor()
  expect((await watchList(page)).map(({ taken }) => taken)).toEqual([2])
  expect(await submitted(page)).toEqual(['first.jpg', 'second.jpg'])
  expect(readdirSync(results)).toHaveLength(2)
})

concurrentInLongSuite(
  'a file that arrives just after a folder is switched on is processed, and the user is asked only about earlier files',
  async ({ expect }) => {
    using home = makeHome({ connection: 'builtIn' })
    const inbox = watchIn(home, 'Inbox')
    put(home.photo(), inbox, numbered(3))
    await using app = await startWithBuiltIn({ in: home, env: FASTER })
    const page = await app.page()
    const { id: _id, ...folder } = watching(inbox, home)
    await page.evaluate((chosen) => window.mediatray.watch.save({ id: null, folder: chosen }), folder)
    await fileClockTicks(home.path)
    put(home.photo(), inbox, ['early.jpg'])
    await doneRow(page, 'early.jpg').waitFor()
    await openSettings(page, 'Automation')
    await page.getByText('3 files arrived while watching was off').waitFor()
    expect(await submitted(page)).toEqual(['early.jpg'])
  },
)

concurrentInLongSuite(
  'many files that arrived while the app was off are processed only after confirmation',
  async ({ expect }) => {
    using home = makeHome()
    const inbox = watchIn(home, 'Inbox')
    leaveSettings(home, { connection: 'builtIn', watchFolders: [watching(inbox, home)] })
    {
      await using app = await startWithBuiltIn({ in: home, env: FASTER })
      await looked(await app.page())
      expect(await app.quit()).toBe(0)
    }
    put(home.photo(), inbox, numbered(MANY))

    await using app = await startWithBuiltIn({ in: home, env: FASTER, args: ['--hidden'], waitFor: 'ready' })
    await app.until('the question', ({ notifications }) =>
      notifications.some(({ title }) => title === '51 new files in a watched folder'),
    )
    await app.notifications.click(0)
    const page = await app.page()
    await page.getByRole('navigation', { name: 'Settings' }).waitFor()
    await openSettings(page, 'Automation')
    await page.getByText('51 files arrived while watching was off').waitFor()
    await page.getByRole('link', { name: '~/Inbox' }).click()
    expect(await submitted(page)).toEqual([])
    await page.getByRole('button', { name: 'Process 51 files' }).click()
    await page.getByText('Watching, 51 sent so far').waitFor()
    await leaveForJobs(page)
    // Files that become stable separately, as on a busy machine, become separate jobs. Each has to be processed exactly once.
    await expect.poll(() => made(page), WITHIN).toBe(MANY)
    expect(await submitted(page)).toEqual(numbered(MANY))
  },
)

concurrentInLongSuite('a missing folder is reported, and watched again when it is back', async () => {
  using home = makeHome()
  const inbox = watchIn(home, 'Card')
  leaveSettings(home, { connection: 'builtIn', watchFolders: [watching(inbox, home)] })
  await using app = await startWithBuiltIn({ in: home, env: FASTER })
  const page = await app.page()
  await looked(page)
  await app.blurWindow()
  renameSync(inbox, `${inbox}-out`)
  await page.getByText('Not found. Is the card inserted?').waitFor()
  await app.until('the notification', ({ notifications }) =>
    notifications.some(
      ({ title, body }) =>
        title === 'A watched folder is missing' && body.startsWith('Couldn’t find ~/Card.'),
    ),
  )
  put(home.photo(), `${inbox}-out`, ['from-the-card.jpg'])
  renameSync(`${inbox}-out`, inbox)
  await page.getByText(/^Watching/).waitFor()
  await leaveForJobs(page)
  await doneRow(page, 'from-the-card.jpg').waitFor()
})

concurrentInLongSuite(
  'an app that is killed while files arrive submits every file exactly once after a restart',
  async ({ expect }) => {
    using home = makeHome()
    const inbox = watchIn(home, 'Inbox')
    leaveSettings(home, { watchFolders: [watching(inbox, home, { grouping: 'separate' })] })
    await using service = await startService()
    const files = numbered(24)
    {
      await using app = await startWith(service, { in: home, keep: 'keychain' })
      const page = await app.page()
      await looked(page)
      put(home.photo(), inbox, files.slice(0, 8))
      // If a request is cut off before its job exists, the app searches for the job for minutes; test/faults covers that.
      await expect.poll(async () => (await service.list()).jobs.length, WITHIN).toBe(8)
      put(home.photo(), inbox, files.slice(8, 16))
      await app.kill('SIGKILL')
    }
    put(home.photo(), inbox, files.slice(16))
    await using app = await startApp({ in: home, env: FASTER })
    const page = await app.page()
    await expect.poll(() => submitted(page), WITHIN).toEqual(files)
    await expect.poll(() => filesIn(home.output).length, WITHIN).toBe(files.length)
    await expect.poll(() => unfinished(page), WITHIN).toBe(0)
    expect((await service.list()).jobs).toHaveLength(files.length)
    expect((await watchList(page)).map(({ taken }) => taken)).toEqual([files.length])
  },
)

const nextTo = (subfolder: string, preset: string) => ({
  do: 'process' as const,
  presets: [preset],
  output: { kind: 'beside' as const, subfolder },
})
const named = (pattern: string) => ({ about: 'name' as const, matches: true, pattern })

concurrentInLongSuite(
  'rules decide what happens to new files, and files whose preset is missing wait until it exists',
  async ({ expect }) => {
    using home = makeHome()
    const inbox = watchIn(home, 'Inbox')
    const rules: FolderRules = {
      rules: [
        { id: 'shots', when: [named('Screenshot*')], action: { do: 'ignore' } },
        { id: 'prints', when: [named('print*')], action: nextTo('prints', 'Print A5') },
        { id: 'photos', when: [{ about: 'kind', is: 'image' }], action: nextTo('web', 'Web 2048') },
      ],
      rest: 'ignore',
    }
    leaveSettings(home, {
      connection: 'builtIn',
      watchFolders: [watching(inbox, home, { recursive: true })],
      folderRules: { inbox: rules },
    })
    await using app = await startWithBuiltIn({ in: home, env: FASTER })
    const page = await app.page()
    await looked(page)
    await app.blurWindow()
    put(home.photo(), inbox, ['Screenshot 1.jpg', 'print 1.jpg', 'tower.jpg'])
    await app.until('the notification', ({ notifications }) =>
      notifications.some(({ title }) => title === '1 file is waiting for the preset “Print A5”'),
    )
    await page.getByText(/^1 file is waiting for the preset/).waitFor()
    await expect.poll(() => made(page), WITHIN).toBe(1)

    await page.getByText('There’s no preset “Print A5”. 1 file is waiting.').waitFor()
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('Tried with 3 files just now.').waitFor()
    await expect.poll(() => submitted(page), WITHIN).toEqual(['tower.jpg'])

    const text = JSON.stringify({ name: 'Print A5', image: { format: 'jpeg', quality: 90 } })
    expect(
      await page.evaluate((preset) => window.mediatray.presets.save({ text: preset, replaces: null }), text),
    ).toMatchObject({
      ok: true,
    })
    await expect.poll(() => submitted(page), WITHIN).toEqual(['print 1.jpg', 'tower.jpg'])
    await expect.poll(() => made(page), WITHIN).toBe(2)
    expect(filesIn(inbox).toSorted()).toEqual([
      'Screenshot 1.jpg',
      'print 1.jpg',
      'prints',
      'tower.jpg',
      'web',
    ])
  },
)
