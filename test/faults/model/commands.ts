import * as fc from 'fast-check'
import type { OutboxEntry } from '../../../src/shared/model/work.ts'
import type { PostFault } from './model-service.ts'
import type { World } from './world.ts'

/** The model is the world's own account of what was promised and asked for. */
export type Step = fc.AsyncCommand<object, World>

const MINUTE_MS = 60_000

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

const entriesOf = (world: World, kind: OutboxEntry['state']['kind']): readonly OutboxEntry[] =>
  world.act((core) => core.sender.entries().filter(({ state }) => state.kind === kind)) ?? []

/** What a person answers about submissions that nobody else can tell about. */
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

/** Takes the first that waits back into the draft and starts it again, or dies in between. */
async function editFirst(world: World, meanwhileMs: number): Promise<void> {
  const [first] = entriesOf(world, 'waiting')
  if (first === undefined || world.act((core) => core.drafts.edit(first.id)) !== true) return
  await world.time.advance(meanwhileMs)
  if (world.core()?.drafts.store.view().editing !== first.id) return
  await world.actAwhile((core) => core.drafts.start({ split: false, grace: 0 }))
}

const FAULTS: readonly PostFault[] = ['lostBefore', 'lostAfter', 'slow', 'serverError', 'away', 'late']

export const anySteps = fc.commands<object, World, false>(
  [
    fc.constant(step('submit', (world) => world.submit())),
    fc.constant(step('submit', (world) => world.submit())),
    fc.constant(step('submit elsewhere', (world) => world.submitElsewhere())),
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

/** Everything works again, and is left alone until nothing moves any more. */
export async function comeToRest(world: World): Promise<void> {
  world.disk.full = false
  world.disk.writesToLive = null
  world.start()
  world.act((core) => core.drafts.stopEditing())
  for (let turn = 0; turn < 60; turn += 1) {
    world.service.work()
    await world.time.advance(10_000)
    const core = world.core()
    if (core !== undefined && !core.busy() && core.tracker.jobs().length === 0 && turn > 2) break
  }
}
