/** One Chromium for all windows of the app. It starts with the first window and ends with the last. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type CdpLine, openCdpPipe } from './cdp-pipe.ts'
import { FEWER_PROCESSES } from './fewer-processes.ts'
import type { Rectangle } from '../recorded.ts'
import type { Record } from './record.ts'
import { isAlive } from './single-instance.ts'

export type Chromium = ReturnType<typeof createChromium>
export type ChromiumPage = Awaited<ReturnType<Chromium['openPage']>>

const FLAGS = [
  ...FEWER_PROCESSES,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-dev-shm-usage',
  '--disable-backgrounding-occluded-windows',
  '--password-store=basic',
  '--force-color-profile=srgb',
  '--remote-debugging-pipe',
  '--remote-debugging-port=0',
]

type Running = {
  readonly browser: CdpLine
  readonly session: (sessionId: string) => CdpLine
  readonly pages: Map<string, () => void>
  firstPage: string | null
  readonly ended: Promise<void>
  readonly kill: () => void
}

export function createChromium(options: {
  readonly executable: string
  /** The app's own folder, in which profiles are created and removed. */
  readonly profilesFolder: () => string
  readonly visible: boolean
  readonly record: Record
}) {
  let running: Promise<Running> | null = null
  let profiles = 0

  const start = async (): Promise<Running> => {
    removeDeadProfiles(options.profilesFolder())
    const profile = join(options.profilesFolder(), `chromium-${process.pid}-${profiles++}`)
    mkdirSync(profile, { recursive: true })
    const mode = options.visible
      ? ['--test-type', '--app=data:text/html,<title>Mediatray</title>']
      : ['--headless', 'about:blank']
    // Starts a separate process group, so that Chromium's helper processes can be ended with it.
    const child = spawn(options.executable, [...FLAGS, `--user-data-dir=${profile}`, ...mode], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const kill = () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The browser has already exited.
      }
    }
    const clean = () => {
      running = null
      options.record.change({ debuggerPort: null, chromiumPid: null })
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    }
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('exit', () => resolve())
    }).then(clean)
    const said: string[] = []
    const port = new Promise<number>((resolve, reject) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said.push(text)
        const found = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said.join(''))
        if (found !== null) resolve(Number(found[1]))
        if (said.length > 50) said.shift()
      })
      void ended.then(() => reject(new Error(`Chromium didn't start: ${said.join('').slice(-2000)}`)))
    })
    const pipe = openCdpPipe(child.stdio[3] as Writable, child.stdio[4] as Readable)
    options.record.change({ debuggerPort: await port, chromiumPid: child.pid ?? null })
    const pages = new Map<string, () => void>()
    const { browser } = pipe
    browser.on('Target.targetDestroyed', ({ targetId }) => pages.get(targetId)?.())
    await browser.send('Target.setDiscoverTargets', { discover: true })
    const { targetInfos } = await browser.send('Target.getTargets')
    const first = targetInfos.find((target) => target.type === 'page')
    return { browser, session: pipe.session, pages, firstPage: first?.targetId ?? null, ended, kill }
  }

  const closePage = async (chromium: Running, targetId: string) => {
    if (!chromium.pages.has(targetId)) return
    if (chromium.pages.size === 1) {
      chromium.pages.get(targetId)?.()
      return
    }
    await chromium.browser.send('Target.closeTarget', { targetId })
  }

  return {
    /** Returns the display on which Chromium shows its windows. */
    async display(): Promise<Rectangle> {
      running ??= start()
      const { browser, session, firstPage: targetId } = await running
      if (targetId === null) throw new Error('Chromium has no page')
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
      const expression =
        '({ x: screen.availLeft, y: screen.availTop, width: screen.width, height: screen.height })'
      const { result } = await session(sessionId).send('Runtime.evaluate', {
        expression,
        returnByValue: true,
      })
      await browser.send('Target.detachFromTarget', { sessionId })
      return result.value as Rectangle
    },
    async openPage() {
      running ??= start()
      const chromium = await running
      const { browser, pages } = chromium
      const targetId =
        chromium.firstPage ??
        (await browser.send('Target.createTarget', { url: 'about:blank', newWindow: true })).targetId
      chromium.firstPage = null
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
      const listeners: (() => void)[] = []
      const gone = () => {
        if (!pages.delete(targetId)) return
        for (const listener of listeners) listener()
        if (pages.size === 0) chromium.kill()
      }
      pages.set(targetId, gone)
      void chromium.ended.then(gone)
      return {
        cdp: chromium.session(sessionId),
        browser,
        targetId,
        /** Calls the listener when the page is gone, regardless of what closed it. */
        onGone: (listener: () => void) => void listeners.push(listener),
        close: () => closePage(chromium, targetId),
      }
    },
    /** Ends the browser and its helper processes. */
    async end(): Promise<void> {
      if (running === null) return
      const chromium = await running.catch(() => null)
      chromium?.kill()
      await chromium?.ended
    },
  }
}

/** Removes profiles of apps that were killed and couldn't remove them. */
function removeDeadProfiles(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const owner = Number(/^chromium-(\d+)-/.exec(name)?.[1])
    if (owner !== process.pid && !isAlive(owner))
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
  }
}
