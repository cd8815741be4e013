/** Plays random rounds against a vault whose process is killed or stopped and whose disk fails at any step. */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hasCode, messageOf } from '../../../src/node/errors.ts'
import { folderInMemory } from '../../temporary-folder.ts'
import { roundsOf } from '../long-suite.ts'
import { seededRandom } from '../seeded-random.ts'
import { countingSteps, withFault, type Fault } from './failing-steps.ts'
import { smallVolume, type SmallVolume } from './small-volume.ts'
import { createVaultWorld, type VaultWorld } from './vault-world.ts'

const ROUNDS = roundsOf(10_000, 2)
const ACTIONS = 12
/** A round takes less than a second on an idle computer. */
const LIMIT_MS = 300_000
/** How many rounds may fail before the others are skipped. */
const MAX_FAILED = 5

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EXDEV', 'EBUSY']

it(`loses nothing that the user has made in ${ROUNDS.length} rounds of jobs, edits, kills, full disks, unmounts, moves, stops and wrong clocks`, async () => {
  const folder = folderInMemory()
  const volume = smallVolume(folder)
  onTestFinished(() => volume?.[Symbol.dispose]())
  const failed: string[] = []
  await countingSteps(async () => {
    for (const seed of ROUNDS) {
      if (failed.length === MAX_FAILED) break
      const root = mkdtempSync(join(folder, 'home-'))
      try {
        await withinLimit(seed, playRound(seed, root, volume))
      } catch (error) {
        failed.push(`seed ${seed}, ${messageOf(error)}`)
      }
      rmSync(root, { recursive: true })
    }
  })
  expect(failed).toEqual([])
})

async function playRound(seed: number, root: string, smallDisk: SmallVolume | undefined): Promise<void> {
  const random = seededRandom(seed)
  for (let n = 0; n < 5; n++) random()
  const volume = seed % 3 === 0 ? smallDisk : undefined
  volume?.clear()
  const world = createVaultWorld({ root, random, volume })
  const expectNone = (where: string, problems: readonly string[]): void => {
    if (problems.length > 0) throw new Error([where, ...problems, 'after:', ...world.trace()].join('\n'))
  }
  const expectWhole = (where: string): void =>
    expectNone(where, [...world.lost(), ...world.broken(), ...world.unaccounted()])
  const fault = (): Fault | undefined => {
    const next = faultFor(random, dirname(root))
    if (next !== undefined) world.note('fault', next)
    return next
  }
  for (let n = 0; n < ACTIONS; n++) {
    const where = `action ${n}`
    if (random() < 0.3) world.meddle()
    const isMeddling = random() < 0.3
    let stopAfter = random() < 0.15 ? 1 + Math.floor(random() * 30) : -1
    const meddle = (): void => {
      if ((stopAfter -= 1) === 0) world.stop()
      if (isMeddling && random() < 0.1) world.meddle(true)
    }
    await withFault(fault(), world.act, meddle).catch((error: unknown) => {
      if (!world.isFull() && !wasClosed(world, error))
        throw new Error(`${where}: ${messageOf(error)}`, { cause: error })
    })
    if (world.isStopped() || random() < 0.5)
      await withFault(fault(), world.restart).catch((error: unknown) => {
        if (!world.isFull()) throw error
      })
    expectNone(where, [...world.lost(), ...world.replacedAfterCancel()])
    if (random() > 0.4) continue
    await world.restartWell()
    expectWhole(where)
  }
  await world.restartWell()
  await world.finishJobs()
  expectNone('at the end', world.unfinished())
  await world.undoAll()
  await world.restartWell()
  expectWhole('at the end')
  expectNone('at the end', world.replaced())
  await world.close()
}

/** Whether an action failed because Mediatray had ended before it. */
const wasClosed = (world: VaultWorld, error: unknown): boolean =>
  world.isStopped() && hasCode(error, 'ERR_INVALID_STATE')

/** Names a round that doesn't end. */
async function withinLimit(seed: number, round: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`seed ${seed} doesn't end`)), LIMIT_MS)
  try {
    await Promise.race([round, promise])
  } finally {
    clearTimeout(timer)
  }
}

function faultFor(random: () => number, within: string): Fault | undefined {
  const step = 1 + Math.floor(random() * 40)
  const what = random()
  if (what < 0.4) return { kind: 'kill', step }
  if (what < 0.65) {
    const code = CODES[Math.floor(random() * CODES.length)] ?? 'EIO'
    return { kind: 'error', step, code, within }
  }
  return undefined
}
