/** The owner of a data folder while the app doesn't run, and its clients, as real processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMMAND } from '../entries.ts'
import { itInLongSuite } from '../faults/long-suite.ts'
import {
  environmentForNode,
  killOwner,
  ownerOf,
  runProcess,
  startCommand,
  temporaryFolder,
} from '../main/cli/command.ts'

const place = (env: Record<string, string> = {}) => {
  const cwd = temporaryFolder()
  const data = join(cwd, 'data')
  return { data, options: { cwd, env: { MEDIATRAY_DATA_DIR: data, ...env } } }
}

const STAYS = { MEDIATRAY_LINGER_MS: '60000' }

test('stays for the next command, is named if it doesn’t respond, and logs in the data folder', async () => {
  const { data, options } = place(STAYS)
  onTestFinished(() => killOwner(data))
  expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
  const owner = (await ownerOf(data)) ?? 0
  process.kill(owner, 'SIGSTOP')
  const history = startCommand(['history'], options)
  const closed = once(history, 'close')
  const [text] = await once(history.stderr, 'data')
  expect(text).toBe(`Mediatray’s background process (${owner}) doesn’t respond.\n`)
  process.kill(owner, 'SIGCONT')
  expect(await closed).toEqual([0, null])
  expect(await ownerOf(data)).toBe(owner)
  expect(() => readFileSync(join(data, 'logs', 'mediatray.log'))).not.toThrow()
})

test('ends with its last client if it may not stay, and the next command starts another one', async () => {
  const { data, options } = place()
  for (let time = 0; time < 2; time++) {
    expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
    await expect.poll(() => ownerOf(data)).toBeUndefined()
  }
})

itInLongSuite('serves fifty clients at once, of which only one starts it', async () => {
  const { data, options } = place(STAYS)
  onTestFinished(() => killOwner(data))
  const ran = await Promise.all(Array.from({ length: 50 }, () => runProcess(['outbox'], options)))
  expect(new Set(ran.map(({ code, stderr }) => `${code}${stderr}`))).toEqual(new Set(['0']))
})

/** In a container, the client is the first process, and the kernel kills all others when it ends. */
test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'ends orderly when the first process of a container does',
  async () => {
    const { data, options } = place(STAYS)
    const argv = ['--pid', '--fork', process.execPath, COMMAND, 'jobs']
    const container = spawn('unshare', argv, {
      ...options,
      env: { ...environmentForNode(), HOME: options.cwd, ...options.env },
      stdio: 'ignore',
    })
    await once(container, 'close')
    const log = readFileSync(join(data, 'logs', 'mediatray.log'), 'utf8')
    expect(log).toContain('host ended')
  },
)
