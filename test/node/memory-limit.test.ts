import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startConfinedWorker, type WorkerEnding } from '../../src/node/confined-worker.ts'
import { type Confinement, findConfinement, PERMISSIONS } from '../../src/node/confinement.ts'
import { ranOutOfMemory, WORKER_MEMORY } from '../../src/node/memory-limit.ts'

const GREEDY = join(import.meta.dirname, 'greedy-worker.ts')
const LIMIT = 512 * 2 ** 20

function endOf(
  how: 'at once' | 'bit by bit',
  confinement: Confinement,
): Promise<WorkerEnding & { isTaken: boolean }> {
  const worker = startConfinedWorker(
    { path: GREEDY, folders: [], memory: LIMIT, confinement },
    (message): message is object => typeof message === 'object',
  )
  let isTaken = false
  worker.onMessage(() => (isTaken = true))
  worker.send({ how })
  return new Promise((resolve) => worker.onExit((ending) => resolve({ ...ending, isTaken })))
}

describe('a worker that exceeds its memory limit', () => {
  it('exits on its own if it has time to check its memory usage', async () => {
    const ending = await endOf('bit by bit', PERMISSIONS)
    expect({ taken: ending.isTaken, code: ending.code }).toEqual({ taken: true, code: 77 })
    expect(ranOutOfMemory(ending)).toBe(true)
  })

  it.runIf(process.platform === 'linux')('can’t allocate more, in any confinement', async () => {
    const strongest = await findConfinement({ platform: process.platform, log: () => undefined })
    for (const confinement of [PERMISSIONS, strongest]) {
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

it('other exits are not mistaken for a lack of memory', () => {
  expect(ranOutOfMemory({ code: 139, stderrTail: 'the decoder fell over' })).toBe(false)
  expect(ranOutOfMemory({ code: 0, stderrTail: 'out of memory' })).toBe(false)
})
