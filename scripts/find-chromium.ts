/** Checks whether Chromium is available for the stand-in. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onPath } from './on-path.ts'

const TRYING_MS = 30_000

export const ON_DEBIAN = 'On Debian: sudo apt-get install -y chromium'

export type ChromiumCheck =
  | { readonly works: true; readonly path: string }
  /** `why` is a sentence. */
  | { readonly works: false; readonly why: string }

/** Starts Chromium briefly, because an installed one may lack libraries or a writable folder. */
export function findChromium(): ChromiumCheck {
  const path = onPath('chromium')
  if (path === undefined) return { works: false, why: 'Chromium isn’t installed.' }
  const profile = mkdtempSync(join(tmpdir(), 'mediatray-chromium-'))
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`]
  try {
    const { error, status, stderr } = spawnSync(path, [...flags, '--dump-dom', 'about:blank'], {
      encoding: 'utf8',
      timeout: TRYING_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (error === undefined && status === 0) return { works: true, path }
    const [first = `exit code ${status}`] = (error?.message ?? stderr)
      .split('\n')
      .filter((line) => line !== '')
    return { works: false, why: `Chromium is installed but doesn’t start (${first}).` }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
