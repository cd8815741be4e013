import { expect, it, onTestFinished } from 'vitest'
import type { Context } from '../../../src/main/cli/context.ts'
import { followSubmissions } from '../../../src/main/cli/follow-submissions.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openTestCore, stateWhen } from '../core/open-core.ts'
import { planOfFiles } from '../outbox/drafts.ts'

const COUNT = 60
const CHANGES = 20

it('submissions that only wait aren’t read again whenever something else changes', async () => {
  const core = await openTestCore(temporaryFolder())
  onTestFinished(() => core.close())
  const added = await core.outbox.enqueue(
    Array.from({ length: COUNT }, (_, n) => planOfFiles([`/in/${n}.jpg`])),
  )
  await stateWhen(core, ({ outbox }) => outbox.length === COUNT)
  const interruption = new AbortController()
  let reads = 0
  let changes = 0
  const context = {
    service: { kind: 'external' },
    line: {
      ...core,
      outbox: {
        ...core.outbox,
        get(id: RecordId) {
          reads += 1
          return core.outbox.get(id)
        },
      },
    },
    environment: { timing: systemTiming, interrupted: interruption.signal },
    report: {
      say: () => undefined,
      sayEach: () => undefined,
      outcomes: () => ({ say: () => true, end: () => undefined }),
      progress: () => false,
    },
    waits: {
      async during(_: unknown, work: () => Promise<void>) {
        changes += 1
        const changed = work()
        if (changes === CHANGES) interruption.abort()
        else core.settings.update({ appearance: changes % 2 === 0 ? 'dark' : 'light' })
        await changed
      },
    },
  } as unknown as Context
  const ids = added.map(({ id }) => id)
  expect(await followSubmissions(context, ids, { wait: true, watch: false })).toEqual([130])
  // Only before the command begins to wait, and when it stops.
  expect(changes).toBe(CHANGES)
  expect(reads).toBeLessThan(CHANGES * COUNT)
})
