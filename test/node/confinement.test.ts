import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startProgram, startWorker } from '../../src/node/child-process.ts'
import { type Confinement, findConfinement, PERMISSIONS, type Reach } from '../../src/node/confinement.ts'
import { startConfinedWorker, type WorkerEnding } from '../../src/node/confined-worker.ts'
import { childrenOf } from '../child-processes.ts'
import { temporaryFolder } from '../main/core/open-core.ts'

const WORKER = fileURLToPath(new URL('./confined-worker.ts', import.meta.url))
const found = await findConfinement({ platform: process.platform, log: () => undefined })

let folder: string
let inside: string
let outside: string
beforeEach(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder, 'given'))
  inside = join(folder, 'given', 'result.jpg')
  outside = join(folder, 'photo.jpg')
  await writeFile(outside, 'mine')
})

async function tryAll(confinement: Confinement, given = join(folder, 'given')): Promise<unknown> {
  const { wrapper, nodeOptions, env } = confinement.startFor({ writable: [given] })
  const child = startWorker(WORKER, { wrapper, nodeOptions, env: { ...process.env, ...env } })
  onTestFinished(() => child.kill())
  const answer = new Promise((resolve) =>
    child.onMessage((message) => {
      if (message !== 'taken') resolve(message)
    }),
  )
  child.send({ inside: join(given, 'result.jpg'), outside })
  return Promise.race([answer, child.ended])
}

const HELD = {
  read: 'done',
  writeInside: 'done',
  writeOutside: 'ERR_ACCESS_DENIED',
  start: 'ERR_ACCESS_DENIED',
  thread: 'ERR_ACCESS_DENIED',
}

it('holds the code of a worker to reading, and to writing where its results go', async () => {
  expect(await tryAll(PERMISSIONS)).toEqual(HELD)
  expect(await readFile(outside, 'utf8')).toBe('mine')
})

it('lets a worker in the strongest confinement of this system do its work, also through a link', async () => {
  expect(await tryAll(found)).toEqual(HELD)
  await symlink(join(folder, 'given'), join(folder, 'link'))
  expect(await tryAll(found, join(folder, 'link'))).toEqual(HELD)
  expect(await readFile(inside, 'utf8')).toBe('x')
})

it('keeps what is asked of a worker until it is known what holds it', async () => {
  const { promise: known, resolve } = Promise.withResolvers<Confinement>()
  const worker = startConfinedWorker<{ inside: string; outside: string }, object>(
    { path: WORKER, folders: [join(folder, 'given')], confinement: known },
    (message): message is object => typeof message === 'object',
  )
  onTestFinished(() => worker.kill())
  const answer = new Promise((heard) => worker.onMessage(heard))
  const ending = new Promise<WorkerEnding>((ended) => worker.onExit(ended))
  worker.send({ inside, outside })
  await new Promise(setImmediate)
  expect(childrenOf(process.pid, WORKER)).toEqual([])
  resolve(PERMISSIONS)
  expect(await answer).toEqual(HELD)
  worker.kill()
  expect(await ending).toMatchObject({ signal: 'SIGKILL' })
})

it.each([false, true])(
  'a worker that can’t be started has ended and says why, with a confinement that is known later: %s',
  async (later) => {
    const broken: Confinement = {
      kind: 'permissions',
      startFor() {
        throw new Error('no memory')
      },
    }
    const confinement = later ? Promise.resolve(broken) : broken
    const worker = startConfinedWorker<object, object>(
      { path: WORKER, folders: [], confinement },
      (message): message is object => typeof message === 'object',
    )
    worker.send({})
    worker.kill()
    expect(await new Promise((ended) => worker.onExit(ended))).toEqual({
      code: null,
      signal: null,
      stderrTail: 'no memory',
    })
  },
)

/** Without Node, as code would run that has taken over a decoder. @returns what it printed, or the code it ended with */
async function runNative(script: string, reach: Partial<Reach> = {}): Promise<string> {
  const start = found.startFor({ writable: [join(folder, 'given')], ...reach })
  const [program = '', ...args] = start.wrapper
  const child = startProgram(program, { args: [...args, '/bin/bash', '-c', script] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const { code } = await child.ended
  return code === 0 ? said.trim() : `code ${code}`
}

async function devicesSeen(chips: boolean): Promise<string[]> {
  return (await runNative('ls /dev', { chips })).split('\n')
}

// Where the system offers it; what a machine without it has is the first test.
describe.runIf(found.kind === 'bubblewrap')('bubblewrap holds native code as well', () => {
  it('to a system that it can only read, but for the folder it was given', async () => {
    expect(await runNative(`echo x > '${inside}' && cat '${inside}' '${outside}'`)).toBe('x\nmine')
    expect(await runNative(`echo x > '${outside}'`)).toBe('code 1')
    expect(await runNative('echo x > /etc/mediatray-test')).toBe('code 1')
    expect(await readFile(outside, 'utf8')).toBe('mine')
  })

  it('to no network, not even this computer’s own', async () => {
    let reached = 0
    const server = createServer(() => (reached += 1)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect(await runNative(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).toBe('code 1')
    expect(reached).toBe(0)
  })

  it('to no devices but, where it may use them, those of the graphics chips', async () => {
    const ordinary = await devicesSeen(false)
    expect(ordinary).toContain('null')
    expect(ordinary.filter((name) => /^(dri|nvidia|kvm|input|snd|mem|sd|vd)/.test(name))).toEqual([])
    const chips = (await readdir('/dev')).filter((name) => /^(dri$|nvidia)/.test(name))
    expect((await devicesSeen(true)).toSorted()).toEqual([...ordinary, ...chips].toSorted())
  })

  it('to its own processes, and to none of the sockets of the session', async () => {
    expect(await runNative(`ls -d /proc/[0-9]* | wc -l`)).toMatch(/^[1-6]$/)
    expect(await runNative('ls /run')).not.toMatch(/dbus|docker|systemd/)
  })
})

/** Processes that were started with something that only this test names. */
async function processesNaming(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text))
}

it.runIf(process.platform === 'linux')(
  'ends a worker that hangs, with all that stands around it',
  async () => {
    const { wrapper, nodeOptions, env } = found.startFor({ writable: [join(folder, 'given')] })
    const child = startWorker(WORKER, { wrapper, nodeOptions, env: { ...process.env, ...env } })
    const taken = new Promise((resolve) => child.onMessage(resolve))
    child.send({ inside, outside, hang: true })
    expect(await taken).toBe('taken')
    expect((await processesNaming(folder)).length).toBeGreaterThan(0)
    child.kill()
    await child.ended
    await expect.poll(() => processesNaming(folder)).toEqual([])
  },
)

it('does without bubblewrap where that does not work, and says why', async () => {
  const said: string[] = []
  const broken = join(folder, 'bwrap')
  await writeFile(broken, '#!/bin/sh\necho no namespaces here >&2\nexit 1\n')
  await chmod(broken, 0o755)
  const search = { platform: 'linux', log: (message: string) => said.push(message) } as const
  expect(await findConfinement({ ...search, places: [broken] })).toBe(PERMISSIONS)
  expect(said).toEqual([expect.stringContaining('no namespaces here')])
  expect(await findConfinement({ ...search, places: [join(folder, 'missing')] })).toBe(PERMISSIONS)
  await chmod(broken, 0o777)
  expect(await findConfinement({ ...search, places: [broken] })).toBe(PERMISSIONS)
  expect(await findConfinement({ ...search, platform: 'darwin' })).toBe(PERMISSIONS)
  expect(said).toHaveLength(1)
})
