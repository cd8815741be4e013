/** The owner's socket: who may use it, and what a command's failure or a client's end does to the others. */
import { createServer, connect } from 'node:net'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serveCommands, type RunCommand, type Serving } from '../../../src/main/serve/index.ts'
import { connectOwner, type Reached } from '../../../src/node/owner-link/connect-owner.ts'
import { linkOver } from '../../../src/node/owner-link/link.ts'
import type { Command, FromClient, FromOwner } from '../../../src/node/owner-link/messages.ts'
import { proofOf, readAddress, writeAddress } from '../../../src/node/owner-link/proof.ts'
import { socketPlace } from '../../../src/node/owner-link/socket-place.ts'
import { PROGRAM_VERSION } from '../../../src/node/version.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const NEXT_VERSION = `${PROGRAM_VERSION}.1`

const COMMAND: Command = {
  type: 'run',
  argv: [],
  env: { [`BASH_FUNC_${'x'.repeat(300)}`]: '() { :; }' },
  cwd: '/',
  home: '/',
  stdout: 'pipe',
  widths: { stdout: null, stderr: null },
  hasTerminal: false,
  umask: 0o022,
  canConfirm: false,
}

async function serve(run: RunCommand) {
  const dataDir = temporaryFolder()
  const serving = await serveCommands(dataDir, process, run, { onChange: () => undefined })
  onTestFinished(async () => void (await serving.close()))
  return { dataDir, serving, path: readAddress(dataDir)?.path ?? '' }
}

/** Connects as the client does. */
async function client(dataDir: string) {
  const heard: FromOwner[] = []
  const closed = Promise.withResolvers<void>()
  const reached = await connectOwner(dataDir, {
    hear: (message) => void heard.push(message),
    closed: closed.resolve,
  })
  return { heard, closed: closed.promise, link: (reached as Reached).link }
}

/** Connects without proving anything yet. `heard` has the types of the messages. */
async function newcomer(dataDir: string, version: string) {
  const { path, secret } = readAddress(dataDir) ?? { path: '', secret: '' }
  const heard: string[] = []
  const closed = Promise.withResolvers<void>()
  const challenged = Promise.withResolvers<string>()
  const link = linkOver<FromClient>(
    connect(path),
    (raw) => {
      const message = raw as FromOwner
      heard.push(message.type)
      if (message.type === 'proof') challenged.resolve(message.challenge)
    },
    closed.resolve,
  )
  onTestFinished(() => link.close())
  link.send({ type: 'hello', version, challenge: 'mine' })
  const proof = proofOf(secret, 'client', [await challenged.promise, 'mine'])
  return { link, heard, closed: closed.promise, prove: () => link.send({ type: 'proof', proof }) }
}

/** Connects as a program would that doesn't know the secret. @returns what it was sent until it was disconnected */
async function stranger(path: string, ...messages: readonly FromClient[]) {
  const heard: unknown[] = []
  const closed = Promise.withResolvers<void>()
  const link = linkOver<FromClient>(connect(path), (message) => void heard.push(message), closed.resolve)
  for (const message of messages) link.send(message)
  await closed.promise
  return heard
}

