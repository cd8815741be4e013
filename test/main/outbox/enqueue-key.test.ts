import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openOutbox, type Outbox, type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'

const plan: PlannedSubmission = {
  items: [{ path: '/in/a.jpg', name: 'a.jpg', kind: 'image', size: 1 }],
  driveInput: null,
  preset: null,
  output: { kind: 'folder', path: '/out' },
  variations: 1,
  grouping: 'together',
}

function opened(): { open: () => Outbox } {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-outbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let ids = 0
  const open = () =>
    openOutbox({
      file: join(folder, 'outbox.db'),
      clock: () => 1,
      ids: () => asRecordId(`${process.hrtime.bigint()}-${(ids += 1)}`),
    })
  return { open }
}

it('an addition of a name is made once, also across a restart', async () => {
  const { open } = opened()
  const first = open()
  expect(first.wasEnqueued('k')).toBe(false)
  expect(await first.enqueue([plan, plan], { key: 'k' })).toHaveLength(2)
  expect(await first.enqueue([plan], { key: 'k' })).toEqual([])
  first.close()
  const again = open()
  expect(again.wasEnqueued('k')).toBe(true)
  expect(await again.enqueue([plan], { key: 'k' })).toEqual([])
  expect(again.list()).toHaveLength(2)
  again.close()
})

it('a name is known though its submissions are gone, until it is forgotten', async () => {
  const { open } = opened()
  const outbox = open()
  const [submission] = await outbox.enqueue([plan], { key: 'k' })
  if (submission !== undefined) outbox.remove(submission.id)
  expect(outbox.wasEnqueued('k')).toBe(true)
  outbox.forgetKey('k')
  expect(outbox.wasEnqueued('k')).toBe(false)
  outbox.close()
})
