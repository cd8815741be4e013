import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startProgram, startWorker, type WorkerChild } from '../../src/node/child-process.ts'
import { type Confinement, findConfinement, PERMISSIONS, type Reach } from '../../src/node/confinement.ts'
import { startConfinedWorker } from '../../src/node/confined-worker.ts'
import { childrenOf } from '../child-processes.ts'
import { smallDisk } from '../e2e/support/small-disk.ts'
import { listenUntilEnd } from '../listen-until-end.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { firstOf, itInLongSuite } from '../faults/long-suite.ts'

const WORKER = fileURLToPath(new URL('./confined-worker.ts', import.meta.url))
const found = await findConfinement({ platform: process.platform, log: () => undefined })

let folder: string
let inside: string
let outside: string
beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, 'given'))
  inside = join(folder, 'given', 'result.jpg')
  outside = join(folder, 'photo.jpg')
  await writeFile(outside, 'mine')
})

const answerOf = (child: Pick<WorkerChild, 'onMessage'>): Promise<unknown> =>
  new Promise((resolve) =>
    child.onMessage((message) => {
      if (typeof message === 'object' && message !== null && !('taken' in message)) resolve(message)
    }),
  )

function startIn(confinement: Confinement, given = join(folder, 'given')): WorkerChild {
  const { wrapper, nodeOptions, env, filter } = confinement.startFor({ writable: [given] })
  const secret = { AWS_SECRET_ACCESS_KEY: 'cloud', SSH_AUTH_SOCK: '/tmp/agent' }
  const child = startWorker(WORKER, {
    wrapper,
    nodeOptions,
    env: { ...process.env, ...secret, ...env },
    inheritedData: filter,
  })
  onTestFinished(() => child.kill())
  return child
}

async function tryAll(confinement: Confinement, given = join(folder, 'given')): Promise<unknown> {
  const child = startIn(confinement, given)
  const answer = answerOf(child)
  child.send({ inside: join(given, 'result.jpg'), outside })
  return Promise.race([answer, child.ended])
}

const HELD = {
  read: 'done',
  writeInside: 'done',
  writeOutside: 'ERR_ACCESS_DENIED',
  start: 'ERR_ACCESS_DENIED',
  thread: 'ERR_ACCESS_DENIED',
  database: 'failed',
  secret: 'none',
}

it('restricts a worker to reading, and to writing in its results folder', async () => {
  expect(await tryAll(PERMISSIONS)).toEqual(HELD)
  expect(await readFile(outside, 'utf8')).toBe('mine')
})

it('lets a worker process a file, even through a link, in this system’s strongest confinement', async () => {
  expect(await tryAll(found)).toEqual(HELD)
  await symlink(join(folder, 'given'), join(folder, 'link'))
  expect(await tryAll(found, join(folder, 'link'))).toEqual(HELD)
  expect(await readFile(inside, 'utf8')).toBe('x')
})

itInLongSuite(
  'refuses a folder whose name contains a wildcard, and treats a name with a comma as one folder',
  async () => {
    for (const name of ['*', 'a*b', join('*', 'c')])
      expect(() => PERMISSIONS.startFor({ writable: [join(folder, name)] })).toThrow(/contains “\*”/)
    const odd = join(folder, `a,${folder}`)
    await mkdir(odd, { recursive: true })
    expect(await tryAll(PERMISSIONS, odd)).toEqual(HELD)
  },
)

itInLongSuite('holds requests to a worker until its confinement is known', async () => {
  const { promise: known, resolve } = Promise.withResolvers<Confinement>()
  const given = join(folder, 'given')
  const worker = startConfinedWorker({ path: WORKER, folders: [given], confinement: known })
  onTestFinished(() => worker.kill())
  const answer = answerOf(worker)
  worker.send({ inside, outside })
  await new Promise(setImmediate)
  expect(childrenOf(process.pid, WORKER)).toEqual([])
  resolve(PERMISSIONS)
  expect(await answer).toEqual(HELD)
  worker.kill()
  expect(await worker.ended).toMatchObject({ signal: 'SIGKILL' })
})

it.each([false, true])(
  'reports why a worker can’t be started when its confinement is determined later: %s',
  async (later) => {
    const broken: Confinement = {
      kind: 'permissions',
      startFor() {
        throw new Error('no memory')
      },
    }
    const confinement = later ? Promise.resolve(broken) : broken
    const worker = startConfinedWorker({ path: WORKER, confinement })
    worker.send({})
    worker.kill()
    expect(await worker.ended).toEqual({
      code: null,
      signal: null,
      stderrTail: 'no memory',
    })
  },
)

it.each(firstOf([PERMISSIONS, found]))(
  'a worker may miss a disk that was mounted after its start only in a separate sandbox ($kind)',
  async (confinement) => {
    const worker = startConfinedWorker({ path: WORKER, confinement, folders: [join(folder, 'given')] })
    onTestFinished(() => worker.kill())
    const answer = answerOf(worker)
    worker.send({ inside, outside })
    expect(await answer).toEqual(HELD)
    using disk = smallDisk(join(folder, 'disk'), '1m')
    if (disk !== undefined) expect(worker.mayMissDisk()).toBe(confinement.kind === 'bubblewrap')
  },
)

/**
 * Runs native code without Node, as if it had taken over a decoder.
 * @returns its output, or its exit code
 */
