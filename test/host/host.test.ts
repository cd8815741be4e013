/** The owner of a data folder while the app doesn't run, and its clients, as real processes. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { COMMAND } from '../entries.ts'
import { takeOwnership } from '../../src/main/database/index.ts'
import { linkOver } from '../../src/node/owner-link/link.ts'
import type { FromClient, FromOwner } from '../../src/node/owner-link/messages.ts'
import { proofOf, readAddress, writeAddress } from '../../src/node/owner-link/proof.ts'
import { PROGRAM_VERSION } from '../../src/node/version.ts'
import { isOwnerAlive } from '../../src/node/owner-mark.ts'
import { isLongSuite, itInLongSuite } from '../faults/long-suite.ts'
import { photoFolders, resultsIn, SAMPLE } from '../faults/photo-folders.ts'
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

// At the usual pace: a host that is looked for too soon seems to be gone.
const STAYS = { MEDIATRAY_LINGER_MS: '60000', MEDIATRAY_PACE: '1' }

itInLongSuite(
  'stays for the next command, is named if it doesn’t respond, and logs in the data folder',
  async () => {
    const { data, options } = place(STAYS)
    onTestFinished(() => killOwner(data))
    expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
    const owner = (await ownerOf(data)) ?? 0
    const stopped = startCommand(['submit', '-'], options)
    const shown = text(stopped.stderr)
    await new Promise((written) => stopped.stdin.write(Buffer.alloc(4 * 1024 ** 2), written))
    for (const pid of [owner, stopped.pid ?? 0]) process.kill(pid, 'SIGSTOP')
    const history = startCommand(['history'], options)
    const closed = once(history, 'close')
    const [words] = await once(history.stderr, 'data')
    expect(words).toBe(`Mediatray’s background process (${owner}) doesn’t respond.\n`)
    process.kill(owner, 'SIGCONT')
    expect(await closed).toEqual([0, null])
    expect(await ownerOf(data)).toBe(owner)
    expect(() => readFileSync(join(data, 'logs', 'mediatray.log'))).not.toThrow()
    // The time in which the client itself was stopped doesn't count.
    stopped.kill('SIGCONT')
    stopped.stdin.end()
    expect(await shown).toMatch(/^Reading the photo from stdin.\nCouldn’t use stdin/)
  },
)

itInLongSuite(
  'ends with its last client if it may not stay, and the next command starts another one',
  async () => {
    const { data, options } = place()
    for (let time = 0; time < 2; time++) {
      expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
      await expect.poll(() => ownerOf(data)).toBeUndefined()
    }
  },
)

itInLongSuite.skipIf(process.platform === 'win32')(
  'stays reachable if its lock, its address and its socket are removed, and ends if its folder is moved away',
  async () => {
    const { data, options } = place(STAYS)
    onTestFinished(() => killOwner(data))
    const outbox = () => runProcess(['outbox'], options)
    expect(await outbox()).toMatchObject({ code: 0 })
    const owner = (await ownerOf(data)) ?? 0
    for (const name of ['owner.lock', 'owner.key']) rmSync(join(data, name))
    expect(await outbox()).toMatchObject({ code: 0 })
    expect(await ownerOf(data)).toBe(owner)
    rmSync(readAddress(data)?.path ?? '')
    expect(await outbox()).toMatchObject({ code: 0 })
    expect(await ownerOf(data)).toBe(owner)
    renameSync(data, `${data}-moved`)
    expect(await outbox()).toMatchObject({ code: 0 })
    await expect.poll(() => isOwnerAlive(`${owner}-`)).toBe(false)
    expect(await ownerOf(data)).toBeDefined()
  },
)

itInLongSuite('ends if it can’t listen', async () => {
  const { options } = place({ ...STAYS, TMPDIR: '/dev/null/missing' })
  const data = join(options.cwd, 'x'.repeat(100))
  const env = { ...options.env, MEDIATRAY_DATA_DIR: data }
  expect(await runProcess(['outbox'], { ...options, env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no folder for Mediatray’s socket'),
  })
  await expect.poll(() => takeOwnership(data)).toBeDefined()
})

itInLongSuite.skipIf(process.platform === 'win32')(
  'a deleted working directory matters only to relative paths',
  async () => {
    const { data, options } = place(STAYS)
    onTestFinished(() => killOwner(data))
    const started = { ...options, env: { ...environmentForNode(), HOME: options.cwd, ...options.env } }
    const run = async (...argv: readonly string[]) => {
      const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
      const child = spawn('sh', ['-c', script, 'sh', process.execPath, COMMAND, ...argv], started)
      const [stdout, stderr] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ])
      return { code: child.exitCode, stdout, stderr }
    }
    const words = 'The working directory was deleted, so relative paths can’t be used.\n'
    expect(await run('outbox')).toMatchObject({ code: 0, stderr: expect.stringContaining(words) })
    const submitted = await run('submit', 'a.jpg')
    expect(submitted).toMatchObject({ code: 4, stderr: expect.stringContaining('/dev/null/a.jpg') })
    const saved = await run('submit', SAMPLE)
    expect([saved.code, saved.stdout + saved.stderr]).toEqual([4, expect.stringContaining('/dev/null/')])
  },
)

test.runIf(process.platform === 'linux')(
  'a data folder that can’t be created, and a user without a home, are reported',
  async () => {
    const { options } = place()
    const impossible = { ...options, env: { MEDIATRAY_DATA_DIR: '/proc/x/y' } }
    expect(await runProcess(['outbox'], impossible)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Couldn’t create the folder for Mediatray’s data: ENOENT'),
    })
    if (process.getuid?.() !== 0) return
    const child = spawn(process.execPath, [COMMAND, 'outbox'], { uid: 54_321, env: {}, cwd: '/' })
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect([child.exitCode, stderr]).toEqual([4, expect.stringContaining('Set HOME')])
  },
)

itInLongSuite('data of a newer version is left alone, and each command reports it', async () => {
  const { data, options } = place()
  mkdirSync(data)
  const file = join(data, 'history.db')
  const connection = new DatabaseSync(file)
  connection.exec('CREATE TABLE future (x); PRAGMA user_version = 99')
  connection.close()
  const before = readFileSync(file)
  const { code, stderr } = await runProcess(['outbox'], options)
  expect([code, stderr]).toEqual([
    7,
    expect.stringContaining(`A newer version of Mediatray wrote ${file}. The file is unchanged.`),
  ])
  expect(readFileSync(file).equals(before)).toBe(true)
  const json = await runProcess(['outbox', '--json'], options)
  expect(json).toMatchObject({ code: 7, stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({ event: 'notice' })
  for (const [argv, words] of [
    [['submit', '--help'], 'Usage: mediatray-cli submit'],
    [['--licences'], 'sharp'],
    [['complete', 'bash'], 'mediatray-cli'],
    [['complete', '--shell', 'bash', '--', 'mediatray-cli retry '], ''],
    [['diagnostics'], 'A newer version of Mediatray wrote'],
  ] as const)
    expect(await runProcess(argv, options)).toEqual({
      code: 0,
      stdout: expect.stringContaining(words),
      stderr: '',
    })
  await expect.poll(() => takeOwnership(data)).toBeDefined()
})

const CLIENTS = isLongSuite ? 50 : 5

test(`processes the photos of ${CLIENTS} clients that start at once, each in one job, and stays for the next command`, async () => {
  const at = photoFolders(CLIENTS, STAYS)
  onTestFinished(() => killOwner(at.data))
  const ran = await Promise.all(at.files.map((file) => at.startSubmit([file], at.out).ended))
  const accepted = ran.map(({ events }) => events.filter(({ event }) => event === 'accepted').length)
  expect([ran.map(({ code }) => code), accepted]).toEqual([at.files.map(() => 0), at.files.map(() => 1)])
  expect(resultsIn(at.out)).toEqual(at.onceEach)
  expect(await ownerOf(at.data)).toBeDefined()
  expect(() => readFileSync(join(at.data, 'logs', 'mediatray.log'))).not.toThrow()
})

itInLongSuite(
  'processes photos without a home, a runtime folder and a folder for temporary files',
  async () => {
    const at = photoFolders(1, { TMPDIR: '/dev/null/missing' })
    const { code, stdout } = await at.startSubmit(at.files, at.out).ended
    expect(code, stdout).toBe(0)
    expect(resultsIn(at.out)).toEqual(at.onceEach)
  },
)

/** Runs a command as a user that isn't root. @returns its exit code and what it wrote to stderr */
async function outboxOfUser(data: string) {
  const env = { ...environmentForNode(), HOME: '/nonexistent', MEDIATRAY_DATA_DIR: data }
  const child = spawn(process.execPath, [COMMAND, 'outbox'], { uid: 54_321, env, cwd: '/' })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  return [child.exitCode, stderr]
}

