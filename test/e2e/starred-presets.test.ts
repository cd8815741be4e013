import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onRealElectron } from './app.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { makeHome, type Home } from './support/home.ts'
import { shownPreset } from '../renderer/harness/steps.ts'
import { openSettings } from './support/settings.ts'
import { type RunningApp, startWithBuiltIn, stateOf, trayLines, WITHIN } from './support/start-app.ts'

const DIST = join(import.meta.dirname, '../../dist')

let home: Home
let app: RunningApp
let page: Page

/** The folders of a package, so that the app counts as installed and still runs its service. */
function makeResources(): string {
  const resources = join(home.path, 'resources')
  mkdirSync(join(resources, 'app.asar.unpacked'), { recursive: true })
  symlinkSync(process.execPath, join(resources, 'node'))
  symlinkSync(DIST, join(resources, 'app.asar.unpacked/dist'))
  return resources
}

/** A folder with programs that are named like the file managers. */
function makeFileManagers(): string {
  const folder = join(home.path, 'bin')
  mkdirSync(folder)
  for (const name of ['dolphin', 'nautilus', 'nemo', 'thunar']) {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

const KDE = 'data/kio/servicemenus/mediatray-preset-1.desktop'
const NEMO = 'data/nemo/actions/mediatray-preset-1.nemo_action'
const THUNAR = 'config/Thunar/uca.xml'
const script = (name: string) => `data/nautilus/scripts/Mediatray/${name}`

const textOf = (file: string): string => {
  const path = join(home.path, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Returns which of the file managers have an entry for a preset. */
const entriesFor = (name: string) => [
  textOf(KDE).includes(`Name=${name}\n`),
  textOf(script(name)).includes(`'${name}'`),
  textOf(NEMO).includes(`Name=Mediatray: ${name}\n`),
  textOf(THUNAR).includes(`<name>Mediatray: ${name}</name>`),
]
const ALL = [true, true, true, true]
const NONE = [false, false, false, false]

const star = (name: string) => page.getByRole('button', { name: `Star ${name}`, exact: true })

// Only an installed app writes entries, and Electron can't pretend to be installed.
describe.skipIf(onRealElectron())('starred presets', () => {
  beforeAll(async () => {
    home = makeHome({ connection: 'builtIn' })
    app = await startWithBuiltIn({
      in: home,
      env: {
        MEDIATRAY_STAND_IN_PACKAGED: '1',
        MEDIATRAY_STAND_IN_RESOURCES: makeResources(),
        PATH: `${makeFileManagers()}:${process.env['PATH'] ?? ''}`,
        XDG_DATA_HOME: join(home.path, 'data'),
        XDG_CONFIG_HOME: join(home.path, 'config'),
        XDG_CONFIG_DIRS: join(home.path, 'xdg'),
      },
    })
    page = await app.page()
  })
  afterAll(async () => {
    await app[Symbol.asyncDispose]()
    home[Symbol.dispose]()
  })

  test('a starred preset appears in the file managers and the tray', async () => {
    await openSettings(page, 'Presets')
    await page.getByText('Star presets you use often.').waitFor()
    await shownPreset(page, 'Email')
    await star('Email').click()
    await expect.poll(() => entriesFor('Email'), WITHIN).toEqual(ALL)
    await expect.poll(() => trayLines(app).includes('Email…'), WITHIN).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByText('1 of 5 is starred.').waitFor()
  })

  test('renaming it updates the entries', async () => {
    await page.locator('[data-preset="Email"]').press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Post & more')
    await page.keyboard.press('Enter')
    await expect.poll(() => textOf(KDE).includes('Name=Post & more\n'), WITHIN).toBe(true)
    await expect
      .poll(() => textOf(THUNAR).includes('<name>Mediatray: Post &amp; more</name>'), WITHIN)
      .toBe(true)
    await expect.poll(() => existsSync(join(home.path, script('Email'))), WITHIN).toBe(false)
    expect(textOf(script('Post & more'))).toContain(`--preset 'Post & more' -- "$@"`)
    await expect.poll(() => trayLines(app).includes('Post & more…'), WITHIN).toBe(true)
  })

  test('many processes for one selection start one job, which can be undone', async () => {
    const files = home.photos(3)
    // The job starts after a few seconds, unless it is undone.
    await app.clock.hold()
    const { pid } = app
    if (pid === undefined) throw new Error('The app isn’t running')
    // Stopped meanwhile, so that the files arrive together even if the processes start slowly.
    process.kill(pid, 'SIGSTOP')
    const launches = files.map((file) => app.secondInstance(['--preset', 'Post & more', '--', file]))
    const messages = () =>
      readdirSync(home.path, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /stand-in-instances.*\.json$/.test(path),
      )
    await expect.poll(messages, WITHIN).toHaveLength(files.length)
    process.kill(pid, 'SIGCONT')
    await Promise.all(launches)
    const toast = page.locator('.toast').filter({ hasText: 'Starting 3 photos with Post & more' })
    await toast.waitFor()
    const { outbox } = await stateOf(app)
    expect(outbox.map((entry) => [entry.files, entry.preset])).toEqual([[3, 'Post & more']])
    await toast.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await stateOf(app)).outbox, WITHIN).toEqual([])
    await app.clock.release()
  })

  testInLongSuite('without a window, a notification reports the start and opens the job', async () => {
    await app.closeWindow()
    await app.until('the hidden window', ({ windows }) => windows[0]?.visible === false)
    await app.secondInstance(['--preset', 'Post & more', '--', home.photo('hidden.jpg')])
    const shown = await app.until('the notification', ({ notifications }) =>
      notifications.find(({ title }) => title === 'Starting 1 photo with Post & more'),
    )
    expect(app.windows()[0]?.visible).toBe(false)
    await app.notifications.click(shown.number)
    page = await app.page()
    await page.locator('.job-pane').getByText('hidden.jpg').first().waitFor()
    for (const { id } of (await stateOf(app)).outbox) {
      await page.evaluate((waiting) => window.mediatray.outbox.remove(waiting), id)
    }
  })

  testInLongSuite('a preset that no longer exists opens the files in a new job with the reason', async () => {
    await app.secondInstance(['--preset', 'Email', '--', home.photo('kept.jpg')])
    await page.locator('.toast').getByText('There is no preset named “Email”.').waitFor()
    const { draft, outbox } = await stateOf(app)
    expect(draft.presets).toEqual(['Email'])
    expect(outbox).toEqual([])
  })

  test('unstarring it removes the entries', async () => {
    await openSettings(page, 'Presets')
    await star('Post & more').click()
    await expect.poll(() => existsSync(join(home.path, THUNAR)), WITHIN).toBe(false)
    await expect.poll(() => entriesFor('Post & more'), WITHIN).toEqual(NONE)
    expect(existsSync(join(home.path, script('Post & more')))).toBe(false)
    expect(textOf(KDE) + textOf(NEMO)).toBe('')
  })
})