async function runNative(script: string, reach: Partial<Reach> = {}): Promise<string> {
  const start = found.startFor({ writable: [join(folder, 'given')], ...reach })
  const [program = '', ...args] = start.wrapper
  const child = startProgram(program, {
    args: [...args, '/bin/bash', '-c', script],
    inheritedData: start.filter,
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const { code } = await child.ended
  return code === 0 ? said.trim() : `code ${code}`
}

async function devicesSeen(gpu: boolean): Promise<string[]> {
  return (await runNative('ls /dev', { gpu })).split('\n')
}

// Only on systems with bubblewrap; the first test covers the others.
describe.runIf(found.kind === 'bubblewrap')('native code confined by bubblewrap', () => {
  it('can read the system, but write only in the given folder', async () => {
    expect(await runNative(`echo x > '${inside}' && cat '${inside}' '${outside}'`)).toBe('x\nmine')
    expect(await runNative(`echo x > '${outside}'`)).toBe('code 1')
    expect(await runNative('echo x > /etc/mediatray-test')).toBe('code 1')
    expect(await readFile(outside, 'utf8')).toBe('mine')
  })

  it('can’t reach a network, including this computer’s own services', async () => {
    let reached = 0
    const { port } = new URL(await listenUntilEnd(createServer(() => (reached += 1))))
    expect(await runNative(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).toBe('code 1')
    expect(reached).toBe(0)
  })

  itInLongSuite('sees no devices except, if permitted, graphics devices', async () => {
    const ordinary = await devicesSeen(false)
    expect(ordinary).toContain('null')
    expect(ordinary.filter((name) => /^(dri|nvidia|kvm|input|snd|mem|sd|vd)/.test(name))).toEqual([])
    const chips = (await readdir('/dev')).filter((name) => /^(dri$|nvidia)/.test(name))
    expect((await devicesSeen(true)).toSorted()).toEqual([...ordinary, ...chips].toSorted())
  })

  it('can’t connect to any socket, not even in the results folder', async () => {
    let reached = 0
    const server = createServer(() => (reached += 1)).listen(join(folder, 'given', 'agent'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const script = `require('node:net').connect('${join(folder, 'given', 'agent')}')
      .on('connect', () => console.log('reached')).on('error', ({ code }) => console.log(code))`
    expect(await runNative(`'${process.execPath}' -e "${script}"`)).toBe('EPERM')
    expect(reached).toBe(0)
  })

  itInLongSuite('can’t create set-user-ID files', async () => {
    const place = join(folder, 'given', 'program')
    expect(await runNative(`echo x > '${place}' && chmod 755 '${place}' && chmod 4755 '${place}'`)).toBe(
      'code 1',
    )
    expect(await runNative(`chmod 2755 '${place}'`)).toBe('code 1')
    const script = `require('node:fs').openSync('${place}-2', 'w', 0o4755)`
    expect(await runNative(`'${process.execPath}' -e "${script}" 2>&1 | grep -o EPERM | head -1`)).toBe(
      'EPERM',
    )
    expect((await stat(place)).mode & 0o7777).toBe(0o755)
  })

  it('can’t create namespaces', async () => {
    expect(await runNative('unshare --user true 2>&1; true')).toMatch(/unshare failed|not permitted/)
  })

  itInLongSuite('can’t access the screen if results are in /tmp', async () => {
    const screen = '/tmp/.X11-unix/mediatray-test'
    const made = await mkdir(dirname(screen), { recursive: true })
    await writeFile(screen, '')
    onTestFinished(() => rm(made ?? screen, { recursive: true }))
    expect(await runNative('ls /tmp/.X11-unix', { writable: ['/tmp'] })).toBe('')
  })

  itInLongSuite('can write to only one folder, even if Node would read its name as several', async () => {
    const odd = join(folder, '*')
    await mkdir(odd)
    expect(await runNative(`echo x > '${odd}/a' && cat '${odd}/a'`, { writable: [odd] })).toBe('x')
    expect(await runNative(`echo x > '${outside}'`, { writable: [odd] })).toBe('code 1')
  })

  it('sees only its own processes, and not the sockets of the session', async () => {
    expect(await runNative(`ls -d /proc/[0-9]* | wc -l`)).toMatch(/^[1-6]$/)
    expect(await runNative('ls /run')).not.toMatch(/dbus|docker|systemd/)
  })
})

/** Returns the command lines that contain this text, which only this test uses. */
async function processesNaming(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(text))
}

itInLongSuite.runIf(process.platform === 'linux')(
  'and a hanging worker is ended with all processes around it',
  async () => {
    const child = startIn(found)
    const taken = new Promise((resolve) => child.onMessage(resolve))
    child.send({ inside, outside, hang: true })
    expect(await taken).toEqual({ taken: true })
    expect((await processesNaming(folder)).length).toBeGreaterThan(0)
    child.kill()
    await child.ended
    await expect.poll(() => processesNaming(folder)).toEqual([])
  },
)

itInLongSuite('Mediatray runs without bubblewrap if bubblewrap doesn’t work, and reports why', async () => {
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

itInLongSuite.runIf(process.platform === 'linux')(
  'bubblewrap is tested again if someone else ended the test',
  async () => {
    const folder = temporaryFolder()
    const program = join(folder, 'bwrap')
    await writeFile(
      program,
      `#!/bin/sh\n[ -e '${folder}/ended' ] && exit 0\ntouch '${folder}/ended'\nkill -KILL $$\n`,
    )
    await chmod(program, 0o755)
    const found = await findConfinement({ platform: 'linux', log: () => undefined, places: [program] })
    expect(found.kind).toBe('bubblewrap')
  },
)