itInLongSuite(
  'a data folder that can’t be used because of a permission, its mount or a full disk is reported with that reason',
  async ({ skip }) => {
    skip(process.platform !== 'linux' || process.getuid?.() !== 0)
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const denied = join(folder, 'denied')
    mkdirSync(denied, 0o700)
    expect(await outboxOfUser(denied)).toEqual([7, expect.stringContaining('you don’t have permission')])
    const mounted = (name: string, options: string) => {
      const at = join(folder, name)
      mkdirSync(at)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `${options},uid=54321,mode=700`, 'none', at])
      onTestFinished(() => void execFileSync('umount', ['-l', at]))
      return at
    }
    const full = mounted('full', 'size=1m')
    writeFileSync(join(full, 'rest'), Buffer.alloc(1024 ** 2 - 16_384))
    expect(await outboxOfUser(full)).toEqual([7, expect.stringContaining('The disk is full')])
    expect(await outboxOfUser(mounted('readOnly', 'ro'))).toEqual([
      7,
      expect.stringContaining('it is read-only'),
    ])
  },
)

itInLongSuite('a copy and a renamed data folder each have an owner', async () => {
  const { data, options } = place(STAYS)
  const [copy, renamed] = [`${data}-copy`, `${data}-renamed`]
  for (const folder of [data, copy, renamed]) onTestFinished(() => killOwner(folder))
  const submit = (folder: string, out: string) =>
    runProcess(['submit', SAMPLE, '--output', out], {
      ...options,
      env: { ...options.env, MEDIATRAY_DATA_DIR: folder },
    })
  const jobsIn = async (folder: string): Promise<number> => {
    const env = { ...options.env, MEDIATRAY_DATA_DIR: folder }
    const { stdout } = await runProcess(['history', '--json'], { ...options, env })
    return stdout.split('\n').filter((line) => line.includes('"event":"record"')).length
  }
  expect(await submit(data, 'one')).toMatchObject({ code: 0 })
  cpSync(data, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  expect(await submit(copy, 'two')).toMatchObject({ code: 0 })
  expect([await jobsIn(data), await jobsIn(copy)]).toEqual([1, 2])
  renameSync(data, renamed)
  expect(await submit(renamed, 'three')).toMatchObject({ code: 0 })
  expect([await jobsIn(renamed), await jobsIn(copy)]).toEqual([2, 2])
})

itInLongSuite(
  'a host whose folder for temporary files was removed serves commands that need one',
  async () => {
    const { data, options } = place(STAYS)
    onTestFinished(() => killOwner(data))
    const removed = temporaryFolder()
    const env = { ...options.env, TMPDIR: removed }
    expect(await runProcess(['outbox'], { ...options, env })).toMatchObject({ code: 0 })
    rmSync(removed, { recursive: true })
    const { code, stderr } = await runProcess(['estimate', SAMPLE, '--max-size', '100'], options)
    expect(code, stderr).toBe(0)
  },
)

itInLongSuite('works in a folder for sockets whose name has a line break', async () => {
  const cwd = temporaryFolder()
  const data = join(cwd, 'line\nbreak')
  const env = { MEDIATRAY_DATA_DIR: data, TMPDIR: '/dev/null/missing', XDG_RUNTIME_DIR: '' }
  expect(await runProcess(['outbox'], { cwd, env })).toMatchObject({ code: 0 })
})

/** A program that listens where the owner would. @param secret what it believes the secret to be; undefined if it never answers */
async function imposter(secret: string | undefined) {
  const { data, options } = place()
  mkdirSync(data)
  const path = join(data, 'socket')
  const { pid } = writeAddress(data, path)
  const listener = createServer((socket) => {
    const link = linkOver<FromOwner>(
      socket,
      (raw) => {
        const { challenge } = raw as Extract<FromClient, { type: 'hello' }>
        if (secret === undefined) return
        const proof = proofOf(secret, 'owner', [challenge, 'mine'])
        link.send({ type: 'proof', version: PROGRAM_VERSION, challenge: 'mine', proof, pid: 1 })
      },
      () => undefined,
    )
    onTestFinished(() => link.close())
  })
  await once(listener.listen(path), 'listening')
  onTestFinished(() => void listener.close())
  return { options, pid }
}

test('isn’t replaced by a program that listens in its place and doesn’t know the secret', async () => {
  const { options } = await imposter('guessed')
  expect(await runProcess(['submit', 'private.jpg'], options)).toEqual({
    code: 4,
    stdout: '',
    stderr: 'A program that isn’t Mediatray listens at Mediatray’s address.\n',
  })
})

itInLongSuite(
  'a client that can’t get the data folder says after five seconds that it waits, and ends after 15',
  async () => {
    const { data, options } = place()
    mkdirSync(data)
    const lock = takeOwnership(data)
    onTestFinished(() => lock?.release())
    const { code, stderr } = await runProcess(['history'], options)
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /^Waiting for Mediatray’s background process.\nAnother program \(.*doesn’t respond/,
      ),
    ])
  },
)

itInLongSuite('is named by a client if another program listens in its place and never answers', async () => {
  const { options, pid } = await imposter(undefined)
  const history = startCommand(['history'], options)
  const [words] = await once(history.stderr, 'data')
  expect(words).toBe(`Mediatray’s background process (${pid}) doesn’t respond.\n`)
  history.kill('SIGKILL')
})

itInLongSuite('serves commands again soon after another program has taken all connections', async () => {
  const { data, options } = place(STAYS)
  onTestFinished(() => killOwner(data))
  expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
  const silent = Array.from({ length: 200 }, () => connect(readAddress(data)?.path ?? ''))
  onTestFinished(() => silent.forEach((socket) => socket.destroy()))
  // Those that are too many are closed at once, and the others when they have proven nothing for a while.
  const closed = Promise.all(silent.map((socket) => once(socket, 'close')))
  expect(await runProcess(['outbox'], options)).toMatchObject({ code: 0 })
  await closed
})

/** In a container, the client is the first process, and the kernel kills all others when it ends. */
itInLongSuite.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
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
