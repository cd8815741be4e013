import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { anySteps, quiesce, commandSteps } from './commands.ts'
import type { Core } from '../../../src/main/core/index.ts'
import { createWorld, type World } from './world.ts'

/** Plays rounds of random events, each from its own seed. With an even seed, commands run before the app does. */
export async function playRounds(seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    const round = fc.asyncProperty(seed % 2 === 0 ? commandSteps : anySteps, async (steps) => {
      const world = createWorld()
      try {
        if (seed % 2 === 1) await world.start()
        await fc.asyncModelRun(() => ({ model: {}, real: world }), steps)
        await quiesce(world)
        expectNothingLost(world)
      } finally {
        await world.close()
      }
    })
    await fc.assert(round, { seed, numRuns: 1 })
  }
}

/** Checks that the promise in README's second point holds after any events of the model. */
function expectNothingLost(world: World): void {
  const core = world.core()
  if (core === undefined) throw new Error('the app runs')
  // A dead service's unfinished work is submitted again, so results are counted rather than jobs.
  const all = [...world.service.made, ...world.placed]
  const made = (name: string) => all.filter((one) => one === name).length
  expect(world.commands.errors).toEqual([])
  for (const name of world.commands.names)
    expect(world.service.made, 'sent to its own service only').not.toContain(name)
  const left = core.sender.entries()
  for (const name of world.promised) {
    expect(made(name), `${name} was made unasked`).toBeLessThanOrEqual(1 + (world.resends.get(name) ?? 0))
    const isAsked = left.some((entry) => entry.name === name && isForUser(entry.state.kind))
    const isKept = made(name) > 0 || isAsked || world.takenBack.has(name)
    expect(isKept, `${name} is neither made nor asked about`).toBe(true)
  }
  const endless = [...core.history.openJobs().map(({ id }) => id), ...[...core.history.withoutJob()].flat()]
  const asked = new Set(left.map(({ id }) => id))
  expect(endless.filter((id) => !asked.has(id))).toEqual([])
  expectDoneIsDone(core, world)
}

/**
 * Checks that each submission that is "done" has its result on disk, that the service no longer has the jobs of "forgotten" ones, and
 * that the user canceled those that are "canceled".
 */
function expectDoneIsDone(core: Core, { folder, promised, service, takenBack }: World): void {
  const { records } = core.history.page({}, { offset: 0, limit: 1_000 })
  for (const { id, name, outcome } of records) {
    if (outcome?.kind === 'cancelled')
      expect([...takenBack], `${name} is canceled, but only its process ended`).toContain(name)
    if (outcome?.kind === 'forgotten' && promised.has(name)) {
      expect(service.forgotten.has(name), `${name} was forgotten`).toBe(true)
    }
    if (outcome?.kind !== 'done' || !promised.has(name)) continue
    const paths = core.history.details(id)?.results.map(({ outputPath }) => outputPath)
    expect(paths, `${name} is done`).toEqual([join(folder, 'out', name)])
    expect(existsSync(join(folder, 'out', name)), `${name} is on the disk`).toBe(true)
  }
}

const isForUser = (kind: string): boolean => kind === 'unknown' || kind === 'refused'
