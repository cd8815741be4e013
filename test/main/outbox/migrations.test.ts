import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { migrations } from '../../../src/main/outbox/submission-rows.ts'
import { WAITING, writeState } from '../../../src/main/outbox/submission-state.ts'
import { planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

/** Writes an outbox file in the format of version 4, which had no column for the addressed service. */
function fileOfVersion4(file: string): void {
  const connection = new DatabaseSync(file)
  for (const migrate of migrations.slice(0, 4)) migrate(connection)
  connection.exec(`PRAGMA user_version = 4; INSERT INTO starts (complete, last_position) VALUES (0, 5)`)
  const insert = connection.prepare(
    `INSERT INTO submissions (id, position, created_at, kind, not_before, plan, state, start)
     VALUES (?, ?, 7, 'waiting', ?, ?, ?, ?)`,
  )
  const put = (
    position: number,
    target: string | undefined,
    notBefore: number | null,
    start: number | null,
  ) => {
    const plan = planOfFiles([`/in/${position}.jpg`], target === undefined ? {} : { target })
    const state = writeState({ ...WAITING, notBefore })
    insert.run(`r${position}`, position, notBefore, JSON.stringify(plan), state, start)
  }
  put(1, undefined, null, null)
  put(2, 'builtIn', 50, null)
  put(3, 'builtIn', null, null)
  put(4, undefined, null, 1)
  connection.close()
}

it('an outbox of an earlier version keeps all submissions and the services that they are addressed to', () => {
  const { file, open } = outboxFolder()
  fileOfVersion4(file)
  const outbox = open()
  expect(outbox.setAside).toBeNull()
  expect(outbox.list().map(({ id, target }) => [id, target])).toEqual([
    ['r1', undefined],
    ['r2', 'builtIn'],
    ['r3', 'builtIn'],
  ])
  const builtIn = { service: 'builtIn', unaddressed: false }
  expect(outbox.nextDue(1, builtIn)?.id).toBe('r3')
  expect(outbox.nextTime(builtIn)).toBe(50)
  expect(outbox.nextDue(50, builtIn)?.id).toBe('r2')
  expect(outbox.nextDue(1, { service: 'http://s', unaddressed: true })?.id).toBe('r1')
})
