import { expect, it } from 'vitest'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { outboxFolder } from './outbox-folder.ts'

const [one, other] = [asRecordId('r1'), asRecordId('r2')]

it('jobs that were started anyway or canceled are known after a restart, until they are removed', () => {
  const { open } = outboxFolder()
  const outbox = open()
  outbox.exempt.add(one, other, one)
  outbox.cancelRequests.add(one)
  expect(outbox.exempt.all()).toEqual([one, other])
  outbox.exempt.drop(one)
  outbox.close()
  expect(open().exempt.all()).toEqual([other])
  expect(open().cancelRequests.all()).toEqual([one])
})
