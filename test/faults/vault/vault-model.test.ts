/** Plays random rounds against a vault whose process is killed and whose disk fails at any step. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { folderInMemory } from '../../temporary-folder.ts'
import { isLongSuite } from '../long-suite.ts'
import { seededRandom } from '../seeded-random.ts'
import { countingSteps, withFault, type Fault } from './failing-steps.ts'
import { smallVolume, type SmallVolume } from './small-volume.ts'
import { createOtherProcess, type OtherProcess } from './start-other-process.ts'
import { createVaultWorld } from './vault-world.ts'

const ROUNDS = isLongSuite ? 10_000 : 25
/** Repeats one round, or plays from there. */
const FIRST = Number(process.env['MEDIATRAY_FIRST_ROUND'] ?? 1)
const ACTIONS = 12
/** A round takes less than a second on an idle computer. */
const LIMIT_MS = 300_000

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EXDEV', 'EBUSY']

it(`loses nothing that the user has made in ${ROUNDS} rounds of jobs, edits, kills, full disks, unmounts and wrong clocks`, async () => {
  const folder = folderInMemory()
  const volume = smallVolume(folder)
  const other = createOtherProcess()
  onTestFinished(async () => {
    await other.end()
    volume?.[Symbol.dispose]()
  })
  await countingSteps(async () => {
    for (let seed = FIRST; seed < FIRST + ROUNDS; seed++) {
      const root = mkdtempSync(join(folder, 'home-'))
      await withinLimit(seed, playRound(seed, root, volume, other))
      rmSync(root, { recursive: true })
    }
  })
})

async function playRound(
  seed: number,
  root: string,
  smallDisk: SmallVolume | undefined,
  other: OtherProcess,
): Promise<void> {
  const random = seededRandom(seed)
  for (let n = 0; n < 5; n++) random()
  const volume = seed % 3 === 0 ? smallDisk : undefined
  volume?.clear()
  const hasOther = seed % 10 === 0
  const world = createVaultWorld({ root, random, volume, other })
  const expectWhole = (n: number | string): void => {
    const where = `seed ${seed}, action ${n}`
    expect(world.lost(), where).toEqual([])
    expect(world.broken(), where).toEqual([])
    expect(world.unaccounted(), where).toEqual([])
  }
  for (let n = 0; n < ACTIONS; n++) {
    if (random() < 0.3) world.meddle()
    const isMeddling = random() < 0.3
    const meddle = (): void => {
      if (isMeddling && random() < 0.1) world.meddle(true)
    }
    const dieAt = random() < 0.1 ? 1 + Math.floor(random() * 30) : 0
    const mine = withFault(faultFor(random), world.act, meddle)
    const theirs = hasOther && random() < 0.4 ? world.actInOtherProcess(dieAt) : undefined
    for (const failed of await Promise.allSettled([mine, theirs])) {
      if (failed.status === 'rejected' && !world.isFull())
        throw new Error(`seed ${seed}, action ${n}`, { cause: failed.reason })
    }
    if (random() < 0.5)
      await withFault(faultFor(random), world.restart).catch((error: unknown) => {
        if (!world.isFull()) throw error
      })
    expect(world.lost(), `seed ${seed}, action ${n}`).toEqual([])
    if (random() > 0.4) continue
    await world.restartWell()
    expectWhole(n)
  }
  await world.restartWell()
  await world.finishJobs()
  expect(world.unfinished(), `seed ${seed}, at the end`).toEqual([])
  await world.undoAll()
  await world.restartWell()
  expectWhole('last')
  expect(world.replaced(), `seed ${seed}, at the end`).toEqual([])
  await world.close()
}

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

function faultFor(random: () => number): Fault | undefined {
  const step = 1 + Math.floor(random() * 40)
  const what = random()
  if (what < 0.4) return { kind: 'kill', step }
  if (what < 0.65) return { kind: 'error', step, code: CODES[Math.floor(random() * CODES.length)] ?? 'EIO' }
  return undefined
}
