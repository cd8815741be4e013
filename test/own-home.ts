/**
 * Gives each test file its own home folder, so that tests leave nothing in the user's, and nothing for each other. Commands are in English,
 * also if the user's terminal isn't.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { afterAll } from 'vitest'

const usual = { HOME: env['HOME'], USERPROFILE: env['USERPROFILE'], LC_ALL: env['LC_ALL'] }
const home = realpathSync.native(mkdtempSync(join(tmpdir(), 'mediatray-home-')))
Object.assign(env, { HOME: home, USERPROFILE: home, LC_ALL: 'C.UTF-8' })

afterAll(() => {
  for (const [name, value] of Object.entries(usual)) {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})
