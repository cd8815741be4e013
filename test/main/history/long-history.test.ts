import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, type History } from '../../../src/main/history/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { MOST_COUNTED } from '../../../src/shared/model/history-page.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { submissionOf } from './sample-records.ts'

const FIRST = 1_760_000_000_000
let file: string
let history: History
const open = () => openHistory({ file, clock: () => FIRST, log: () => undefined })

beforeEach(() => {
  file = join(temporaryFolder(), 'history.db')
  history = open()
})
afterEach(() => history.close())

/** Writes to the file while the history is closed. */
function change(sql: string): void {
  history.close()
  const connection = new DatabaseSync(file, { defensive: false })
  connection.exec(sql)
  connection.close()
  history = open()
}

const numbers = (count: number): string =>
  `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`

function addRecords(count: number): void {
  change(`
    ${numbers(count)}
    INSERT INTO records (seq, id, origin, name, photos, videos, variations, grouping, createdAt, outcome, whole, part,
        place, wholeOutcome, unseen, remote, resent)
      SELECT (${FIRST} + n) * 1000, 'r' || n, 'ours', 'harbour.jpg', 1, 0, 1, 'together', ${FIRST} + n, '{"kind":"forgotten"}',
        'r' || n, 0, '{}', '{"kind":"forgotten"}', 0, 0, 0 FROM numbers;
    ${numbers(count)}
    INSERT INTO search (rowid, words, tails, facets)
      SELECT (${FIRST} + n) * 1000, 'harbour jpg', 'arbour', 'oforgotten kphotos' FROM numbers;`)
}

describe('more matches than are counted', () => {
  it.each([{}, { text: 'harbour' }, { kind: 'photos', from: FIRST }] as const)('of %j', (query) => {
    addRecords(MOST_COUNTED)
    const all = history.page(query, { limit: 3 })
    expect(all).toMatchObject({ total: MOST_COUNTED, hasMore: false })
    const outcome = { kind: 'forgotten' } as const
    history.recordSubmission(submissionOf('new', ['/in/harbour.jpg'], { createdAt: FIRST + MOST_COUNTED }))
    history.recordOutcome(asRecordId('new'), outcome, FIRST)
    const first = history.page(query, { limit: 1 })
    expect(first).toMatchObject({ total: MOST_COUNTED, hasMore: true, records: [{ id: 'new' }] })
    expect(history.countAll(query)).toBe(MOST_COUNTED + 1)
    expect(history.page(query, { before: first.last ?? 0, limit: 3 })).toEqual(all)
    const end = history.page(query, { before: first.last ?? 0, offset: MOST_COUNTED - 1, limit: 3 })
    expect(end).toMatchObject({ total: MOST_COUNTED, hasMore: false, records: [{ id: 'r0' }] })
  })
})

const found = (text: string) => history.page({ text }, { limit: 500, unfinished: true }).total
const add = (id: string, name: string) => history.recordSubmission(submissionOf(id, [`/in/${name}`]))

describe('a search for the beginning of words', () => {
  it.each([1, 64, 65, 200])('finds %i different words', (count) => {
    for (let n = 0; n < count; n += 1) {
      const ending = String.fromCodePoint(0x61 + (n % 26), 0x61 + Math.floor(n / 26))
      add(`r${n}`, `photograph${ending}.jpg`)
    }
    const searches = ['phot', 'tograph', 'photographa', 'photographaa', 'phots']
    expect(searches.map(found)).toEqual([count, count, Math.ceil(count / 26), 1, 0])
  })

  it.each([
    ['ΚΑΛΟΣ', 'καλοσύνη.jpg'],
    ['καλοσ', 'ΚΑΛΟΣ.jpg'],
    ['𝟏𝟐𝟑𝟒', '12345.jpg'],
    ['фото', 'Фотография.jpg'],
    ['img 0093', 'IMG_00931.jpg'],
    ['img_0093', 'IMG_00931.jpg'],
    ['写真展', '夏の写真展覧会.jpg'],
    ['𠮷野家', '𠮷野家.jpg'],
    ['straße', 'STRASSENFEST.jpg'],
  ])('finds %s in %s', (text, name) => {
    add('a', name)
    add('b', 'other.png')
    expect(found(text)).toBe(1)
  })

  it('takes a typed operator for a word', () => {
    add('a', 'near the harbour OR not.jpg')
    expect([found('near'), found('"harb" OR "xyz"'), found('harb*'), found('words:harb')]).toEqual([
      1, 0, 1, 0,
    ])
  })
})

const listed = (): readonly unknown[] => {
  const connection = new DatabaseSync(file, { readOnly: true })
  const words = connection.prepare(`SELECT term FROM search_terms WHERE term LIKE '%harb%'`).all()
  connection.close()
  return words
}

describe('the words of the search index', () => {
  it('don’t outlast the jobs that contain them', () => {
    history.recordSubmission(submissionOf('a', ['/in/harbour.jpg']))
    history.recordOutcome(asRecordId('a'), { kind: 'forgotten' }, FIRST)
    expect(listed()).toHaveLength(1)
    history.clear()
    expect(listed()).toEqual([])
  })
})
