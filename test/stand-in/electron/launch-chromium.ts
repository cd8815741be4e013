/** Starts Chromium for pages of an app. */
import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { openCdpPipe } from './cdp-pipe.ts'

/**
 * Browser features that an app doesn't need.
 * The last two are pages of the address bar. Chromium loads each at every launch in a separate process, which takes longer than the
 * rest of the launch.
 */
const SWITCHED_OFF = [
  'Translate',
  'MediaRouter',
  'OptimizationHints',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  // Without a GPU, a separate GPU process would only pass frames on.
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-dev-shm-usage',
  '--disable-backgrounding-occluded-windows',
  `--disable-features=${SWITCHED_OFF.join(',')}`,
  '--password-store=basic',
  '--force-color-profile=srgb',
  '--remote-debugging-pipe',
  '--remote-debugging-port=0',
]

/** @param options.profile an empty folder; the caller removes it after the browser has ended */
export function launchChromium(options: {
  readonly executable: string
  readonly profile: string
  readonly visible: boolean
}) {
  const mode = options.visible
    ? ['--test-type', '--app=data:text/html,<title>Mediatray</title>']
    : ['--headless', 'about:blank']
  // Starts a separate process group, so that Chromium's helper processes can be ended with it.
  const child = spawn(options.executable, [...FLAGS, `--user-data-dir=${options.profile}`, ...mode], {
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
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  const said: string[] = []
  /** WebSocket URL for other processes. */
  const endpoint = new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said.push(text)
      const found = /DevTools listening on (ws:\S+)/.exec(said.join(''))
      if (found?.[1] !== undefined) resolve(found[1])
      if (said.length > 50) said.shift()
    })
    void ended.then(() => reject(new Error(`Chromium didn't start: ${said.join('').slice(-2000)}`)))
  })
  const lines = openCdpPipe(child.stdio[3] as Writable, child.stdio[4] as Readable)
  return { child, endpoint, lines, ended, kill }
}
