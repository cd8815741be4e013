import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { reconcile } from '../../../src/main/outbox/reconcile.ts'
import { Job } from '../../../src/shared/api/resources.ts'
import { planOfFiles as plan } from './drafts.ts'

const job = (jobId: string, more: Partial<Job> = {}): Job =>
  Job.parse({
    jobId,
    status: 'queued',
    type: 'single',
    preset: 'Web 2048',
    progress: {},
    createdAt: '2026-11-20T10:00:00Z',
    startedAt: null,
    completedAt: null,
    ...more,
  })

const none = new Set<string>()
const fresh = { known: [], uploaded: null }
const full = (prefix: string, more: Partial<Job> = {}) =>
  Array.from({ length: 50 }, (_, n) => job(`${prefix}${n}`, { preset: 'Other', ...more }))

const knownOf = (jobs: readonly Job[]) => jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt }))

const drive = (inputFolderId: string) => ({
  type: 'batch',
  drive: { inputFolderId, outputFolderId: 'out-1' },
})

const made = (mine: PlannedSubmission) => {
  const [first] = mine.items
  return [
    job('made'),
    job('made', { fileName: first?.name ?? '' }),
    job('made', { totalFiles: mine.items.length, type: mine.items.length > 1 ? 'batch' : 'single' }),
    job('made', { type: 'batch', totalFiles: 1, fileName: '3 files' }),
    job('made', {
      results: [{ file: first?.path ?? '', outputPath: '/out/x.jpg' }],
      createdAt: 'gestern',
    }),
  ]
}

describe('a lost answer', () => {
  const mine = plan(['/in/a.jpg'])

  it('is the one new job that fits', () => {
    const listed = [job('new', { fileName: 'a.jpg' }), job('old', { fileName: 'a.jpg' })]
    const attempt = { known: [{ jobId: 'old', createdAt: listed[1]?.createdAt ?? '' }], uploaded: null }
    expect(reconcile(mine, attempt, listed, none)).toEqual({ kind: 'found', jobId: 'new' })
  })

  it('is no job when nothing new is listed and the list is whole', () => {
    expect(reconcile(mine, fresh, [], none)).toEqual({ kind: 'absent' })
    expect(reconcile(mine, fresh, [job('x', { preset: 'Other' })], none)).toEqual({ kind: 'absent' })
    expect(reconcile(mine, fresh, [job('x', { fileName: 'b.jpg' })], none)).toEqual({ kind: 'absent' })
    expect(reconcile(mine, fresh, [job('x')], new Set(['x']))).toEqual({ kind: 'absent' })
  })

  it('is nobody’s guess when two fit', () => {
    expect(reconcile(mine, fresh, [job('x'), job('y')], none)).toMatchObject({
      kind: 'unclear',
      candidates: [{ jobId: 'x' }, { jobId: 'y' }],
    })
  })

  it('can’t be judged by a full list that does not reach back', () => {
    expect(reconcile(mine, fresh, full('n'), none)).toEqual({ kind: 'unclear', candidates: [] })
    const attempt = { known: [{ jobId: 'n49', createdAt: '2026-11-20T10:00:00Z' }], uploaded: null }
    expect(reconcile(mine, attempt, full('n'), none)).toEqual({ kind: 'absent' })
  })

  it('knows a used id again by its time', () => {
    const attempt = { known: [{ jobId: 'job-1', createdAt: 'yesterday' }], uploaded: null }
    expect(reconcile(mine, attempt, [job('job-1', { createdAt: 'today' })], none)).toEqual({
      kind: 'found',
      jobId: 'job-1',
    })
  })

  it('does not take an old job for new that shows up again in a list that was full', () => {
    const known = full('k', { createdAt: '2026-11-20T10:00:00Z' }).map(({ jobId, createdAt }) => ({
      jobId,
      createdAt,
    }))
    const returned = job('older', { createdAt: '2026-11-20T09:00:00Z' })
    expect(reconcile(mine, { known, uploaded: null }, [returned], none)).toEqual({ kind: 'absent' })
  })

  it('never counts as absent what might be it', () => {
    const several = plan(['/in/a.jpg', '/in/b.jpg', '/in/c.jpg'])
    expect(reconcile(several, fresh, [job('x', { type: 'batch', totalFiles: 2 })], none)).toMatchObject({
      kind: 'unclear',
      candidates: [{ jobId: 'x' }],
    })
    expect(reconcile(several, fresh, [job('x', { type: 'batch', totalFiles: 4 })], none)).toEqual({
      kind: 'absent',
    })
    const uploaded = { known: [], uploaded: ['/up/123.jpg'] }
    expect(reconcile(mine, uploaded, [job('x', { fileName: 'renamed.jpg' })], none).kind).toBe('unclear')
    expect(reconcile(mine, uploaded, [job('x', { fileName: '123.jpg' })], none).kind).toBe('found')
  })

  it.each([
    ['has made', (file: string) => job('x', { results: [{ file, outputPath: '/out/x.webp' }] })],
    ['could not make', (file: string) => job('x', { errors: [{ file, error: 'broken' }] })],
    ['is making', (fileName: string) => job('x', { progress: { fileName } })],
  ])('is told from others by the files that a job %s', (_, jobOf) => {
    expect(reconcile(mine, fresh, [jobOf('/elsewhere/b.jpg')], none)).toEqual({ kind: 'absent' })
    expect(reconcile(mine, fresh, [jobOf('C:\\in\\a.jpg')], none)).toEqual({ kind: 'found', jobId: 'x' })
  })

  it('may be a job that names some of its files, or names of the service’s own', () => {
    const several = plan(['/in/a.jpg', '/in/b.jpg'])
    const errors = ['a.jpg', 'other.jpg'].map((file) => ({ file, error: 'broken' }))
    expect(reconcile(several, fresh, [job('x', { type: 'batch', errors })], none).kind).toBe('unclear')
    const varied = plan(['/in/a.jpg'], { variations: 2 })
    expect(reconcile(varied, fresh, [job('x', { fileName: 'a-1.jpg' })], none).kind).toBe('unclear')
    expect(reconcile(mine, fresh, [job('x', { fileName: '3 files' })], none).kind).toBe('found')
    const umlaut = plan(['/in/Ha\u0308fen.jpg'])
    expect(reconcile(umlaut, fresh, [job('x', { fileName: 'H\u00e4fen.jpg' })], none).kind).toBe('found')
  })

  it('is told from others by the drive’s folders', () => {
    const fromDrive = plan([], { driveInput: 'in-1', output: { kind: 'drive', folderId: 'out-1' } })
    expect(reconcile(fromDrive, fresh, [job('x', drive('in-2')), job('y', drive('in-1'))], none)).toEqual({
      kind: 'found',
      jobId: 'y',
    })
  })
})

