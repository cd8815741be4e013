/** Which key a command uses while its owner lives on. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openOwner } from '../../../src/main/cli/index.ts'
import { fastTiming, run, temporaryFolder } from './command.ts'
import { KEY, scriptedService } from './scripted-service.ts'

/** An owner that stays for several commands. @param isNamed whether each command names the service, instead of the settings */
async function staying(isNamed: boolean, script: Parameters<typeof scriptedService>[0] = {}) {
  const service = await scriptedService(script)
  const cwd = temporaryFolder()
  const data = join(cwd, 'data')
  mkdirSync(data)
  const settings = { connection: 'external', baseUrl: service.baseUrl }
  if (!isNamed) writeFileSync(join(data, 'settings.json'), JSON.stringify({ settings }))
  const env = { MEDIATRAY_DATA_DIR: data }
  const owner = openOwner({
    env,
    cwd,
    home: cwd,
    platform: 'linux',
    timing: fastTiming(),
    node: process.execPath,
    builtInEntry: '/nowhere',
    powerSupplies: '/nowhere',
    log: () => undefined,
    hide: () => undefined,
  })
  onTestFinished(() => owner.close())
  const at = isNamed ? ['--base-url', service.baseUrl] : []
  return {
    ...service,
    owner,
    /** @param key undefined if the command has none */
    command: (key: string | undefined, ...argv: readonly string[]) =>
      run([...argv, ...at], {
        env: key === undefined ? env : { ...env, MEDIATRAY_API_KEY: key },
        cwd,
        owner,
        timing: fastTiming(),
      }),
  }
}

const SUBMIT = ['submit', '--drive-input', 'x'] as const

it.each([true, false])(
  'a key belongs to the command that has it, and to its work (service named: %s)',
  async (isNamed) => {
    const { command, created } = await staying(isNamed)
    const code = async (...given: Parameters<typeof command>) => (await command(...given)).code
    expect(await code('wrong', ...SUBMIT, '--wait')).toBe(6)
    // Neither a missing key nor another wrong one gets anywhere, and both leave the submission alone.
    expect(await code(undefined, ...SUBMIT)).toBe(6)
    expect(await code('wrong too', 'outbox', 'send')).toBe(6)
    expect([created.length, await code(undefined, 'history')]).toEqual([0, 0])
    const sent = await command(KEY, 'outbox', 'send')
    expect([sent.code, created.length], sent.stderr).toEqual([0, 1])
    for (const key of [undefined, 'wrong']) {
      expect(await code(key, 'status')).toBe(6)
      expect(await code(key, ...SUBMIT)).toBe(6)
    }
    expect(created).toHaveLength(1)
  },
)

it('nothing is sent with the key of another command that is running', async () => {
  let status: 'processing' | 'completed' = 'processing'
  const { command, created, owner } = await staying(true, {
    reading: () => ({ status, result: { outputPath: '/out/a.jpg' } }),
  })
  const waiting = command(KEY, ...SUBMIT, '--wait')
  await expect.poll(() => created).toHaveLength(1)
  for (const key of [undefined, 'wrong']) {
    const { code, stderr } = await command(key, ...SUBMIT)
    expect([code, stderr]).toEqual([6, expect.stringContaining('The service rejected the API key')])
  }
  expect([created.length, owner.core.outbox.list().length]).toEqual([1, 0])
  expect((await command(KEY, ...SUBMIT)).code).toBe(0)
  status = 'completed'
  expect((await waiting).code).toBe(0)
  expect(created).toHaveLength(2)
})
