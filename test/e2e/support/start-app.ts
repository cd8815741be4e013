/** The built app in a home of its own, in a session with a keychain, and what the specs do with it again and again. */
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
  /** A home that goes on to be used; left out: a new one, removed at the end. */
  readonly in?: Home
  readonly settings?: Partial<Settings>
}

export async function startApp({ in: given, settings, ...options }: StartOptions = {}): Promise<RunningApp> {
  const files = given ?? makeHome(settings)
  const app = await launch({
    ...options,
    home: files.path,
    env: { ...inject('session'), ...options.env },
  })
  const more: Pick<RunningApp, 'files' | 'page' | typeof Symbol.asyncDispose> = {
    files,
    async page(index) {
      const page = await app.page(index)
      page.setDefaultTimeout(WITHIN.timeout)
      return page
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      if (given === undefined) files[Symbol.dispose]()
    },
  }
  // In front of it, not copied: the real runtime tells by what is read what a spec needs.
  return Object.assign(Object.create(app) as AppUnderTest, more)
}

/** An app with its built-in service running. */
export async function startWithBuiltIn(options: StartOptions = {}): Promise<RunningApp> {
  const app = await startApp({ ...options, settings: { connection: 'builtIn', ...options.settings } })
  if (options.waitFor === undefined) await online(app)
  return app
}

/** An app connected to the service at this address. */
export async function startWith(
  service: { readonly baseUrl: string; readonly key: string },
  options: StartOptions & { readonly keep?: 'keychain' | 'session' } = {},
): Promise<RunningApp> {
  const app = await startApp(options)
  const page = await app.page()
  const choice = { baseUrl: service.baseUrl, key: service.key, keep: options.keep ?? 'session' }
  const test = await page.evaluate((chosen) => window.mediatray.connection.useExternal(chosen), choice)
  expect(test).toMatchObject({ ok: true })
  return app
}

/** What the main process holds just now, as the page would be told. */
export const stateOf = async (app: RunningApp): Promise<AppState> => {
  const page = await app.page()
  return await page.evaluate(async () => (await window.mediatray.app.snapshot()).state)
}

export const startButton = (page: Page) => page.getByRole('button', { name: /^Start job/ })
export const rows = (page: Page) => page.locator('.jobs .row')
export const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
/** A row says what was made once it is done, as in "24 photos, Web 2048". */
export const doneRow = (page: Page, name: string) =>
  row(page, name).filter({ hasText: /\d (photo|video|file)s?, / })

/** A photo of this name, dropped on the window and started with what the draft says. */
export async function submitPhoto(app: RunningApp, name: string): Promise<void> {
  const page = await app.page()
  await app.dropFiles('body', [app.files.photo(name)])
  await expect
    .poll(async () => (await stateOf(app)).draft.source, WITHIN)
    .toMatchObject({ kind: 'files', items: [{ name }] })
  await page.evaluate(() => window.mediatray.draft.start({ split: false }))
}

/** Spares a spec the time until the next poll. */
export async function pollNow(app: RunningApp): Promise<void> {
  await app.power.suspend()
  await app.power.resume()
}

/** The lines of the tray's menu; a divider is ''. */
export const trayLines = (app: RunningApp): readonly string[] =>
  (app.tray.now()?.menu ?? []).map(({ type, label }) => (type === 'separator' ? '' : label))

/** Also outside of a test, where `expect.poll` is not to be had. */
export async function online(app: RunningApp): Promise<void> {
  await vi.waitFor(async () => {
    expect((await stateOf(app)).connection.state, app.log()).toMatchObject({ status: 'online' })
  }, WITHIN)
}

/** For what certainly comes. */
export const WITHIN = { timeout: LONG_ENOUGH_MS, interval: 50 } as const

const PICTURES = join(import.meta.dirname, '../../../test-results/e2e')

/** Kept for a person to look at; out of git. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' })
}