describe('whatever is listed', () => {
  const names = ['a.jpg', 'b.jpg', 'c.jpg']
  const anyJob = fc
    .record({
      jobId: fc.stringMatching(/^[a-z0-9]{1,3}$/),
      preset: fc.constantFrom('Web 2048', 'Other'),
      type: fc.constantFrom('single', 'batch'),
      createdAt: fc.constantFrom('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z', 'gestern'),
      fileName: fc.option(fc.constantFrom(...names, '3 files', '/x/a.jpg'), { nil: undefined }),
      totalFiles: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
    })
    .map(({ jobId, fileName, totalFiles, ...more }) =>
      job(jobId, {
        ...more,
        ...(fileName === undefined ? {} : { fileName }),
        ...(totalFiles === undefined ? {} : { totalFiles }),
      }),
    )
  const anyList = fc.uniqueArray(anyJob, { maxLength: 50, selector: ({ jobId }) => jobId })
  const anyPlan = fc.subarray(names, { minLength: 1 }).map((some) => plan(some.map((name) => `/in/${name}`)))
  it('a job that was there before, or is another of ours, is never adopted', () => {
    fc.assert(
      fc.property(anyPlan, anyList, fc.nat(50), fc.nat(50), (mine, listed, before, others) => {
        const known = knownOf(listed.slice(0, before))
        const ours = new Set(listed.slice(before, before + others).map(({ jobId }) => jobId))
        const finding = reconcile(mine, { known, uploaded: null }, listed, ours)
        if (finding.kind !== 'found') return
        expect(ours.has(finding.jobId)).toBe(false)
        expect(known.some(({ jobId }) => jobId === finding.jobId)).toBe(false)
      }),
    )
  })

  it('the job that did come of it is never called absent', () => {
    fc.assert(
      fc.property(anyPlan, anyList, fc.nat(4), fc.nat(49), (mine, before, shape, cut) => {
        const ours = made(mine)[shape]
        if (ours === undefined) return
        const listed = [ours, ...before.filter(({ jobId }) => jobId !== 'made')].slice(0, cut + 1)
        expect(
          reconcile(mine, { known: knownOf(before.slice(0, 49)), uploaded: null }, listed, none).kind,
        ).not.toBe('absent')
      }),
    )
  })
})
