import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordIds } from '../../../src/main/core/record-ids.ts'
import { openOutbox } from '../../../src/main/outbox/index.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { planOfFiles } from '../outbox/drafts.ts'

test('names of one moment differ, and those of a later one come after them', () => {
  let now = Date.UTC(2026, 10, 22)
  const next = recordIds({ timing: { ...systemTiming, clock: () => now } })
  const first = Array.from({ length: 1_000 }, next)
  now += 1
  const second = Array.from({ length: 1_000 }, next)
  expect(new Set([...first, ...second]).size).toBe(2_000)
  expect(first.toSorted().at(-1)).toSatisfy((last: string) => second.every((id) => last < id))
})

/** Of SQLite's pages, 4 KiB each: with names in no order it is 681. */
const MOST_PAGES = 400

test('a long start changes few pages of the outbox more than once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-ids-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'outbox.db')
  const clock = () => (now += 1)
  let now = 0
  const outbox = openOutbox({ file, clock, ids: recordIds({ timing: { ...systemTiming, clock } }) })
  onTestFinished(() => outbox.close())
  await outbox.enqueue(Array.from({ length: 900 }, (_, n) => planOfFiles([`/home/me/Pictures/${n}.jpg`])))
  expect(statSync(`${file}-wal`).size / 4_096).toBeLessThan(MOST_PAGES)
})
