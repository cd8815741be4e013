import { beforeEach, expect, it } from 'vitest'
import type { Submission } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { PartTitle } from '../../../src/shared/model/job.ts'
import { openHooked, DONE, STARTED, type Hooked, type HookedOptions } from '../hooks/hooked.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { submissionOf } from './sample-records.ts'

const BOTH = { program: '/bin/true', url: 'https://example.org/' }

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** The runner isn't started, so everything stays in the queue. */
const open = (options?: HookedOptions) => openHooked(folder, BOTH, options)

const queued = ({ history }: Hooked) =>
  (['program', 'url'] as const).map((action) => history.hooks.next({ action, receiver: '' })?.job)

const part = (n: number, parts: number): Pick<Submission, 'title'> => {
  const id = asRecordId('first')
  const place: PartTitle['place'] = { id, part: n, parts, photos: 2, videos: 0, presets: 1, folders: parts }
  return { title: { ...submissionOf(n === 0 ? 'first' : `part-${n}`, [`/photos/${n}.jpg`]).title, place } }
}

it('both actions wait for a job that is done, has problems or has failed, and not for one that was canceled or forgotten', () => {
  const hooked = open()
  for (const kind of ['cancelled', 'forgotten'] as const) hooked.end(kind, { kind, results: 0 })
  expect(queued(hooked)).toEqual([undefined, undefined])
  const done = hooked.end('done')
  expect(queued(hooked)).toEqual([done, done])
  hooked.history.forget(done)
  const problems = hooked.end('problems', { kind: 'problems', results: 1, problems: 1, uploaded: null })
  expect(queued(hooked)).toEqual([problems, problems])
  hooked.history.forget(problems)
  const failed = hooked.end('failed', { kind: 'failed', reason: 'no memory' })
  expect(queued(hooked)).toEqual([failed, failed])
})

it('they are on disk together with the outcome, and survive a restart', async () => {
  const before = open()
  const id = before.end('done')
  const key = before.history.hooks.next({ action: 'url', receiver: '' })?.id
  await before.close()
  const after = open()
  expect(after.history.details(id)?.outcome).toEqual(DONE)
  expect(after.history.hooks.next({ action: 'url', receiver: '' })).toMatchObject({
    id: key,
    job: id,
    tries: 0,
    nextAt: 0,
  })
})

it('an outcome that is recorded twice is followed once, and a job of another client not at all', () => {
  const hooked = open()
  const id = hooked.end('done')
  const key = hooked.history.hooks.next({ action: 'url', receiver: '' })?.id ?? ''
  hooked.history.hooks.drop(key)
  hooked.history.recordOutcome(id, DONE, STARTED)
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })).toBeUndefined()
  hooked.history.recordForeign({
    title: { ...submissionOf('foreign', ['/x.jpg']).title, origin: 'other' },
    jobId: 'j',
    baseUrl: 'http://127.0.0.1:1/',
    connection: 'external',
  })
  hooked.history.recordOutcome(asRecordId('foreign'), DONE, STARTED)
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })).toBeUndefined()
})

it('a job of several parts is followed once, when its last part has ended and none is in the outbox', () => {
  const awaited = new Set(['first'])
  const hooked = open({ awaited })
  hooked.end('first', DONE, part(0, 3))
  expect(queued(hooked)).toEqual([undefined, undefined])
  hooked.history.recordSubmission({ ...submissionOf('part-1', ['/photos/1.jpg']), ...part(1, 3) })
  hooked.history.recordSubmission({ ...submissionOf('part-2', ['/photos/2.jpg']), ...part(2, 3) })
  hooked.history.recordOutcome(asRecordId('part-2'), { kind: 'failed', reason: '' }, STARTED)
  awaited.clear()
  expect(queued(hooked)).toEqual([undefined, undefined])
  hooked.history.recordOutcome(asRecordId('part-1'), DONE, STARTED)
  expect(queued(hooked)).toEqual(['first', 'first'])
})

it('a job that replaces its originals is followed after they were replaced', () => {
  const hooked = open()
  const output = { kind: 'folder', path: '/vault/1' } as const
  const id = hooked.end('r', DONE, { title: { ...submissionOf('r', ['/photos/a.jpg']).title, output } })
  hooked.history.recordReplaced(id, { results: [], inVault: [], counts: null })
  expect(queued(hooked)).toEqual([undefined, undefined])
  hooked.history.recordReplaced(id, {
    results: [],
    inVault: [],
    counts: { replaced: 1, kept: 0, restored: 0 },
  })
  expect(queued(hooked)).toEqual([id, id])
  const key = hooked.history.hooks.next({ action: 'url', receiver: '' })?.id ?? ''
  hooked.history.hooks.drop(key)
  hooked.history.recordReplaced(id, {
    results: [],
    inVault: [],
    counts: { replaced: 0, kept: 0, restored: 1 },
  })
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })).toBeUndefined()
})

it('a watched folder may choose other actions than all other jobs', () => {
  const hooked = open({ perFolder: { quiet: { program: null, url: null }, web: { ...BOTH, program: null } } })
  hooked.end('a', DONE, { watched: 'quiet' })
  expect(queued(hooked)).toEqual([undefined, undefined])
  const b = hooked.end('b', DONE, { watched: 'web' })
  expect(queued(hooked)).toEqual([undefined, b])
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })?.watched).toBe('web')
  expect(hooked.history.details(b)?.watched).toBe('web')
})

it('a job that returns to the outbox is followed when it has really ended', () => {
  const hooked = open()
  const id = hooked.end('a')
  const first = hooked.history.hooks.next({ action: 'url', receiver: '' })?.id
  hooked.history.recordReturned(submissionOf('a', ['/photos/a.jpg']), 1)
  expect(queued(hooked)).toEqual([undefined, undefined])
  hooked.history.recordOutcome(id, DONE, STARTED)
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })?.id).not.toBe(first)
})
