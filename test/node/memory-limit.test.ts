import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scheduleAsBatch } from '../../src/node/batch-scheduling.ts'
import { startConfinedWorker } from '../../src/node/confined-worker.ts'
import { type Confinement, findConfinement, PERMISSIONS } from '../../src/node/confinement.ts'
import {
  endsEarly,
  limitNear,
  memoryLimitArgument,
  memoryLimitWrapper,
  ranOutOfMemory,
  saysOutOfMemory,
  WORKER_MEMORY,
} from '../../src/node/memory-limit.ts'
import { firstOf, itInLongSuite } from '../faults/long-suite.ts'

const GREEDY = join(import.meta.dirname, 'greedy-worker.ts')
const LIMIT = 512 * 2 ** 20

async function endOf(how: 'at once' | 'bit by bit', confinement: Confinement) {
  const worker = startConfinedWorker({ path: GREEDY, memory: LIMIT, confinement })
  let isTaken = false
  worker.onMessage(() => (isTaken = true))
  worker.send({ how })
  return { ...(await worker.ended), isTaken }
}

describe('a worker that exceeds its memory limit', () => {
  itInLongSuite('exits on its own if it has time to check its memory usage', async () => {
    const ending = await endOf('bit by bit', PERMISSIONS)
    expect({ taken: ending.isTaken, code: ending.code }).toEqual({ taken: true, code: 77 })
    expect(ranOutOfMemory(ending)).toBe(true)
  })

  it.runIf(process.platform === 'linux')('can’t allocate more, in any confinement', async () => {
    const strongest = await findConfinement({ platform: process.platform, log: () => undefined })
    for (const confinement of firstOf([strongest, PERMISSIONS])) {
      const ending = await endOf('at once', confinement)
      expect(ending.isTaken).toBe(true)
      expect(ending.stderrTail).toMatch(/memory|allocation failed/i)
      expect(ranOutOfMemory(ending)).toBe(true)
    }
  })
})

it('a worker may use as much memory as the largest photos and videos need, but less than the computer has', () => {
  const { photo, any } = WORKER_MEMORY
  expect(photo).toBeLessThanOrEqual(any)
  expect(any).toBeGreaterThan(0)
})

it('a crash of an encoder that reported a failed allocation counts as a lack of memory', () => {
  const svtAv1 = 'Svt[fatal]: allocate memory failed, at EbPictureBufferDesc.c:95'
  for (const stderrTail of [svtAv1, 'x265 [error]: malloc of size 12441600 failed'])
    expect(ranOutOfMemory({ code: 139, stderrTail })).toBe(true)
})

it('other exits are not mistaken for a lack of memory', () => {
  expect(ranOutOfMemory({ code: 139, stderrTail: 'the decoder fell over' })).toBe(false)
  expect(ranOutOfMemory({ code: 0, stderrTail: 'out of memory' })).toBe(false)
})

it('a buffer that can’t be allocated isn’t mistaken for the end of a structure', () => {
  const refused = errorOf(() => new ArrayBuffer(2 ** 52))
  const early = errorOf(() => Buffer.alloc(2).readUInt32LE())
  expect([refused, early].map(saysOutOfMemory)).toEqual([true, false])
  expect([refused, early].map(endsEarly)).toEqual([false, true])
})

function errorOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const MB = 2 ** 20

const limitOf = (megabytes?: number) => (megabytes === undefined ? 'unlimited' : megabytes * MB)

/** Returns the texts of `/proc/self/status` and `/proc/self/limits`. Numbers are in MB. */
const texts = (used: { space: number; data: number }, limits: { space?: number; data?: number }) => {
  return [
    `VmPeak:\t${used.space * 1024} kB\nVmSize:\t${used.space * 1024} kB\nVmData:\t  ${used.data * 1024} kB\n`,
    `Max data size             ${limitOf(limits.data)}            unlimited            bytes     \nMax address space         ${limitOf(limits.space)}            unlimited            bytes     \n`,
  ] as const
}

it('a process has nearly run out of memory if its peak is just below a limit', () => {
  const used = { space: 5_000, data: 1_000 }
  const near = (limits: { space?: number; data?: number }) => limitNear(...texts(used, limits))
  expect([{}, { data: 1_200 }, { space: 5_200 }].map(near)).toEqual([undefined, undefined, undefined])
  expect([{ data: 1_100 }, { space: 5_100 }].map(near)).toEqual(['other', 'other'])
})

it.runIf(process.platform === 'linux')(
  'a worker ends as too large if the kernel refused memory because of the limit that was set for it',
  () => {
    const module = JSON.stringify(join(import.meta.dirname, '../../src/node/memory-limit.ts'))
    const script = `
      const { exitIfAtOwnLimit, exceededOwnLimit } = await import(${module})
      const held = []
      try { for (;;) held.push(Buffer.alloc(${64 * MB}, 1)) } catch {}
      process.on('exit', (code) => console.log(exceededOwnLimit({ code })))
      exitIfAtOwnLimit()`
    const eat = (...args: readonly string[]) =>
      run('', process.execPath, '--input-type=module', '--eval', script, '--', ...args)
    expect(eat(memoryLimitArgument(LIMIT))).toBe('true')
    expect(eat(memoryLimitArgument(2 * LIMIT))).toBe('false')
  },
)

/** Returns what a command writes that runs after these shell commands and with the memory limit. */
function run(first: string, ...command: readonly string[]): string {
  const [program = '', ...args] = [...memoryLimitWrapper(LIMIT, first), ...command]
  return spawnSync(program, args, { encoding: 'utf8' }).stdout.trim()
}

/** The scheduling policy in a process's `stat`: field 41, counted after the name, which may contain spaces. 3 is `SCHED_BATCH`. */
const policyIn = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])

describe.runIf(process.platform === 'linux')('a worker’s program', () => {
  it.runIf(existsSync('/usr/bin/chrt'))('is scheduled as batch work', () => {
    expect(policyIn(run(scheduleAsBatch(), 'cat', '/proc/self/stat'))).toBe(3)
    expect(policyIn(run('', 'cat', '/proc/self/stat'))).toBe(0)
  })

  itInLongSuite.runIf(existsSync('/usr/bin/chrt'))(
    'keeps the policy that the user has chosen for Mediatray',
    () => {
      const module = JSON.stringify(join(import.meta.dirname, '../../src/node/batch-scheduling.ts'))
      const script = `console.log(JSON.stringify((await import(${module})).scheduleAsBatch()))`
      const args = ['--idle', '0', process.execPath, '--input-type=module', '--eval', script]
      expect(spawnSync('/usr/bin/chrt', args, { encoding: 'utf8' }).stdout.trim()).toBe('""')
    },
  )

  itInLongSuite('runs with its memory limit even if `chrt` is missing, fails or reads stdin', () => {
    const limit = ['sh', '-c', 'ulimit -d']
    const usual = run('', ...limit)
    expect(Number(usual)).toBeGreaterThan(0)
    for (const chrt of ['/nowhere/chrt', 'false', 'cat -'])
      expect(run(scheduleAsBatch().replace('/usr/bin/chrt', chrt), ...limit)).toBe(usual)
  })
})
