import { beforeEach, describe, expect, it } from 'vitest'
import { planDraft, type Outbox } from '../../../src/main/outbox/index.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { ANY, attempt, draftOfFiles, newJobId } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

let folder: ReturnType<typeof outboxFolder>
let outbox: Outbox
let parts: readonly RecordId[]

const facts = { presets: { image: ['Web', 'Mail'], video: [] }, drive: null, seesFiles: true }
const draft = draftOfFiles(['/in/a.jpg', '/in/b.jpg'], { presets: ['Web', 'Mail'] })

async function enqueue(given = draft): Promise<readonly RecordId[]> {
  const plan = planDraft(given, facts, newJobId)
  if (!plan.ok) throw new Error('the draft can’t be planned')
  return (await outbox.enqueue(plan.submissions)).map(({ id }) => id)
}

beforeEach(async () => {
  folder = outboxFolder()
  outbox = folder.open()
  const [single] = await enqueue(draftOfFiles(['/in/single.jpg'], { presets: ['Web'] }))
  parts = await enqueue()
  expect(single).toBeDefined()
})

const [first, second] = [() => parts[0] ?? newJobId(), () => parts[1] ?? newJobId()]
const listed = () => outbox.list().map(({ id }) => id)

describe('a job of several parts in the outbox', () => {
  it('has the ID of its first part, also after a restart', () => {
    expect(outbox.get(second())?.title.place).toMatchObject({ id: first(), part: 1, parts: 2, photos: 2 })
    outbox.close()
    outbox = folder.open()
    expect(outbox.partsOf(first())).toEqual(parts)
  })

  it('is removed and restored as a whole, and a part alone on request', () => {
    expect(outbox.remove(second())).toEqual(parts)
    expect(outbox.partsOf(first())).toEqual([])
    expect(outbox.restore(first())).toEqual(parts)
    expect(outbox.remove(second(), 'preset')).toEqual([second()])
    expect(outbox.remove(first(), 'part')).toEqual([first()])
    expect(listed()).toHaveLength(1)
  })

  it('is moved as a whole, in order, and others are moved ahead of all of it', () => {
    const [other] = listed().filter((id) => !parts.includes(id))
    if (other === undefined) throw new Error('The outbox has no other job')
    expect(outbox.moveBefore(second(), null)).toBe(true)
    expect(listed()).toEqual([other, ...parts])
    expect(outbox.moveBefore(second(), other)).toBe(true)
    expect(listed()).toEqual([...parts, other])
    expect(outbox.moveBefore(other, second())).toBe(true)
    expect(listed()).toEqual([other, ...parts])
  })

  it('runs next as a whole, in order', () => {
    expect(outbox.runNext(second())).toBe(true)
    expect(listed().slice(0, 2)).toEqual(parts)
  })

  it('is edited as a whole: held together and replaced together', async () => {
    expect(outbox.edit(second())).toEqual({ ...draft, done: 'again', editing: first() })
    expect(outbox.nextDue(0, ANY)?.id).not.toBe(first())
    expect(parts.map((id) => outbox.beginSending(id, attempt))).toEqual([false, false])
    const plan = planDraft(draftOfFiles(['/in/c.jpg'], { presets: ['Web'] }), facts, newJobId)
    const replaced = await outbox.replace(first(), plan.ok ? plan.submissions : [])
    expect(replaced).toHaveLength(1)
    expect(listed()).toHaveLength(2)
    expect(parts.map((id) => outbox.get(id))).toEqual([undefined, undefined])
  })

  it('waits again when the edit ends', () => {
    outbox.edit(first())
    outbox.endEdit(first())
    expect(parts.map((id) => outbox.beginSending(id, attempt))).toEqual([true, true])
  })

  it('can’t be edited or replaced once a part is being sent or was sent', async () => {
    outbox.beginSending(first(), attempt)
    expect(outbox.edit(second())).toBeUndefined()
    const plan = planDraft(draft, facts, newJobId)
    expect(await outbox.replace(second(), plan.ok ? plan.submissions : [])).toBeUndefined()
    outbox.accept(first(), {
      jobId: 'j',
      baseUrl: 'http://s',
      connection: 'external',
      acceptedAt: 1,
      skipped: [],
    })
    outbox.forget(first())
    expect(outbox.edit(second())).toBeUndefined()
    expect(outbox.partsOf(first())).toEqual([second()])
  })
})
