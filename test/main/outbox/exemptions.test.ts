import { expect, it } from 'vitest'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { outboxFolder } from './outbox-folder.ts'

const [one, other] = [asRecordId('r1'), asRecordId('r2')]

it('jobs that were started anyway are known to every process and after a restart, until they are removed', () => {
  const { open } = outboxFolder()
  const outbox = open()
  const elsewhere = open()
  expect(outbox.changedElsewhere()).toBe(false)
  elsewhere.exemptions.change({ add: [one, other, one], remove: [] })
  expect(outbox.changedElsewhere()).toBe(true)
  expect(outbox.exemptions.ids()).toEqual([one, other])
  outbox.exemptions.change({ add: [other], remove: [one] })
  outbox.close()
  elsewhere.close()
  expect(open().exemptions.ids()).toEqual([other])
})
