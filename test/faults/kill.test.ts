import { expect, it } from 'vitest'
import { expectNothingLost } from './expect-nothing-lost.ts'
import { killedRun } from './killed-runs.ts'

it('a process that is killed at any step loses nothing and doubles nothing', async () => {
  let kills = 0
  for (let seed = 1; seed <= 12; seed += 2) {
    const runs = await Promise.all([killedRun(seed), killedRun(seed + 1)])
    for (const run of runs) {
      expectNothingLost(run)
      kills += run.kills
    }
  }
  expect(kills).toBeGreaterThan(6)
})
