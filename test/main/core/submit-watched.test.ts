import { expect, it } from 'vitest'
import { busyFolders } from '../../../src/main/core/submit-watched.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import type { SubmissionState } from '../../../src/shared/model/job.ts'
import { entry, title } from '../../part-samples.ts'

const work = { ...title('a.jpg', 1), output: { kind: 'folder', path: '/in' } } as const
const isRunning = (state: SubmissionState) =>
  busyFolders({ outbox: [entry(work, state)], jobs: [] }, [], 0).length > 0

it('new files wait for a submission only while it can continue without the user', () => {
  expect(isRunning({ kind: 'sending', upload: null })).toBe(true)
  expect(isRunning({ kind: 'unknown', candidates: [], checking: true })).toBe(true)
  expect(isRunning({ kind: 'unknown', candidates: [], checking: false })).toBe(false)
  const unsaved = failure('diskFull')
  for (const because of ['output', 'serviceFailed'] as const)
    expect(isRunning({ kind: 'waiting', because, notBefore: null, unsaved })).toBe(false)
  expect(isRunning({ kind: 'refused', message: '', why: 'invalid', skipped: [] })).toBe(false)
})
