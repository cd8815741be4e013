/** Plays random rounds against a vault whose process is killed and whose disk fails at any step. */
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.ts'
import { isLongSuite } from '../long-suite.ts'
import { seededRandom } from '../seeded-random.ts'
import { withFault, type Fault } from './failing-steps.ts'
import { createVaultWorld } from './vault-world.ts'

const ROUNDS = isLongSuite ? 10_000 : 60
const ACTIONS = 12

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EXDEV', 'EBUSY']

it(`loses nothing that the user has made in ${ROUNDS} rounds of jobs, edits, kills and full disks`, async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await playRound(seed, temporaryFolder())
})

async function playRound(seed: number, root: string): Promise<void> {
  const random = seededRandom(seed)
  for (let n = 0; n < 5; n++) random()
  const world = createVaultWorld(root, random)
  for (let n = 0; n < ACTIONS; n++) {
    if (random() < 0.3) world.meddle()
    await withFault(faultFor(random), () => world.act()).catch((error: unknown) => {
      throw new Error(`seed ${seed}, action ${n}`, { cause: error })
    })
    const restarts = random() < 0.5
    if (restarts) await withFault(faultFor(random), () => world.restart())
    expect(world.lost(), `seed ${seed}, action ${n}`).toEqual([])
  }
  await world.restart()
  await world.finishJobs()
  expect(world.unfinished(), `seed ${seed}, at the end`).toEqual([])
  await world.undoAll()
  expect(world.lost(), `seed ${seed}, at the end`).toEqual([])
  expect(world.replaced(), `seed ${seed}, at the end`).toEqual([])
  expect(world.emptyFiles(), `seed ${seed}, at the end`).toEqual([])
  await world.close()
}

function faultFor(random: () => number): Fault | undefined {
  const step = 1 + Math.floor(random() * 40)
  const what = random()
  if (what < 0.5) return { kind: 'kill', step }
  if (what < 0.75) return { kind: 'error', step, code: CODES[Math.floor(random() * CODES.length)] ?? 'EIO' }
  return undefined
}
