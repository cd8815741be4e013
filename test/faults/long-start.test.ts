/** Enqueuing hundreds of submissions takes several event-loop ticks, but stores either all of them or none (point 14). */
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openOutbox, type Outbox } from '../../src/main/outbox/index.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { planOfFiles } from '../main/outbox/drafts.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { firstOf } from './long-suite.ts'
import { controlDisk, type DiskControl } from './model/failing-disk.ts'

const MANY = 250
/** One row per submission, plus the writes that group them into one start, and one that purges what was removed earlier. */
const WRITES = MANY + 4

let folder: string
let disk: ReturnType<typeof controlDisk>
let control: DiskControl
let ids = 0

const open = (): Outbox =>
  openOutbox({
    file: join(folder, 'outbox.db'),
    clock: () => 1_000,
    ids: () => asRecordId(`r${(ids += 1)}`),
  })
const plans = Array.from({ length: MANY }, (_, n) => planOfFiles([`/in/${n}.jpg`]))
const start = (outbox: Outbox): Promise<number> =>
  outbox.enqueue(plans, { key: 'k' }).then(({ length }) => length)

/** Resolves after enough event-loop ticks for the sweep of incomplete submissions to finish. */
async function swept(): Promise<void> {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve))
}

beforeEach(() => {
  folder = temporaryFolder()
  control = { full: false, writesToLive: null, onDeath: () => disk.closeAll() }
  disk = controlDisk(control)
})
afterEach(() => {
  disk.closeAll()
  disk.release()
})

it.each(firstOf([101, 254, 0, 1, 2, 57, 100, 102, 150, 201, 202, 250, 251, 252, 253], 2))(
  'when killed before write %i, nothing is stored and the submissions can be repeated',
  async (writes) => {
    const doomed = open()
    control.writesToLive = writes
    const started = start(doomed)
    const isWhole = writes >= WRITES
    if (isWhole) expect(await started).toBe(MANY)
    else await expect(started).rejects.toThrow()
    control.writesToLive = null
    disk.closeAll()

    const outbox = open()
    expect(outbox.list()).toHaveLength(isWhole ? MANY : 0)
    expect(outbox.wasEnqueued('k')).toBe(isWhole)
    expect(await start(outbox)).toBe(isWhole ? 0 : MANY)
    await swept()
    expect(outbox.list().map(({ title }) => title.name)).toEqual(plans.map((plan) => plan.items[0]?.name))
  },
)

it('when the disk fills up midway, none of these submissions is stored, others succeed, and the start can be repeated', async () => {
  const outbox = open()
  const started = start(outbox)
  await new Promise((resolve) => setImmediate(resolve))
  const other = outbox.enqueue([planOfFiles(['/in/other.jpg'])])
  control.full = true
  await expect(started).rejects.toThrow('nothing can be written')
  expect(await other).toHaveLength(1)
  expect(outbox.list()).toHaveLength(1)
  await swept()
  control.full = false
  expect(await start(outbox)).toBe(MANY)
  expect(outbox.list()).toHaveLength(1 + MANY)
  outbox.close()

  const again = open()
  await swept()
  expect(again.list()).toHaveLength(1 + MANY)
})
