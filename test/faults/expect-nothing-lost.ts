import { expect } from 'vitest'
import type { KilledRun } from './killed-runs.ts'

/**
 * Whatever was promised was made once, or is made at most once and asked about; whatever was not was made at most once; and
 * the history knows all of it.
 */
export function expectNothingLost(run: KilledRun): void {
  const story = `seed ${run.seed}: ${run.how.join(', ')}`
  for (const [name, times] of Object.entries(run.made)) {
    expect.soft(times, `${name} was made too often, ${story}`).toBeLessThanOrEqual(1)
  }
  const lost = run.promised.filter((name) => run.made[name] !== 1 && !run.asked.includes(name))
  expect.soft(lost, `promised and not made, ${story}`).toEqual([])
  expect.soft(run.remembered, `what the history knows, ${story}`).toEqual(run.jobIds)
  expect.soft(run.leftInOutbox, `what is left in the outbox, ${story}`).toBe(0)
}
