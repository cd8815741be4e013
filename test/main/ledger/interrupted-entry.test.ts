import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openHistory, type History, type Measurement } from '../../../src/main/history/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { acceptance, submissionOf } from '../history/sample-records.ts'

const ID = asRecordId('a')
let file: string
let history: History

const open = () => openHistory({ file, clock: () => 2_000, log: () => undefined })

beforeEach(() => {
  file = join(temporaryFolder(), 'history.db')
  history = open()
  void history.recordAcceptedSubmission(submissionOf('a', ['/in/a.jpg', '/in/b.jpg']), acceptance)
  history.recordResults(ID, [{ file: 'a.jpg', outputPath: '/out/a.jpg', index: 0 }], [])
  history.recordOutcome(ID, { kind: 'done', results: 1, uploaded: null }, 1_000)
})
afterEach(() => history.close())

const entry = (path: string): Measurement['entries'][number] => ({
  path,
  print: '5:6:7',
  size: 5,
  preset: 'key',
  presetName: 'Web 2048',
  variations: 1,
  role: 'input',
  results: [{ path: '/out/a.jpg', size: 3, mtime: 1 }],
  recordId: ID,
  at: 1_000,
})
const measurement: Measurement = {
  sizes: [
    { path: '/in/a.jpg', input: 5, results: 3 },
    { path: '/in/b.jpg', input: 5, results: 50 },
  ],
  resultBytes: 53,
  entries: [entry('/in/a.jpg'), entry('/in/b.jpg')],
}
const totals = { files: 2, inputBytes: 10, resultBytes: 53, saved: { files: 1, bytes: 2 } }
const NOTHING = { files: 0, inputBytes: 0, resultBytes: 0, saved: { files: 0, bytes: 0 } }

/** Makes one kind of write fail, as if the process had ended there. */
function breakWrite(table: string, verb: string): () => void {
  const connection = new DatabaseSync(file)
  connection.exec(
    `CREATE TRIGGER broken BEFORE ${verb} ON ${table} BEGIN SELECT raise(ABORT, 'interrupted'); END`,
  )
  return () => {
    connection.exec('DROP TRIGGER broken')
    connection.close()
  }
}

it.each([
  ['totals', 'INSERT'],
  ['measured', 'INSERT'],
  ['details', 'UPDATE'],
  ['ledger', 'INSERT'],
  ['unmeasured', 'DELETE'],
])(
  'a process that ends before its write to %s leaves nothing half done, and the next one completes it',
  (table, verb) => {
    const repair = breakWrite(table, verb)
    expect(() => history.recordMeasured(ID, measurement)).toThrow('interrupted')
    repair()
    history.close()
    history = open()
    expect([history.totals(), history.ledger.at('/in/a.jpg'), history.unmeasured()]).toEqual([
      NOTHING,
      [],
      [ID],
    ])
    history.recordMeasured(ID, measurement)
    expect(history.ledger.at('/in/b.jpg')).toHaveLength(1)
    expect([history.totals(), history.unmeasured()]).toEqual([totals, []])
  },
)

it('counts each record once, even if it is measured again, and keeps the totals when the history is cleared', async () => {
  history.recordMeasured(ID, measurement)
  history.recordMeasured(ID, measurement)
  expect(history.totals()).toEqual(totals)
  // A result that was missing was downloaded later.
  history.recordOutcome(ID, { kind: 'done', results: 1, uploaded: null }, 1_000)
  history.recordMeasured(ID, { ...measurement, sizes: [{ path: '/in/a.jpg', input: 5, results: 4 }] })
  const again = { files: 1, inputBytes: 5, resultBytes: 4, saved: { files: 1, bytes: 1 } }
  expect(history.totals()).toEqual(again)
  expect(await history.saved({ preset: 'Web 2048' })).toEqual({ files: 1, bytes: 1 })
  expect(await history.saved({ preset: 'Another' })).toEqual({ files: 0, bytes: 0 })
  history.clear()
  expect(history.totals()).toEqual(again)
  expect(await history.saved({})).toEqual({ files: 1, bytes: 1 })
  expect(await history.saved({ preset: 'Web 2048' })).toEqual({ files: 0, bytes: 0 })
})

it('keeps the rows of all files with the same content, and a half-done hash changes nothing', () => {
  history.recordMeasured(ID, measurement)
  const [first] = history.ledger.at('/in/a.jpg')
  const [second] = history.ledger.at('/in/b.jpg')
  if (first === undefined || second === undefined) throw new Error('Rows are missing.')
  const content = new Uint8Array(32).fill(1)
  const repair = breakWrite('content_hashes', 'INSERT')
  expect(() => history.ledger.putContent(first, content)).toThrow('interrupted')
  repair()
  expect(history.ledger.at('/in/a.jpg')[0]?.content).toBeNull()
  history.ledger.putContent(first, content)
  history.ledger.putContent(second, content)
  expect(history.ledger.of(content).map(({ path }) => path)).toEqual(['/in/b.jpg', '/in/a.jpg'])
  expect(history.ledger.cachedContent('/in/a.jpg', first.print)).toEqual(content)
})

it('keeps 10,000 rows about a content, and compares a few of them', () => {
  history.recordMeasured(ID, { ...measurement, entries: [entry('/in/a.jpg')] })
  const content = new Uint8Array(32).fill(1)
  const [row] = history.ledger.at('/in/a.jpg')
  if (row === undefined) throw new Error('The row is missing.')
  history.ledger.putContent(row, content)
  const connection = new DatabaseSync(file)
  connection.exec(`
    WITH RECURSIVE numbers (n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM numbers WHERE n < 10_001)
    INSERT INTO ledger (path, print, size, content, preset, presetName, variations, role, results, recordId, at)
      SELECT '/in/' || n, print, size, content, iif(n = 2, 'other', preset), presetName, variations, role, results, recordId, at
      FROM ledger, numbers`)
  const [newest] = history.ledger.at('/in/10001')
  if (newest === undefined) throw new Error('The row is missing.')
  history.ledger.putContent(newest, content)
  expect(connection.prepare('SELECT count(*) AS count FROM ledger').get()).toEqual({ count: 10_000 })
  connection.close()
  expect(history.ledger.at('/in/a.jpg')).toEqual([])
  const compared = history.ledger.of(content)
  expect(compared.length).toBeLessThan(50)
  expect(new Set(compared.map(({ preset }) => preset))).toEqual(new Set(['key', 'other']))
})
