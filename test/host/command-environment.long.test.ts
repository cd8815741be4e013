/** What applies to one command only, and what applies to all commands of a host, as real processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createSettings, openSettingsFile } from '../../src/main/settings/settings.ts'
import { COMMAND } from '../entries.ts'
import { resultsIn, SAMPLE } from '../faults/photo-folders.ts'
import { environmentForNode, killOwner, temporaryFolder } from '../main/cli/command.ts'
import { programIn } from '../main/hooks/hooked.ts'

/** Runs commands in shells with a umask and variables, of which the first one starts a host that stays. */
function shells() {
  const cwd = temporaryFolder()
  const data = join(cwd, 'data')
  mkdirSync(data)
  onTestFinished(() => killOwner(data))
  const shared = {
    ...environmentForNode(),
    HOME: cwd,
    MEDIATRAY_DATA_DIR: data,
    MEDIATRAY_LINGER_MS: '60000',
  }
  function start(umask: string, env: Record<string, string>, ...argv: readonly string[]) {
    const script = ['-c', `umask ${umask} && exec "$@"`, 'sh', process.execPath, COMMAND, ...argv]
    return spawn('sh', script, { cwd, env: { ...shared, ...env } })
  }
  async function run(...command: Parameters<typeof start>) {
    const child = start(...command)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code: child.exitCode, output: stdout + stderr }
  }
  return { cwd, data, start, run }
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

test.skipIf(process.platform === 'win32')(
  'the service and the key of a command apply to it only, its umask unless the host works, and the other variables of the first one to all',
  async () => {
    const { cwd, data, start, run } = shells()
    const marks = join(cwd, 'marks')
    createSettings(openSettingsFile(join(data, 'settings.json'))).update({
      afterJob: { program: programIn(cwd, 'hook', `echo $MARK $MEDIATRAY_API_KEY >> ${marks}`), url: null },
    })
    const elsewhere = { MEDIATRAY_BASE_URL: 'http://127.0.0.1:9/api', MEDIATRAY_API_KEY: 'secret' }
    expect((await run('077', { ...elsewhere, MARK: 'first' }, 'outbox')).code).toBe(0)

    async function modesAfter(umask: string, out: string) {
      const { code, output } = await run(umask, { MARK: 'second' }, 'submit', SAMPLE, '--output', out)
      expect(code, output).toBe(0)
      expect(output).not.toMatch(/^\s+at /m)
      return [modeOf(join(cwd, out, resultsIn(join(cwd, out))[0] ?? '')), modeOf(join(cwd, out))]
    }
    expect(await modesAfter('077', 'a')).toEqual([0o600, 0o700])
    await expect.poll(() => readFileSync(marks, 'utf8')).toBe('first\n')

    const reading = start('077', {}, 'submit', '-')
    await expect.poll(() => readdirSync(join(data, 'streams', 'jobs'))).toHaveLength(1)
    expect(await modesAfter('022', 'b')).toEqual([0o600, 0o700])
    reading.kill()
    await once(reading, 'close')
    expect(await modesAfter('022', 'c')).toEqual([0o644, 0o755])
    const together = await Promise.all(['d', 'e', 'f'].map((out) => modesAfter('077', out)))
    expect(together).toEqual(together.map(() => [0o600, 0o700]))
  },
)
