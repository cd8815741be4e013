import * as fc from 'fast-check'
import type { PartAt } from '../../../src/shared/model/job.ts'
import type { PostFault, Reticence } from './model-service.ts'
import type { World } from './world.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/durations.ts'

/** The model is the world's own record of promises and requests. */
export type Step = fc.AsyncCommand<object, World>

function step(name: string, run: (world: World) => void | Promise<void>): Step {
  return {
    check: () => true,
    run: async (_, world) => {
      await run(world)
      await world.time.advance(0)
    },
    toString: () => name,
  }
}

const entriesOf = (world: World, kind: PartAt<'outbox'>['state']['kind']): readonly PartAt<'outbox'>[] =>
  world.act((core) => core.sender.entries().filter(({ state }) => state.kind === kind)) ?? []

/** Answers the app's question about submissions whose outcome is unknown. */
function answer(world: World, how: 'adopt' | 'sendAgain' | 'remove'): void {
  for (const { id, name, state } of entriesOf(world, 'unknown')) {
    if (state.kind !== 'unknown' || state.checking) continue
    const [candidate] = state.candidates
    if (how === 'adopt' && candidate === undefined) continue
    if (how === 'sendAgain') world.resends.set(name, (world.resends.get(name) ?? 0) + 1)
    if (how !== 'sendAgain') world.takenBack.add(name)
    world.act((core) =>
      core.sender.resolve(id, how === 'adopt' ? { kind: how, jobId: candidate?.jobId ?? '' } : { kind: how }),
    )
  }
}

/** Moves the first waiting submission back into the draft and starts it again, or dies in between. */
async function editFirst(world: World, meanwhileMs: number): Promise<void> {
  // A job of several parts becomes a single submission with several files, which the model can't follow.
  const first = entriesOf(world, 'waiting').find(({ place }) => place.parts === 1)
  if (first === undefined || world.act((core) => core.drafts.edit(first.id)) !== true) return
  // The app now owns this submission and uses its own service for it.
  world.commands.names.delete(first.name)
  await world.time.advance(meanwhileMs)
  if (world.core()?.drafts.store.view().editing !== first.id) return
  await world.actAwhile((core) => core.drafts.start({ split: false, grace: 0 }))
}

const FAULTS: readonly PostFault[] = ['lostBefore', 'lostAfter', 'slow', 'serverError', 'away', 'late']

const COMMANDS = [
  fc.constant(step('command submits', (world) => world.submitByCommand())),
  fc.constant(step('command submits', (world) => world.submitByCommand())),
  fc.constant(step('command sends', (world) => world.commands.send())),
  fc.constant(step('client killed', (world) => world.commands.kill())),
  fc.constant(step('command stopped', (world) => world.commands.stop(false))),
  fc.constant(step('command canceled', (world) => world.commands.stop(true))),
  fc
    .constantFrom(false, false, true)
    .map((dying) => step(`the host’s service works, ${dying}`, (world) => world.workInHost(dying))),
]

/** Steps that start, stop or kill processes, or fill or free the disk. */
const PROCESSES = [
  fc.constant(step('killed', (world) => world.kill())),
  fc.constant(step('started', (world) => world.start())),
  fc.constant(step('quit', (world) => world.quit())),
  fc.nat(40).map((writes) =>
    step(`killed in ${writes} writes`, (world) => {
      world.disk.writesToLive = writes
    }),
  ),
  fc.boolean().map((full) =>
    step(full ? 'disk full' : 'disk freed', (world) => {
      world.disk.full = full
    }),
  ),
]

export const anySteps = fc.commands<object, World, false>(
  [
    fc.constant(step('submit', (world) => world.submit())),
    fc.constant(step('submit', (world) => world.submit())),
    fc.constant(step('submit a job of two parts', (world) => world.submitParts())),
    ...COMMANDS,
    fc
      .constantFrom(...FAULTS)
      .map((fault) => step(`next post: ${fault}`, (world) => world.service.failNext(fault))),
    fc
      .constantFrom(100, 3_000, 20_000, 2 * MINUTE_MS, 10 * MINUTE_MS)
      .map((ms) => step(`${ms} ms pass`, (world) => world.time.advance(ms))),
    fc.constant(step('a job is done', (world) => world.service.work())),
    fc.constant(step('somebody clears', (world) => world.service.clear())),
    fc
      .boolean()
      .map((renumber) => step(`service restarts, ${renumber}`, (world) => world.service.restart(renumber))),
    fc
      .constantFrom(0, -5 * HOUR_MS, 2 * HOUR_MS, 10 * HOUR_MS, -Date.UTC(2026, 10, 20))
      .chain((aheadMs) => fc.boolean().map((milliseconds) => ({ aheadMs, milliseconds })))
      .map((clock) =>
        step(`service clock ${JSON.stringify(clock)}`, (world) => world.service.setClock(clock)),
      ),
    fc
      .constantFrom<Reticence>('nothing', 'details', 'listedOutcome', 'outcome')
      .map((what) => step(`service leaves out ${what}`, (world) => world.service.leaveOut(what))),
    fc.constant(step('the next result is lost', (world) => world.service.loseNextResult())),
    ...PROCESSES,
    fc
      .constantFrom(-2 * 60 * MINUTE_MS, 60 * MINUTE_MS)
      .map((ms) => step(`clock jumps ${ms} ms`, (world) => world.time.setWallClock(ms))),
    fc
      .constantFrom<'adopt' | 'sendAgain' | 'remove'>('adopt', 'sendAgain', 'remove')
      .map((how) => step(`asked: ${how}`, (world) => answer(world, how))),
    fc.constantFrom(0, 5_000).map((ms) => step(`edit for ${ms} ms`, (world) => editFirst(world, ms))),
  ],
  { maxCommands: 24 },
)

/** Mostly commands without the app, so that hosts run. */
export const commandSteps = fc.commands<object, World, false>(
  [
    ...COMMANDS,
    ...COMMANDS,
    ...COMMANDS,
    ...PROCESSES,
    fc.constantFrom(100, 600, 3_000).map((ms) => step(`${ms} ms pass`, (world) => world.time.advance(ms))),
  ],
  { maxCommands: 24 },
)

/** Lets a host send the submissions that wait for its service. */
async function sendRemaining(world: World): Promise<void> {
  await world.quit()
  world.startHost()
  for (let turn = 0; turn < 60 && (turn < 3 || world.hostIsBusy()); turn += 1) {
    world.workInHost()
    await world.time.advance(10_000)
  }
  await world.start()
}

/** Ends all faults and waits until nothing changes anymore. */
export async function quiesce(world: World): Promise<void> {
  world.disk.full = false
  world.disk.writesToLive = null
  await world.start()
  world.act((core) => core.drafts.stopEditing())
  await untilQuiet(world)
  await sendRemaining(world)
  await untilQuiet(world)
}

async function untilQuiet(world: World): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    world.service.work()
    await world.time.advance(10_000)
    const core = world.core()
    if (core !== undefined && !core.busy() && core.tracker.jobs().length === 0 && turn > 2) break
  }
}
