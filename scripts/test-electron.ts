/** `npm run test:electron`: the end-to-end specs on the real runtime, as far as it can be driven. It says how many ran. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'vitest.e2e.config.ts', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, MEDIATRAY_E2E: 'electron' } },
)
process.exitCode = status ?? 1
