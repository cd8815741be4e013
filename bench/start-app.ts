/** Starts the built app, or a minimal one to compare it with, on the stand-in. Run `npm run build` first. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, launchApp } from '../test/stand-in/driver.ts'
import { built } from './build.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const MAIN = built('main/index.js')
const BARE_WINDOW = join(import.meta.dirname, 'bare-window.mjs')

/** Starts an app whose service never responds, to measure the app alone. */
export async function startOffline(prepare: (data: string) => void = () => undefined): Promise<App> {
  const folder = await temporaryFolder()
  const home = folder.path
  const data = join(home, '.config/Mediatray')
  mkdirSync(data, { recursive: true })
  const settings = { connection: 'external', baseUrl: 'http://127.0.0.1:9/api' }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
  prepare(data)
  const app = await launchApp({ mainBundle: MAIN, home })
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Starts a minimal app that shows one page in a window like ours. */
export async function startBareWindow(html: string): Promise<App> {
  const folder = await temporaryFolder()
  const page = join(folder.path, 'page.html')
  writeFileSync(page, html)
  const app = await launchApp({ mainBundle: BARE_WINDOW, args: [page] })
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
