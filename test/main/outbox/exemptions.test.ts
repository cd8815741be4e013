import { expect, it } from 'vitest'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { outboxFolder } from './outbox-folder.ts'

const [one, other] = [asRecordId('r1'), asRecordId('r2')]

it('jobs that were started anyway are known after a restart, until they are removed', () => {
  const { open } = outboxFolder()
  const outbox = open()
  outbox.exemptions.change({ add: [one, other, one], remove: [] })
  expect(outbox.exemptions.ids()).toEqual([one, other])
  outbox.exemptions.change({ add: [other], remove: [one] })
  outbox.close()
  expect(open().exemptions.ids()).toEqual([other])
})
