/** The built app with its own home and a keychain session, and the steps that specs share. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, vi } from 'vitest'
import type { Settings } from '../../../src/shared/model/settings.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Bridge } from '../../../src/shared/ipc/contract.ts'
import { type LaunchOptions, LONG_ENOUGH_MS } from '../../stand-in/driver.ts'
import { type AppUnderTest, launch } from '../app.ts'
import { type Home, makeHome } from './home.ts'

declare global {
  interface Window {
    readonly mediatray: Bridge
  }
}

export type RunningApp = AppUnderTest & { readonly files: Home }

export type StartOptions = Partial<LaunchOptions> & {
  /** An existing home to keep using; default: a new one, removed at the end. */
  readonly in?: Home
  readonly settings?: Partial<Settings>
}

/** Makes timers of the app and its service run four times as fast, for specs that would mostly wait. */
export const FASTER = { MEDIATRAY_PACE: '4' }

export async function startApp({ in: given, settings, ...options }: StartOptions = {}): Promise<RunningApp> {
  const files = given ?? makeHome(settings)
  const app = await launch({
    ...options,
    home: files.path,
    env: { ...inject('session'), ...options.env },
  })
  const ready = async () => acceptsFiles(await app.page())
  const more: Pick<
    RunningApp,
    'files' | 'page' | 'dragFiles' | 'dropFiles' | 'paste' | typeof Symbol.asyncDispose
  > = {
    files,
    async page() {
      const page = await app.page()
      page.setDefaultTimeout(WITHIN.timeout)
      return page
    },
    dragFiles: async (...given) => (await ready(), app.dragFiles(...given)),
    dropFiles: async (...given) => (await ready(), app.dropFiles(...given)),
    paste: async (given) => (await ready(), app.paste(given)),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      if (given === undefined) files[Symbol.dispose]()
    },
  }
  // Inherits rather than copies: on the real runtime, the proxy must see which properties a spec reads.
  return Object.assign(Object.create(app) as AppUnderTest, more)
}

/**
 * Resolves when the page listens for files and draws frames. A loaded page may still be waiting for its texts, and Chromium delivers a drag
 * only between two frames.
 */
export async function acceptsFiles(page: Page): Promise<void> {
  await vi.waitFor(async () => {
    const isListening = await page.evaluate(
      () => !dispatchEvent(new DragEvent('dragover', { cancelable: true })),
    )
    expect(isListening, 'the page listens for files').toBe(true)
  }, WITHIN)
  await page.evaluate(
    (ms) =>
      new Promise((resolve, reject) => {
        requestAnimationFrame(resolve)
        const { visibilityState } = document
        setTimeout(() => reject(new Error(`The page draws no frames; it is ${visibilityState}`)), ms)
      }),
    WITHIN.timeout,
  )
}

/** Starts an app with its built-in service running. */
export async function startWithBuiltIn(options: StartOptions = {}): Promise<RunningApp> {
  const app = await startApp({ ...options, settings: { connection: 'builtIn', ...options.settings } })
  if (options.waitFor === undefined) await online(app)
  return app
}

/** The second button of the dialog that asks whether to connect to an address. */
export const CONNECT = 1

/** Starts an app connected to the service at this address. */
export async function startWith(
  service: { readonly baseUrl: string; readonly key: string },
  options: StartOptions & { readonly keep?: 'keychain' | 'session' } = {},
): Promise<RunningApp> {
  // The app doesn't ask about an address that is already in its settings.
  const app = await startApp({ ...options, settings: { ...options.settings, baseUrl: service.baseUrl } })
  const page = await app.page()
  if (app.files.readSettings().baseUrl !== service.baseUrl) await app.dialogs.answerMessage(CONNECT)
  const choice = { baseUrl: service.baseUrl, key: service.key, keep: options.keep ?? 'session' }
  const test = await page.evaluate((chosen) => window.mediatray.connection.useExternal(chosen), choice)
  expect(test).toMatchObject({ ok: true })
  return app
}

/** The main process's current state, as the page would receive it. */
export const stateOf = async (app: RunningApp): Promise<AppState> => {
  const page = await app.page()
  return await page.evaluate(async () => (await window.mediatray.app.snapshot()).state)
}

/** Names of the files in the draft. */
export async function draftNames(app: RunningApp): Promise<readonly string[]> {
  const { source } = (await stateOf(app)).draft
  return source.kind === 'files' ? source.items.map(({ name }) => name) : []
}

export const startButton = (page: Page) => page.getByRole('button', { name: /^Start job/ })
export const rows = (page: Page) => page.locator('.job-list .job-row')
export const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
/** The row of a finished job, which shows a result such as "24 photos, Web 2048". */
export const doneRow = (page: Page, name: string) =>
  row(page, name).filter({ hasText: /\d (photo|video|file)s?, / })

/** Drops a photo with this name on the window and starts it with the draft's settings. */
export async function submitPhoto(app: RunningApp, name: string): Promise<void> {
  const page = await app.page()
  await app.dropFiles('body', [app.files.photo(name)])
  await expect.poll(() => draftNames(app), WITHIN).toEqual([name])
  await page.evaluate(() => window.mediatray.draft.start({ split: false }))
}

/** Makes the app poll the service immediately, by simulating suspend and resume. */
export async function pollNow(app: RunningApp): Promise<void> {
  await app.power.suspend()
  await app.power.resume()
}

/** Lines of the tray menu; '' stands for a separator. */
export const trayLines = (app: RunningApp): readonly string[] =>
  (app.tray.now()?.menu ?? []).map(({ type, label }) => (type === 'separator' ? '' : label))

/** Waits until the app is connected. Also works outside a test, where `expect.poll` isn't available. */
export async function online(app: RunningApp): Promise<void> {
  await vi.waitFor(async () => {
    expect((await stateOf(app)).connection.state, app.log()).toMatchObject({ status: 'online' })
  }, WITHIN)
}

/** Timeout for polling a condition that is certain to become true. */
export const WITHIN = { timeout: LONG_ENOUGH_MS, interval: 50 } as const

const PICTURES = join(import.meta.dirname, '../../../test-results/e2e')

/** Saves a screenshot for manual review with `MEDIATRAY_PICTURES=1`; git ignores it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env['MEDIATRAY_PICTURES'] !== '1') return
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' })
}
