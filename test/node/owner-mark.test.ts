import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { isOwnerAlive, OWN_MARK } from '../../src/node/owner-mark.ts'

/** Larger than any process ID. */
const UNUSED = 2 ** 30

it('a mark of this process or another running process is alive', () => {
  expect(isOwnerAlive(OWN_MARK)).toBe(true)
  expect(isOwnerAlive(`${OWN_MARK}-something more`)).toBe(true)
  expect(isOwnerAlive(`${process.ppid}-0123456789abcdef`)).toBe(true)
  // For an ordinary user, process 1 belongs to someone else.
  expect(isOwnerAlive('1-0123456789abcdef')).toBe(true)
})

it('a mark of an ended process is dead', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  for (const gone of [pid, UNUSED]) expect(isOwnerAlive(`${gone}-0123456789abcdef`)).toBe(false)
})

it('a mark of an earlier process with the same ID is dead', () => {
  expect(isOwnerAlive(`${process.pid}-0123456789abcdef`)).toBe(false)
})

it.each(['', 'notes', 'x33-unused', '-1-x'])('an invalid mark has no owner: %j', (name) => {
  expect(isOwnerAlive(name)).toBe(false)
})

const isLinux = process.platform === 'linux'

/** Starts a process whose parent never reaps it. */
async function startZombie(): Promise<number> {
  // The child waits until the shell has become `sleep`, which doesn't know the child and never reaps it. If the child ended
  // earlier, the shell would reap it.
  const child = 'while read -r name < /proc/$PPID/comm && [ "$name" != sleep ]; do :; done'
  const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [said] = await once(parent.stdout, 'data')
  const pid = Number(said)
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
  return pid
}

it.runIf(isLinux)('a mark of a zombie is dead', async () => {
  expect(isOwnerAlive(`${await startZombie()}-0123456789abcdef`)).toBe(false)
})

const startOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19]

it.runIf(isLinux)('a mark with the launch time of an earlier process with the same ID is dead', () => {
  expect(OWN_MARK).toMatch(/^\d+-[0-9a-f]{16}-s\d+$/)
  expect(isOwnerAlive(`${process.ppid}-0123456789abcdef-s${startOf(process.ppid)}`)).toBe(true)
  expect(isOwnerAlive(`${process.ppid}-0123456789abcdef-s1-something`)).toBe(false)
})
