import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.ts'

const MODULE = join(import.meta.dirname, '../../../src/main/desktop/launch/start-after-exit.ts')
const execute = promisify(execFile)

/** Writes what it was started with, and whether it may get more privileges. */
function program() {
  const folder = temporaryFolder()
  const [path, trace] = [join(folder, 'the app'), join(folder, 'trace')]
  const script = `#!/bin/sh\n{ pwd; printf '%s\\n' "$@"; grep NoNewPrivs /proc/self/status; } > '${trace}.part'\nmv '${trace}.part' '${trace}'\n`
  writeFileSync(path, script, { mode: 0o755 })
  return { path, trace }
}

const starting = (path: string, then: string) =>
  `const { startAfterExit } = await import(${JSON.stringify(MODULE)}); startAfterExit(${JSON.stringify(path)}, ['--new-job', '--', "it's a.jpg"]); ${then}`

it.runIf(process.platform === 'linux')(
  'starts a program after the exit of this one, with its arguments and without a restriction of its privileges',
  async () => {
    const { path, trace } = program()
    await execute(process.execPath, ['--input-type=module', '-e', starting(path, 'process.exit()')])
    await expect.poll(() => existsSync(trace)).toBe(true)
    expect(readFileSync(trace, 'utf8')).toBe("/\n--new-job\n--\nit's a.jpg\nNoNewPrivs:\t0\n")
  },
)

it.runIf(process.platform === 'linux')(
  'starts it also if this one is killed, and never earlier',
  async () => {
    const { path, trace } = program()
    const script = starting(path, "console.log('waiting'); setInterval(() => {}, 1_000)")
    const running = spawn(process.execPath, ['--input-type=module', '-e', script])
    await once(running.stdout, 'data')
    expect(existsSync(trace)).toBe(false)
    running.kill('SIGKILL')
    await expect.poll(() => existsSync(trace)).toBe(true)
  },
)
