import { renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { finishedJob } from '../../../src/main/core/finished-jobs.ts'
import { printOf } from '../../../src/main/ledger/print.ts'
import { failure, reason, type Failure } from '../../../src/shared/failure/failure.ts'
import type { Outcome } from '../../../src/shared/model/job.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { record, title } from '../../part-samples.ts'
import { mediaItem } from '../history/sample-records.ts'

const missing = failure('fileUnreadable', { reason: reason('missing') })
const problems = { kind: 'problems', results: 1, problems: 1, uploaded: null } as const

/** The names of the files that are gone, and of those to be tried again, after a job that reported these failures. */
function workAfter(
  outcome: Outcome,
  failures: Readonly<Record<string, Failure | undefined>>,
  watched: string | null = 'w',
) {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  for (const name of ['a.jpg', 'b.jpg']) writeFileSync(path(name), name)
  const work = finishedJob(
    record(title('a.jpg', 3), outcome, {
      watched,
      inputs: ['a.jpg', 'b.jpg', 'moved.jpg'].map((name) => mediaItem(path(name))),
      problems: Object.entries(failures).map(([name, why]) => ({
        file: path(name),
        error: 'In the service’s words',
        failure: why,
      })),
    }),
  )
  const name = (one: string) => one.slice(folder.length + 1)
  return {
    inputs: work?.inputs.map(name),
    gone: work?.gone.map(name),
    later: work?.later.map(({ path: one, most }) => [name(one), most]),
  }
}

it.each<[string, Outcome, Record<string, Failure | undefined>, readonly string[]]>([
  ['were missing, even if they have returned', problems, { 'a.jpg': missing }, ['a.jpg']],
  ['were replaced', problems, { 'b.jpg': failure('fileReplaced', { name: 'b.jpg' }) }, ['b.jpg']],
  [
    'another service couldn’t read and that aren’t there',
    problems,
    { 'moved.jpg': undefined },
    ['moved.jpg'],
  ],
  [
    'a failed job didn’t find',
    { kind: 'failed', reason: '', failure: missing },
    {},
    ['a.jpg', 'b.jpg', 'moved.jpg'],
  ],
  ['aren’t there after a failed job', { kind: 'failed', reason: '' }, {}, ['moved.jpg']],
])('files of a watched folder that %s are gone', (_, outcome, failures, gone) => {
  expect(workAfter(outcome, failures).gone).toEqual(gone)
})

it.each<[string, Outcome, Record<string, Failure | undefined>, (string | null)?]>([
  ['have results', { kind: 'done', results: 3, uploaded: null }, {}],
  ['are damaged', problems, { 'a.jpg': failure('fileEmpty') }],
  ['the user canceled', { kind: 'cancelled', results: 0 }, {}],
  ['aren’t from a watched folder', problems, { 'a.jpg': missing }, null],
])('files that %s aren’t gone', (_, outcome, failures, watched = 'w') => {
  expect(workAfter(outcome, failures, watched)).toMatchObject({ gone: [], later: [] })
})

it.each([missing, failure('fileReplaced', { name: 'a.jpg' })])(
  'a file that its job couldn’t find, although it was there all along, is tried again later: $code',
  (why) => {
    const path = join(temporaryFolder(), 'a.jpg')
    writeFileSync(path, 'a')
    const print = printOf(statSync(path, { bigint: true }), Infinity)?.print
    const inputs = [{ ...mediaItem(path), print }]
    const failed = { kind: 'failed', reason: '', failure: why } as const
    const work = () => finishedJob(record(title('a.jpg', 1), failed, { watched: 'w', inputs }))
    expect(work()).toMatchObject({ gone: [], later: [{ path, most: null }] })
    // It was away and has returned, which changes a time that programs can't set.
    renameSync(path, `${path}.away`)
    renameSync(`${path}.away`, path)
    expect(work()).toMatchObject({ gone: [path], later: [] })
  },
)

it.each<[Failure, number | null]>([
  [failure('tooLittleSpace', { folder: '/out', freeBytes: 1, neededBytes: 2 }), null],
  [failure('folderFull', { folder: '/out' }), null],
  [failure('diskRemoved', { folder: '/out' }), null],
  [failure('diskFull'), null],
  [failure('folderNotReal', { folder: '/out' }), null],
  [failure('folderNotWritable', { folder: '/out', reason: reason('denied') }), null],
  [failure('resultNotSavedIn', { folder: '/out', reason: reason('diskError') }), null],
  [failure('resultNotSavedIn', { folder: '/out', reason: reason('unknown') }), 3],
  [failure('resultUnexpected', { folder: '/out', detail: '' }), 3],
  [failure('workerKilled'), 3],
])('a file with the failure $code is tried again', (why, most) => {
  expect(workAfter(problems, { 'b.jpg': why }).later).toEqual([['b.jpg', most]])
  const failed = { kind: 'failed', reason: '', failure: why } as const
  expect(workAfter(failed, {})).toMatchObject({
    gone: ['moved.jpg'],
    later: ['a.jpg', 'b.jpg'].map((name) => [name, most]),
  })
})

it('a file that is submitted again, because the user has changed the output, hasn’t ended', () => {
  const { inputs } = workAfter(
    { kind: 'cancelled', results: 0 },
    { 'a.jpg': failure('outputChanged'), 'b.jpg': undefined },
  )
  expect(inputs).toEqual(['b.jpg', 'moved.jpg'])
})
