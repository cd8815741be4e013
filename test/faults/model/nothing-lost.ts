import * as fc from 'fast-check'
import { expect } from 'vitest'
import { anySteps, comeToRest } from './commands.ts'
import { createWorld, type World } from './world.ts'

/**
 * Rounds of whatever can happen to submissions, each from a seed of its own. A round that failed is run again, alone, by
 * `MEDIATRAY_MODEL_SEED=<seed> npx vitest run test/faults/model.test.ts`.
 */
export async function playRounds(count: number, firstSeed: number): Promise<void> {
  const given = process.env['MEDIATRAY_MODEL_SEED']
  const seeds = given === undefined ? Array.from({ length: count }, (_, n) => firstSeed + n) : [Number(given)]
  for (const seed of seeds) {
    const round = fc.asyncProperty(anySteps, async (steps) => {
      const world = createWorld()
      try {
        world.start()
        await fc.asyncModelRun(() => ({ model: {}, real: world }), steps)
        await comeToRest(world)
        expectNothingLost(world)
      } finally {
        await world.close()
      }
    })
    await fc.assert(round, { seed, numRuns: 1 })
  }
}

/** The promise of README's second point, under what the model lets happen. */
function expectNothingLost(world: World): void {
  const core = world.core()
  if (core === undefined) throw new Error('the app runs')
  const made = (name: string) => world.service.made.filter((one) => one === name).length
  const left = core.sender.entries()
  for (const name of world.promised) {
    expect(made(name), `${name} was made unasked`).toBeLessThanOrEqual(1 + (world.resends.get(name) ?? 0))
    const isAsked = left.some((entry) => entry.name === name && isForUser(entry.state.kind))
    const isKept = made(name) > 0 || isAsked || world.takenBack.has(name)
    expect(isKept, `${name} is neither made nor asked about`).toBe(true)
  }
  const endless = [
    ...core.history.endlessJobs().map(({ id }) => id),
    ...[...core.history.withoutJob()].flat(),
  ]
  const asked = new Set(left.map(({ id }) => id))
  expect(endless.filter((id) => !asked.has(id))).toEqual([])
}

const isForUser = (kind: string): boolean => kind === 'unknown' || kind === 'refused'
