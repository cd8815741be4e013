import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openHistory } from '../../src/main/history/index.ts'
import { openOutbox } from '../../src/main/outbox/index.ts'
import { newFolder, removeFolder } from './companion.ts'
import { startDoomed } from './start-doomed.ts'
import { isLongSuite } from './long-suite.ts'
import { startScriptedService } from './scripted-service.ts'
import { seededRandom } from './seeded-random.ts'

/** Three submissions by a process that was killed one or more times and then left to finish. */
type KilledRun = {
  readonly seed: number
  readonly how: readonly string[]
  readonly kills: number
  /** File names that the process reported as added to the outbox. */
  readonly promised: readonly string[]
  /** Number of jobs that the service created for each name. */
  readonly made: Readonly<Record<string, number>>
  /** File names of submissions left to the user, because it is unknown whether they arrived. */
  readonly asked: readonly string[]
  /** Job IDs in the history. They match `jobIds` if nothing was lost; both omit jobs about which the user is asked. */
  readonly remembered: readonly string[]
  readonly jobIds: readonly string[]
  readonly leftInOutbox: number
}

const NAMES = ['one.jpg', 'two.jpg', 'three.jpg'] as const

/** A few more steps than three undisturbed submissions take, so that some processes aren't killed at all. */
const STEPS = 28
const REQUESTS = 7

const RUNS = isLongSuite ? 240 : 3

it('a process killed at any step neither loses nor duplicates a submission', async () => {
  let kills = 0
  for (let seed = 1; seed <= RUNS; seed += 2) {
    const runs = await Promise.all([killedRun(seed), killedRun(seed + 1)])
    for (const run of runs) {
      expectNothingLost(run)
      kills += run.kills
    }
  }
  expect(kills).toBeGreaterThan(RUNS / 2)
})

/**
 * Checks that no submission became more than one job, and that every promised one became a job or is left to the user.
 * Apart from submissions left to the user, the history must contain every job and the outbox must be empty.
 */
function expectNothingLost(run: KilledRun): void {
  const story = `seed ${run.seed}: ${run.how.join(', ')}`
  for (const [name, times] of Object.entries(run.made)) {
    expect.soft(times, `${name} was made too often, ${story}`).toBeLessThanOrEqual(1)
  }
  const lost = run.promised.filter((name) => run.made[name] !== 1 && !run.asked.includes(name))
  expect.soft(lost, `promised and not made, ${story}`).toEqual([])
  expect.soft(run.remembered, `what the history knows, ${story}`).toEqual(run.jobIds)
  expect.soft(run.leftInOutbox, `submissions left in the outbox, ${story}`).toBe(0)
}

/** Submits three files with random kills. The same seed repeats the run as far as the timing of two processes allows. */
async function killedRun(seed: number): Promise<KilledRun> {
  const random = seededRandom(seed)
  const folder = newFolder()
  let victim: ReturnType<typeof startDoomed> | undefined
  let requestsUntilDeath = 0
  const service = await startScriptedService({
    onRequest() {
      requestsUntilDeath -= 1
      if (requestsUntilDeath === 0) victim?.kill()
    },
  })
  const promised: string[] = []
  const how: string[] = []
  let kills = 0
  try {
    const attempts = 1 + Math.floor(random() * 3)
    for (let n = 0; n < attempts; n += 1) {
      const bySelf = random() < 0.7
      const at = 1 + Math.floor(random() * (bySelf ? STEPS : REQUESTS))
      how.push(bySelf ? `at step ${at}` : `at request ${at}`)
      requestsUntilDeath = bySelf ? 0 : at
      victim = startDoomed(folder, service.baseUrl, bySelf ? at : 0, n === 0 ? NAMES : [])
      const { lines, killed } = await victim.ended
      promised.push(...lines.filter((line) => line !== 'settled'))
      kills += killed ? 1 : 0
    }
    requestsUntilDeath = 0
    victim = startDoomed(folder, service.baseUrl, 0, [])
    const { lines } = await victim.ended
    if (!lines.includes('settled')) throw new Error(`seed ${seed}: the last process did not settle`)
    const left = remainingFiles(folder)
    const isAsked = (files: readonly string[]) => left.asked.some((name) => isOf(name, files))
    return {
      seed,
      how,
      kills,
      promised,
      ...left,
      made: countOf(service.created),
      jobIds: service.created
        .filter(({ files }) => !isAsked(files))
        .map(({ jobId }) => jobId)
        .toSorted(),
    }
  } finally {
    await service.close()
    removeFolder(folder)
  }
}

const isOf = (name: string, files: readonly string[]): boolean =>
  files.some((file) => file.endsWith(`/${name}`))

const countOf = (created: readonly { readonly files: readonly string[] }[]): Record<string, number> =>
  Object.fromEntries(NAMES.map((name) => [name, created.filter(({ files }) => isOf(name, files)).length]))

function remainingFiles(folder: string): Pick<KilledRun, 'asked' | 'remembered' | 'leftInOutbox'> {
  const clock = Date.now
  const history = openHistory({ file: join(folder, 'history.db'), clock, log: () => undefined })
  const outbox = openOutbox({
    file: join(folder, 'outbox.db'),
    clock,
    ids: () => {
      throw new Error('nothing is added here')
    },
  })
  try {
    if (history.setAside !== null || outbox.setAside !== null) throw new Error('a database was damaged')
    const asked = outbox
      .list()
      .filter(({ state }) => state.kind === 'unknown' && state.leftToUser)
      .flatMap(({ id }) => outbox.get(id)?.plan.items.map(({ name }) => name) ?? [])
    return {
      asked,
      remembered: history
        .unfinished()
        .map(({ jobId }) => jobId)
        .toSorted(),
      leftInOutbox: outbox.list().length + outbox.accepted().length - asked.length,
    }
  } finally {
    history.close()
    outbox.close()
  }
}