it('runs nothing for a client that doesn’t prove that it can read the data folder', async () => {
  let runs = 0
  const { path, serving } = await serve(() => Promise.resolve(++runs))
  const hello = { type: 'hello', version: PROGRAM_VERSION, challenge: 'a' } as const
  expect(await stranger(path, COMMAND)).toEqual([])
  expect(await stranger(path, { type: 'proof', proof: proofOf('', 'client', ['', '']) })).toEqual([])
  expect(await stranger(path, hello, { type: 'proof', proof: 'b'.repeat(64) }, COMMAND)).toMatchObject([
    { type: 'proof' },
  ])
  expect(await stranger(path, hello, { type: 'yield' })).toMatchObject([{ type: 'proof' }])
  expect([runs, serving.clients()]).toEqual([0, 0])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('is refused by a client if it doesn’t know the secret, or is of another version and doesn’t end', async () => {
  const dataDir = temporaryFolder()
  const path = join(dataDir, 'socket')
  const { secret } = writeAddress(dataDir, path)
  let version = PROGRAM_VERSION
  let known = 'another secret'
  let hasWork = true
  const listener = createServer((socket) => {
    const link = linkOver<FromOwner>(
      socket,
      (raw) => {
        const message = raw as FromClient
        if (message.type === 'replace') return hasWork ? link.send({ type: 'working' }) : link.end()
        if (message.type !== 'hello') return
        const proof = proofOf(known, 'owner', [message.challenge, 'mine'])
        link.send({ type: 'proof', version, challenge: 'mine', proof, pid: 1 })
      },
      () => undefined,
    )
  }).listen(path)
  onTestFinished(() => void listener.close())
  await expect(client(dataDir)).rejects.toThrow('A program that isn’t Mediatray listens')
  known = secret
  version += '.1'
  await expect(client(dataDir)).rejects.toThrow('Another version of Mediatray is running')
  hasWork = false
  expect(await connectOwner(dataDir, { hear: () => undefined, closed: () => undefined })).toBeUndefined()
  // Without a secret, a listener could prove that it knows it.
  writeAddress(dataDir, path, '1', '')
  known = ''
  expect(await connectOwner(dataDir, { hear: () => undefined, closed: () => undefined })).toBeUndefined()
})

it('ends for another version if it has nothing to do, or if that is the app, and runs nothing for it', async () => {
  const dataDir = temporaryFolder()
  let [isIdle, ends, runs] = [false, 0, 0]
  const serving = await serveCommands(dataDir, process, () => Promise.resolve(++runs), {
    onChange: () => undefined,
    end: () => void ends++,
    isIdle: () => isIdle,
  })
  onTestFinished(async () => void (await serving.close()))
  async function send(type: 'replace' | 'yield' | 'run') {
    const { link, heard, closed, prove } = await newcomer(dataDir, NEXT_VERSION)
    prove()
    link.send(type === 'run' ? COMMAND : { type })
    return { heard, closed }
  }
  /** Returns the first answer to a client of the next version, or `closed`. */
  async function ask(type: 'replace' | 'run') {
    const { heard, closed } = await send(type)
    let isClosed = false
    void closed.then(() => (isClosed = true))
    await expect.poll(() => isClosed || heard.length === 2).toBe(true)
    return heard[1] ?? 'closed'
  }
  expect([await ask('replace'), await ask('run'), ends, runs]).toEqual(['working', 'closed', 0, 0])
  await send('yield')
  await expect.poll(() => ends).toBe(1)
  isIdle = true
  await send('replace')
  await expect.poll(() => ends).toBe(2)
})

it('ends for several clients of another version that come together, because none of them has a command', async () => {
  const dataDir = temporaryFolder()
  let ends = 0
  const serving: Serving = await serveCommands(dataDir, process, () => Promise.resolve(0), {
    onChange: () => undefined,
    end: () => void ends++,
    isIdle: () => !serving.hasCommands(),
  })
  onTestFinished(async () => void (await serving.close()))
  const clients = await Promise.all(Array.from({ length: 4 }, () => newcomer(dataDir, NEXT_VERSION)))
  for (const { link, prove } of clients) {
    prove()
    link.send({ type: 'replace' })
  }
  await expect.poll(() => ends).toBe(4)
})

it('doesn’t accept a client that proves itself after it began to end, so that the client looks for the next owner', async () => {
  const { dataDir, serving } = await serve(() => Promise.resolve(0))
  const { heard, closed, prove } = await newcomer(dataDir, PROGRAM_VERSION)
  const busy = await client(dataDir)
  const ended = serving.close()
  prove()
  await closed
  expect(heard).toEqual(['proof'])
  busy.link.close()
  await ended
})

it('reports a command that crashes to its client, and serves the others', async () => {
  const { dataDir } = await serve(({ argv }) =>
    argv.length > 0 ? Promise.reject(new Error('out of luck')) : Promise.resolve(0),
  )
  const [crashing, other] = await Promise.all([client(dataDir), client(dataDir)])
  crashing.link.send({ ...COMMAND, argv: ['history'] })
  await crashing.closed
  expect(crashing.heard).toMatchObject([
    { type: 'err', text: expect.stringContaining('out of luck') },
    { type: 'exit', code: 1 },
  ])
  other.link.send(COMMAND)
  await other.closed
  expect(other.heard).toEqual([{ type: 'exit', code: 0 }])
})

itInLongSuite('sends a text of any length whole', async () => {
  const text = `a${'😀'.repeat(9 * 1024 ** 2)}`
  const { dataDir } = await serve(({ stdout }) => {
    stdout.write(text)
    return Promise.resolve(0)
  })
  const { heard, link, closed } = await client(dataDir)
  link.send(COMMAND)
  await closed
  const parts = heard.map((message) => (message.type === 'out' ? message.text : ''))
  expect([parts.join('') === text, parts.every((part) => part.isWellFormed())]).toEqual([true, true])
  expect(heard.at(-1)).toEqual({ type: 'exit', code: 0 })
})

it('leaves a command to the next owner that arrives while this one ends', async () => {
  const { dataDir, serving } = await serve(() => Promise.reject(new Error('run after its end')))
  const { heard, link, closed } = await client(dataDir)
  const ended = serving.close()
  link.send({ ...COMMAND, argv: ['history'] })
  await closed
  expect([await ended, heard]).toEqual([true, [{ type: 'moved', argv: ['history'] }]])
})

it('disconnects a client that sends what it may not, and only that one', async () => {
  const { dataDir, serving } = await serve(() => new Promise(() => undefined))
  const [one, other] = await Promise.all([client(dataDir), client(dataDir)])
  one.link.send({ ...COMMAND, argv: [1 as unknown as string] })
  await one.closed
  await expect.poll(() => serving.clients()).toBe(1)
  other.link.close()
})

it('ends a command without canceling its work when its client has gone', async () => {
  const reasons: unknown[] = []
  const { dataDir } = await serve(
    ({ interrupted }) =>
      new Promise((resolve) => {
        interrupted.addEventListener('abort', () => {
          reasons.push(interrupted.reason)
          resolve(130)
        })
      }),
  )
  const { link } = await client(dataDir)
  link.send(COMMAND)
  link.send({ type: 'ping' })
  link.end()
  await expect.poll(() => reasons).toMatchObject([{ message: 'This operation was aborted' }])
})

it('tells a command the width of its terminal, also after the user has changed it', async () => {
  const widths: unknown[] = []
  const { dataDir } = await serve(async ({ stdout, stderr, confirm }) => {
    widths.push([stdout.columns, stderr.columns])
    await confirm?.('Go on?')
    widths.push([stdout.columns, stderr.columns])
    return 0
  })
  const { link, closed } = await client(dataDir)
  link.send({ ...COMMAND, widths: { stdout: 80, stderr: 80 }, canConfirm: true })
  link.send({ type: 'resized', widths: { stdout: 132, stderr: null } })
  link.send({ type: 'answer', isYes: true })
  await closed
  expect(widths).toEqual([
    [80, 80],
    [132, undefined],
  ])
})

function folder(mode: number, ...names: readonly string[]): string {
  const path = join(temporaryFolder(), ...names)
  mkdirSync(path, { recursive: true })
  chmodSync(path, mode)
  return path
}

it('listens only in a folder that no other user can enter, with a short path', () => {
  const dataDir = temporaryFolder()
  const at = (XDG_RUNTIME_DIR: string) =>
    dirname(socketPlace(dataDir, { env: { XDG_RUNTIME_DIR }, platform: 'linux' }))
  const own = folder(0o700)
  expect(at(own)).toBe(own)
  const temporary = join(tmpdir(), `mediatray-${process.getuid?.()}`)
  for (const unusable of [folder(0o755), join(own, 'missing'), folder(0o700, 'x'.repeat(100)), ''])
    expect(at(unusable)).toBe(temporary)
  const missing = join(own, 'missing')
  vi.stubEnv('TMPDIR', missing)
  onTestFinished(() => void vi.unstubAllEnvs())
  chmodSync(dataDir, 0o700)
  expect([at(''), existsSync(missing)]).toEqual([dataDir, false])
  chmodSync(dataDir, 0o755)
  expect(() => at('')).toThrow('no folder for Mediatray’s socket')
})
