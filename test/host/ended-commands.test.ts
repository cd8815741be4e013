/** What becomes of a command whose owner ends, as real processes. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jsonLines, killOwner, ownerOf, startCommand, temporaryFolder } from '../main/cli/command.ts'
import { withoutDelays } from '../main/cli/without-delays.ts'
import { KEY, scriptedService } from '../main/cli/scripted-service.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

const SAMPLE = resolve(import.meta.dirname, '../../assets/samples/dawn-upright.jpg')

/** Starts a command whose stdin stays open. */
function begin(argv: readonly string[], env: Record<string, string> = {}) {
  const cwd = temporaryFolder()
  const data = join(cwd, 'data')
  const child = startCommand(argv, { cwd, env: { MEDIATRAY_DATA_DIR: data, ...env } })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await killOwner(data)
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (text: string) => (written[name] += text))
  const ended = once(child, 'close').then(([code]: unknown[]) => code)
  const signal = async (name: 'SIGTERM' | 'SIGKILL') => process.kill((await ownerOf(data)) ?? 0, name)
  const errors = () => withoutDelays(written.stderr)
  return { data, child, written, errors, ended, signal }
}

const SUBMIT = ['submit', '--drive-input', 'x', '--wait', '--json'] as const

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('the next owner continues a command with its service and the key from stdin', async () => {
  let status: 'processing' | 'completed' = 'processing'
  const service = await scriptedService({
    reading: () => ({ status, result: { outputPath: '/out/a.jpg' } }),
  })
  const { child, data, written, errors, ended, signal } = begin([
    ...SUBMIT,
    '--key-stdin',
    '--base-url',
    service.baseUrl,
  ])
  child.stdin.write(`${KEY}\n`)
  await expect.poll(() => written.stdout).toContain('"accepted"')
  const first = await ownerOf(data)
  await signal('SIGTERM')
  await expect.poll(async () => [undefined, first].includes(await ownerOf(data))).toBe(false)
  status = 'completed'
  expect([await ended, errors()]).toEqual([0, ''])
  const events = jsonLines(written.stdout).flatMap(({ event }) =>
    event === 'accepted' || event === 'finished' ? [event] : [],
  )
  expect([events, service.created.length]).toEqual([['accepted', 'finished'], 1])
})

itInLongSuite('a command whose owner is killed says whether anything was submitted', async () => {
  let answers = false
  const service = await scriptedService({
    instead: () => !answers,
    reading: () => ({ status: 'processing' }),
  })
  const at = ['--base-url', service.baseUrl]
  const early = begin([...SUBMIT, ...at], { MEDIATRAY_API_KEY: KEY })
  await expect.poll(() => service.asked.length).toBeGreaterThan(0)
  await early.signal('SIGKILL')
  expect([await early.ended, early.errors()]).toEqual([
    4,
    'Mediatray’s background process ended. Nothing was submitted. Run the command again.\n',
  ])
  answers = true
  const late = begin([...SUBMIT, ...at], { MEDIATRAY_API_KEY: KEY })
  await expect.poll(() => late.written.stdout).toContain('"accepted"')
  await late.signal('SIGKILL')
  expect([await late.ended, late.errors()]).toEqual([
    4,
    'Mediatray’s background process ended. The next command continues its work; “history” shows it.\n',
  ])
})

itInLongSuite.each([['SIGTERM'], ['SIGKILL']] as const)(
  'a command that has read a part of stdin ends if a %s ends its owner, because it can’t be repeated',
  async (name) => {
    const { child, data, written, ended, signal } = begin(['submit', '-'])
    child.stdin.write(readFileSync(SAMPLE).subarray(0, 1000))
    const streams = join(data, 'streams', 'jobs')
    const read = () =>
      readdirSync(streams).map((folder) => readFileSync(join(streams, folder, 'stdin')).length)
    await expect.poll(() => read()).toEqual([1000])
    await signal(name)
    expect(await ended).toBe(4)
    expect(written.stderr).toMatch(/stdin is lost\. Nothing was submitted\. Run the command again\.\n$/)
  },
)

itInLongSuite(
  'an installer that replaces the program ends commands with a message, and the next one continues their work',
  async () => {
    let status: 'processing' | 'completed' = 'processing'
    const service = await scriptedService({
      reading: () => ({ status, result: { outputPath: '/out/a.jpg' } }),
    })
    const at = ['--base-url', service.baseUrl]
    const { data, written, errors, ended } = begin([...SUBMIT, ...at], { MEDIATRAY_API_KEY: KEY })
    await expect.poll(() => written.stdout).toContain('"accepted"')
    const env = { MEDIATRAY_DATA_DIR: data, MEDIATRAY_API_KEY: KEY }
    const server = begin(['mcp'], env)
    server.child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
    await expect.poll(() => server.written.stdout).toContain('"result"')

    const installer = startCommand(['--end-for-update'], { cwd: temporaryFolder(), env })
    const owner = await ownerOf(data)
    expect(await once(installer, 'close')).toEqual([0, null])
    expect(() => process.kill(owner ?? 0, 0)).toThrow('ESRCH')
    expect([await ended, errors(), await server.ended, server.errors()]).toEqual([
      4,
      'Mediatray’s program files are being replaced or removed, so this command ended. The next command continues its work; “history” shows it.\n',
      4,
      'Mediatray’s program files are being replaced or removed, so this command ended. The next command continues what was submitted; “history” shows it. Run this command again.\n',
    ])
    // Nothing has started another owner.
    expect(await ownerOf(data)).toBeUndefined()

    status = 'completed'
    const next = begin(['history', '--json', ...at], env)
    expect([await next.ended, next.written.stdout]).toEqual([0, expect.stringContaining('"kind":"done"')])
  },
)
