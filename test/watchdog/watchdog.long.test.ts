import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

it('a run in which no test ends anymore is ended, even if a test keeps its process busy, and the tests are named', async () => {
  const child = spawn(process.execPath, [VITEST, 'run', '--config', 'test/watchdog/fixtures.config.ts'], {
    cwd: ROOT,
    env: { ...process.env, MEDIATRAY_WATCHDOG_MS: '10000' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // Its pipe closes only when the processes of the tests have ended too.
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(child.exitCode === 0).toBe(false)
  expect(said).toContain('No test has ended for 10 seconds')
  expect(said).toContain('test/watchdog/endless-loop.fixture.ts > keeps its process busy')
  expect(said).toContain('test/watchdog/never-settles.fixture.ts > waits for what never happens')
})
