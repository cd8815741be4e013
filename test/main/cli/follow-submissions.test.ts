import { expect, it, onTestFinished } from 'vitest'
import type { Context } from '../../../src/main/cli/context.ts'
import { followSubmissions } from '../../../src/main/cli/follow-submissions.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openTestCore, stateWhen } from '../core/open-core.ts'
import { planOfFiles } from '../outbox/drafts.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const COUNT = 60
const CHANGES = 20

/** What a command has of its process. @param during runs while the command waits */
const contextWith = (
  line: object,
  interrupted: AbortSignal,
  during: (work: () => Promise<void>) => Promise<void> = (work) => work(),
) =>
  ({
    service: { kind: 'external' },
    line,
    environment: { timing: systemTiming, interrupted },
    report: {
      say: () => undefined,
      sayEach: () => undefined,
      outcomes: () => ({ say: () => true, end: () => undefined }),
      progress: () => false,
    },
    waits: { during: (_: unknown, work: () => Promise<void>) => during(work) },
  }) as unknown as Context

async function openCore() {
  const core = await openTestCore(temporaryFolder())
  onTestFinished(() => core.close())
  return core
}

it('submissions that only wait aren’t read again whenever something else changes', async () => {
  const core = await openCore()
  const plans = Array.from({ length: COUNT }, (_, n) => planOfFiles([`/in/${n}.jpg`]))
  const ids = (await core.outbox.enqueue(plans)).map(({ id }) => id)
  await stateWhen(core, ({ outbox }) => outbox.length === COUNT)
  const interruption = new AbortController()
  let reads = 0
  let changes = 0
  const get: typeof core.outbox.get = (id) => {
    reads += 1
    return core.outbox.get(id)
  }
  const line = { ...core, outbox: { ...core.outbox, get } }
  const context = contextWith(line, interruption.signal, async (work) => {
    changes += 1
    const changed = work()
    if (changes === CHANGES) interruption.abort()
    else core.settings.update({ appearance: changes % 2 === 0 ? 'dark' : 'light' })
    await changed
  })
  expect(await followSubmissions(context, ids, { wait: true, watch: false })).toEqual([130])
  // Only before the command begins to wait, and when it stops.
  expect(changes).toBe(CHANGES)
  expect(reads).toBeLessThan(CHANGES * COUNT)
})

itInLongSuite(
  'a command with thousands of submissions lets other commands run, and reads each submission a few times',
  async () => {
    const core = await openCore()
    const plans = Array.from({ length: 5_000 }, (_, n) => planOfFiles([`/in/${n}.jpg`]))
    const ids = (await core.outbox.enqueue(plans)).map(({ id }) => id)
    const interruption = new AbortController()
    let reads = 0
    let readsInTick = 0
    let most = 0
    let isOver = false
    function tick(): void {
      readsInTick = 0
      if (!isOver) setImmediate(tick)
    }
    setImmediate(tick)
    const get: typeof core.outbox.get = (id) => {
      reads += 1
      readsInTick += 1
      most = Math.max(most, readsInTick)
      return core.outbox.get(id)
    }
    const line = { ...core, outbox: { ...core.outbox, get } }
    const followed = followSubmissions(contextWith(line, interruption.signal), ids, {
      wait: true,
      watch: false,
    })
    await stateWhen(core, ({ outbox }) => outbox.length === ids.length)
    interruption.abort()
    expect(await followed).toEqual([130])
    isOver = true
    expect(most).toBeLessThan(3 * ids.length)
    expect(reads).toBeLessThan(8 * ids.length)
  },
)

it('a command that doesn’t wait for jobs ends at once if another owner continues it', async () => {
  const core = await openCore()
  const id = asRecordId('running')
  const record = {
    id,
    jobId: 'job',
    facts: { jobId: 'job' },
    outcome: null,
    skipped: [],
    place: { id, parts: 1 },
  }
  const line = {
    ...core,
    history: { ...core.history, details: () => record, summary: () => record },
    state: { ...core.state, get: () => ({ ...core.state.get(), jobs: [{ id }] }) },
  }
  const context = contextWith(line, new AbortController().signal)
  const options = { wait: false, watch: false, isContinued: true }
  expect(await followSubmissions(context, [id], options)).toEqual([0])
})
