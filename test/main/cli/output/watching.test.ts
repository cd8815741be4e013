import { expect, it } from 'vitest'
import { wordsFor } from '../../../../src/main/cli/output/events.ts'
import { asRecordId } from '../../../../src/shared/model/ids.ts'

it.each([
  [1, '/in: 1 file is waiting for the preset “Web”, which doesn’t exist.'],
  [2, '/in: 2 files are waiting for the preset “Web”, which doesn’t exist.'],
])('%i waiting files are reported in correct English', (files, line) => {
  const event = { event: 'watchTrouble', folder: '/in', kind: 'presetMissing', preset: 'Web', files } as const
  expect(wordsFor(event).lines).toEqual([line])
})

it.each([
  [['a.mp4'], '/in: waiting for other programs to close 1 file: a.mp4.'],
  [['a.mp4', 'b.mp4'], '/in: waiting for other programs to close 2 files: a.mp4, b.mp4.'],
])('%j, which a program has open, are reported in correct English', (paths, line) => {
  const event = { event: 'watchTrouble', folder: '/in', kind: 'open', files: paths.length, paths } as const
  expect(wordsFor(event).lines).toEqual([line])
})

it.each([
  [5_000, 'It will be tried again while the app or “watch” runs.'],
  [null, 'It won’t be tried again.'],
])('a failed program whose next attempt is at %j is reported with what happens next', (nextAt, words) => {
  const result = { kind: 'exited', code: 1, ms: 5 } as const
  const event = {
    event: 'hook',
    job: asRecordId('job'),
    action: 'program',
    result,
    tries: 1,
    nextAt,
  } as const
  expect(wordsFor(event).lines).toEqual([
    `job  The program after the job failed (attempt 1): Ended with exit code 1. ${words}`,
  ])
})
