/**
 * `npm run demo`: a new user's first minutes with the app, without a display.
 * The built app runs on the stand-in for Electron in headless Chromium: first run, built-in service, photo, HEIC and video
 * dropped on the window, preset, Start job, progress, notification, results. Every result is decoded; the exit code is 0 only if
 * each is a complete file in the promised format.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { launchApp, type App } from '../test/stand-in/driver.ts'
import { mediaKindOf } from '../src/shared/media-types.ts'
import { findChromium, ON_DEBIAN } from './find-chromium.ts'
import { promisesOf } from './preset-promise.ts'
import { check, printResults } from './result-table.ts'

const root = resolve(import.meta.dirname, '..')
const PRESET = 'Web 1080p'
const PROMISED = promisesOf(PRESET)

const own = (name: string) => join(root, 'assets/samples', name)
/** Real camera files, used only if they are available. */
const borrowed = (name: string) => join(root, '../shared/media', name)
const FILES = [
  own('dawn-upright.jpg'),
  own('evening-lake.heic'),
  own('sunrise.mp4'),
  borrowed('Landscape_6.jpg'),
  borrowed('arrow-iPhone8Plus-rotated.heic'),
  borrowed('rotate-buck-bunny.mp4'),
].filter((path) => existsSync(path))

const say = (text: string): void => console.log(text)

async function main(): Promise<number> {
  const missing = chromiumProblem()
  if (missing !== undefined) {
    console.error(`${missing} ${ON_DEBIAN}`)
    return 1
  }
  build()
  const home = await mkdtemp(join(tmpdir(), 'mediatray-demo-'))
  const shots = join(home, 'screenshots')
  await mkdir(shots)
  await using app = await launchApp({ mainBundle: join(root, 'dist/main/index.js'), home })
  const page = await app.page()
  const shoot = (name: string) => page.screenshot({ path: join(shots, `${name}.png`) })

  say('First run: the built-in service starts without a question.')
  const ready = page.getByRole('button', { name: /Choose files/ }).first()
  await ready.waitFor({ timeout: 10_000 }).catch(async () => {
    // The app asks only if another service is running on this computer.
    await page.getByRole('radio', { name: /built-in/i }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  })
  await app.until('the service to run', () => firstLine(app)?.startsWith('Built-in service'))
  await shoot('1-ready')

  say(`Dropped on the window: ${FILES.map((path) => basename(path)).join(', ')}`)
  await app.dropFiles({ x: 500, y: 300 }, FILES)
  await page
    .getByText(basename(FILES.at(-1) ?? ''))
    .first()
    .waitFor()
  await page.getByRole('combobox', { name: 'All presets…' }).click()
  await page.getByRole('option', { name: PRESET }).click()
  await shoot('2-composed')

  say(`Preset “${PRESET}”, then Start job. The window loses the focus.`)
  await page.getByRole('button', { name: 'Start job' }).click()
  await app.blurWindow()
  await followTray(app)
  const notification = await app.until('the notification', ({ notifications }) => notifications[0])
  say(`\nNotification: ${notification.title}. ${notification.body}`)

  await app.notifications.click(0)
  await page.getByRole('button', { name: 'Show in folder' }).first().waitFor()
  await shoot('3-done')
  printTray(app)
  say(`\nShow in folder: ${await revealFirst(app, page)}`)
  const folder = join(home, 'Pictures', 'Mediatray')
  const outputs = (await readdir(folder)).map((name) => join(folder, name))
  const results = await Promise.all(
    FILES.map((input) =>
      check({
        input,
        output: outputs.find((path) => stem(path).startsWith(stem(input))),
        promised: PROMISED[mediaKindOf(input) ?? 'image'],
      }),
    ),
  )
  say('')
  const isRight = printResults(results, PRESET)
  say(`Screenshots are in ${shots}`)
  await app.quit()
  return isRight ? 0 : 1
}

/** @returns why Chromium can't be used, in a sentence */
function chromiumProblem(): string | undefined {
  // `npm start` has already checked this Chromium.
  if (process.env['MEDIATRAY_STAND_IN_CHROMIUM'] !== undefined) return undefined
  const chromium = findChromium()
  if (!chromium.works) return chromium.why
  process.env['MEDIATRAY_STAND_IN_CHROMIUM'] = chromium.path
  return undefined
}

function build(): void {
  // When run by the end-to-end specs, the app is already built, and other specs are using the build.
  if (process.env['MEDIATRAY_BUILT'] !== undefined) return
  const built = spawnSync(process.execPath, [join(import.meta.dirname, 'build.ts')], { stdio: 'inherit' })
  if (built.status !== 0) throw new Error("Couldn't build the app")
}

const stem = (path: string): string => basename(path).replace(/\.[^.]+$/, '')
const firstLine = (app: App): string | undefined => app.tray.now()?.menu[0]?.label

/** Prints each change of the tray's tooltip until the notification appears. */
async function followTray(app: App): Promise<void> {
  let last = ''
  await app.until('the job to start and finish', ({ notifications }) => {
    const tooltip = app.tray.now()?.toolTip ?? ''
    if (tooltip !== last) say(`  tray: ${tooltip}`)
    last = tooltip
    return notifications.length > 0
  })
}

function printTray(app: App): void {
  say('\nTray menu:')
  for (const { type, label } of app.tray.now()?.menu ?? [])
    say(type === 'separator' ? '  ─────' : `  ${label}`)
}

async function revealFirst(app: App, page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show in folder' }).first().click()
  const call = await app.until('a result to be shown in its folder', ({ shellCalls }) => shellCalls.at(-1))
  return JSON.stringify(call)
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`The demo stopped early: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
