import { describe, expect, it } from 'vitest'
import { expectNothingLost } from '../expect-nothing-lost.ts'
import { killedRun } from '../killed-runs.ts'

const RUNS = 240
const AT_ONCE = 2

describe('a process that is killed', () => {
  it(`in ${RUNS} seeded runs loses nothing and doubles nothing`, { timeout: 1_200_000 }, async () => {
    let kills = 0
    for (let seed = 1000; seed < 1000 + RUNS; seed += AT_ONCE) {
      const runs = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => killedRun(seed + n)))
      for (const run of runs) {
        expectNothingLost(run)
        kills += run.kills
      }
    }
    expect(kills).toBeGreaterThan(RUNS / 2)
  })
})
