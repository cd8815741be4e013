/** Whether the stand-in could have its Chromium. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onPath } from './on-path.ts'

const TRYING_MS = 30_000

export type ChromiumLook =
  | { readonly works: true; readonly path: string }
  /** `why` is a sentence. */
  | { readonly works: false; readonly why: string }

/** Starts it for a moment: one that is there may lack libraries, or a folder to write in. */
export function lookForChromium(): ChromiumLook {
  const path = onPath('chromium')
  if (path === undefined) return { works: false, why: 'There is no Chromium.' }
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
    return { works: false, why: `Chromium is here but does not start (${first}).` }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
