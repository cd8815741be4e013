import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { failedWith } from '../../../src/shared/model/outcome.ts'
import { submissionOf } from './sample-records.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let file: string
const said: string[] = []

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'history.db')
  said.length = 0
})

const open = () =>
  openHistory({
    file,
    clock: () => 1_760_000_000_000,
    log: () => undefined,
    onSetAside: (keptAs) => said.push(keptAs),
  })

const everything = { offset: 0, limit: 1000, unfinished: true } as const

function fill(count: number): void {
  const history = open()
  for (let n = 0; n < count; n += 1) history.recordSubmission(submissionOf(`r${n}`, [`/in/${n}.jpg`]))
  history.close()
}

/** Overwrites the middle of the file, including page headers. */
function damage(from: number, to: number): void {
  const bytes = readFileSync(file)
  bytes.fill(0x5a, Math.floor(bytes.length * from), Math.floor(bytes.length * to))
  writeFileSync(file, bytes)
}

function change(sql: string): void {
  const connection = new DatabaseSync(file)
  connection.exec(sql)
  connection.close()
}

describe('a damaged history', () => {
  it('is moved aside under a reported name, and an empty one is created', () => {
    writeFileSync(file, 'this is no database, and it is longer than a header would be'.repeat(100))
    const history = open()
    expect(history.setAside).toBe(join(folder, 'history.damaged-2025-10-09T08-53-20-000Z.db'))
    expect(readFileSync(history.setAside ?? '', 'utf8')).toMatch(/^this is no database/)
    history.recordSubmission(submissionOf('a', ['/in/a.jpg']))
    expect(history.page({}, everything).total).toBe(1)
    history.close()
  })

  it('whose damage is noticed only during use is moved aside at that point, and the app continues', () => {
    fill(400)
    damage(0.02, 1)
    const history = open()
    history.recordSubmission(submissionOf('new', ['/in/new.jpg']))
    expect(history.page({ text: 'jpg' }, everything)).toMatchObject({ total: 1, records: [{ id: 'new' }] })
    expect([history.setAside].filter((name) => name !== null)).toHaveLength(1)
    if (said.length > 0) expect(said).toEqual([history.setAside])
    history.close()
    expect(readdirSync(folder).some((name) => name.startsWith('history.damaged-'))).toBe(true)
  })

  it('that is damaged while in use is moved aside, reported once, and recreated', () => {
    fill(400)
    const history = open()
    expect(history.setAside).toBeNull()
    const { version } = history
    damage(0.02, 1)
    expect(history.page({}, everything).total).toBe(0)
    expect(said).toEqual([history.setAside])
    expect(history.version).toBeGreaterThan(version)
    history.recordSubmission(submissionOf('new', ['/in/new.jpg']))
    expect(history.page({ text: 'jpg' }, everything)).toMatchObject({ total: 1, records: [{ id: 'new' }] })
    history.close()
  })

  it('is never moved over an earlier copy', () => {
    for (let n = 0; n < 3; n += 1) {
      writeFileSync(file, `damaged ${n} `.repeat(1000))
      open().close()
    }
    expect(readdirSync(folder).filter((name) => /damaged-.*\.db$/.test(name))).toHaveLength(3)
  })

  it('with a WAL left by a killed process is moved aside with that WAL', () => {
    writeFileSync(file, 'no database '.repeat(1000))
    writeFileSync(`${file}-wal`, 'no log either')
    open().close()
    expect(readdirSync(folder).filter((name) => /damaged-.*\.db-wal$/.test(name))).toHaveLength(1)
  })

  it('without the details of a record shows what remains of it', () => {
    fill(1)
    const connection = new DatabaseSync(file)
    connection.exec('DELETE FROM details')
    connection.close()
    const history = open()
    const id = asRecordId('r0')
    expect(history.details(id)).toMatchObject({ id, firstPath: '/in/0.jpg', inputs: [], results: [] })
    expect(history.jobDetails(id)).toEqual(history.details(id))
    history.close()
  })

  it('whose only damage is an inconsistent search index is reindexed without losing records', () => {
    fill(50)
    const connection = new DatabaseSync(file, { defensive: false })
    connection.exec(`UPDATE search_data SET block = x'00112233' WHERE id > 10`)
    connection.close()
    const history = open()
    expect(history.page({ text: 'jpg' }, everything).total).toBe(50)
    expect(history.setAside).toBeNull()
    history.close()
  })

  it.each([
    `grouping = 'neither'`,
    `origin = 'neither'`,
    `service = 'unknown', submittedBy = 'neither'`,
    'createdAt = 9223372036854775807',
    'endedAt = 99999999999999999, wholeEndedAt = 99999999999999999',
    'photos = 9223372036854775807, unseen = 9223372036854775807, removedAt = NULL',
  ])('with values that can’t be read (%s) keeps the record without them', (values) => {
    fill(3)
    change(`UPDATE records SET ${values} WHERE id = 'r1'`)
    const history = open()
    expect(history.page({}, everything).records.map(({ id }) => id)).toEqual(['r2', 'r1', 'r0'])
    expect(history.details(asRecordId('r1'))).toMatchObject({ inputs: [{ path: '/in/1.jpg' }] })
    history.close()
  })

  it('doesn’t show a job as unfinished because its outcome can’t be read', () => {
    fill(1)
    change(`UPDATE records SET outcome = '{g', wholeOutcome = '{g'`)
    const history = open()
    expect(history.page({}, everything).records).toMatchObject([{ outcome: { kind: 'forgotten' } }])
    history.close()
  })

  it('finds a job whose first part was lost', () => {
    const history = open()
    const place = { id: asRecordId('first'), parts: 2, photos: 2, videos: 0, presets: 2, folders: 1 }
    const parts = ['first', 'second'].map((id, part) =>
      submissionOf(id, [`/in/${id}.jpg`], { place: { ...place, part } }),
    )
    history.recordSubmissions(parts)
    for (const { title } of parts) history.recordOutcome(title.id, failedWith({ error: 'x' }), 1)
    history.close()
    change(`DELETE FROM records WHERE id = 'first'`)

    const damaged = open()
    const left = [{ id: 'second', place: { id: 'first' }, outcome: { kind: 'failed' } }]
    for (const request of [everything, { limit: 10 }]) {
      expect(damaged.page({ text: 'second' }, request)).toMatchObject({ total: 1, records: left })
      expect(damaged.page({}, request)).toMatchObject({ total: 1, records: left })
    }
    expect(damaged.countAll({ text: 'jpg' })).toBe(1)
    expect(damaged.endedJobs()).toMatchObject([{ outcome: 'failed', jobs: 1 }])
    expect(damaged.draftFrom(asRecordId('first'), 'failed')).toMatchObject({
      source: { items: [{ path: '/in/second.jpg' }] },
    })
    damaged.close()
  })
})
