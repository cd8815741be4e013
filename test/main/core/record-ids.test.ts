import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordIds } from '../../../src/main/core/record-ids.ts'
import { planOfFiles } from '../outbox/drafts.ts'
import { outboxFolder } from '../outbox/outbox-folder.ts'

test('ids created in the same millisecond differ, and sort after those of earlier milliseconds', () => {
  let now = Date.UTC(2026, 10, 22)
  const next = recordIds(() => now)
  const first = Array.from({ length: 1_000 }, next)
  now += 1
  const second = Array.from({ length: 1_000 }, next)
  expect(new Set([...first, ...second]).size).toBe(2_000)
  expect(first.toSorted().at(-1)).toSatisfy((last: string) => second.every((id) => last < id))
})

/** Maximum number of 4 KiB pages in the WAL. With random ids, there would be 681. */
const MOST_PAGES = 400

test('adding a long list of submissions rarely changes a page of the outbox more than once', async () => {
  const clock = () => (now += 1)
  let now = 0
  const { file, open } = outboxFolder({ clock, ids: recordIds(clock) })
  await open().enqueue(Array.from({ length: 900 }, (_, n) => planOfFiles([`/home/me/Pictures/${n}.jpg`])))
  expect(statSync(`${file}-wal`).size / 4_096).toBeLessThan(MOST_PAGES)
})
