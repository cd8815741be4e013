import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PlannedSubmission } from '../../../src/main/outbox/index.ts'
import { reconcile, type Circumstances } from '../../../src/main/outbox/reconcile.ts'
import type { SendAttempt } from '../../../src/main/outbox/submission-state.ts'
import { ServiceJob } from '../../../src/shared/api/resources.ts'
import { planOfFiles as plan } from './drafts.ts'

const job = (jobId: string, more: Partial<ServiceJob> = {}): ServiceJob =>
  ServiceJob.parse({
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

const SENT = Date.parse('2026-11-20T10:30:00Z')
const none = new Set<string>()
const fresh = { known: [], uploaded: null }

/** Reconciles a few seconds after sending, in a process that has been running since. */
function judge(
  mine: PlannedSubmission,
  attempt: Pick<SendAttempt, 'known' | 'uploaded' | 'names' | 'unsent'>,
  jobs: readonly ServiceJob[],
  ours: ReadonlySet<string> = none,
  circumstances: Partial<Circumstances> & { unreadable?: readonly string[] } = {},
) {
  const { now = SENT + 7_000, witness = 'watched', unreadable = [] } = circumstances
  const list = { jobs: [...jobs], unreadable: unreadable.map((jobId) => ({ jobId, field: 'status' })) }
  const isOwn = ({ jobId }: ServiceJob) => ours.has(jobId)
  const finding = reconcile(mine, { at: SENT, ...attempt }, list, isOwn, { now, witness })
  return finding.kind === 'found' ? { kind: finding.kind, jobId: finding.job.jobId } : finding
}
const full = (prefix: string, more: Partial<ServiceJob> = {}) =>
  Array.from({ length: 50 }, (_, n) => job(`${prefix}${n}`, { preset: 'Other', ...more }))

const absent = { kind: 'absent' }
const knownOf = (jobs: readonly ServiceJob[]) => jobs.map(({ jobId, createdAt }) => ({ jobId, createdAt }))

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

describe('a lost response', () => {
  const mine = plan(['/in/a.jpg'])

  it('belongs to a job that names the inputs as they were sent', () => {
    const renamed = plan(['/in/a.tif', '/in/b.jpg', '/in/unsent.gif'])
    const attempt = {
      ...fresh,
      names: [{ path: '/in/a.tif', as: '/staged/a.tiff' }],
      unsent: [{ file: '/in/unsent.gif', error: 'The disk is full.' }],
    }
    const listed = job('made', { fileName: 'a.tiff', totalFiles: 2, type: 'batch' })
    expect(judge(renamed, attempt, [listed])).toEqual({ kind: 'found', jobId: 'made' })
    expect(judge(renamed, attempt, [job('other', { fileName: 'a.tif.tiff', totalFiles: 2 })])).toEqual(absent)
  })

  it('belongs to the only new job that matches', () => {
    const listed = [job('new', { fileName: 'a.jpg' }), job('old', { fileName: 'a.jpg' })]
    const attempt = { known: [{ jobId: 'old', createdAt: listed[1]?.createdAt ?? '' }], uploaded: null }
    expect(judge(mine, attempt, listed)).toEqual({ kind: 'found', jobId: 'new' })
  })

  it('has no job if no new matching job is listed and the list is complete', () => {
    expect(judge(mine, fresh, [])).toEqual(absent)
    expect(judge(mine, fresh, [job('x', { preset: 'Other' })])).toEqual(absent)
    expect(judge(mine, fresh, [job('x', { fileName: 'b.jpg' })])).toEqual(absent)
    expect(judge(mine, fresh, [job('x')], new Set(['x']))).toEqual(absent)
  })

  it('is left undecided if two jobs match', () => {
    expect(judge(mine, fresh, [job('x'), job('y')])).toMatchObject({
      kind: 'unclear',
      candidates: [{ jobId: 'x' }, { jobId: 'y' }],
    })
  })

  it('can’t be resolved from a truncated list that doesn’t go back far enough', () => {
    expect(judge(mine, fresh, full('n'))).toEqual({ kind: 'unclear', candidates: [] })
    const attempt = { known: [{ jobId: 'n49', createdAt: '2026-11-20T10:00:00Z' }], uploaded: null }
    expect(judge(mine, attempt, full('n'))).toEqual(absent)
  })

  it('belongs to a new job that has reused an old job’s id, as its creation time shows', () => {
    const attempt = { known: [{ jobId: 'job-1', createdAt: 'yesterday' }], uploaded: null }
    expect(judge(mine, attempt, [job('job-1', { createdAt: 'today' })])).toEqual({
      kind: 'found',
      jobId: 'job-1',
    })
  })

  it('is not matched to an old job that reappears in a list that was full', () => {
    const known = full('k', { createdAt: '2026-11-20T10:00:00Z' }).map(({ jobId, createdAt }) => ({
      jobId,
      createdAt,
    }))
    const returned = job('older', { createdAt: '2026-11-20T09:00:00Z' })
    const listed = [...full('k', { createdAt: '2026-11-20T10:00:00Z' }).slice(0, 49), returned]
    expect(judge(mine, { known, uploaded: null }, listed)).toEqual(absent)
  })

  it('is never considered missing if a listed job could match', () => {
    const several = plan(['/in/a.jpg', '/in/b.jpg', '/in/c.jpg'])
    expect(judge(several, fresh, [job('x', { type: 'batch', totalFiles: 2 })])).toMatchObject({
      kind: 'unclear',
      candidates: [{ jobId: 'x' }],
    })
    expect(judge(several, fresh, [job('x', { type: 'batch', totalFiles: 4 })])).toEqual(absent)
    const uploaded = { known: [], uploaded: ['/up/123.jpg'] }
    expect(judge(mine, uploaded, [job('x', { fileName: 'renamed.jpg' })]).kind).toBe('unclear')
    expect(judge(mine, uploaded, [job('x', { fileName: '123.jpg' })]).kind).toBe('found')
  })

  it.each([
    ['has made', (file: string) => job('x', { results: [{ file, outputPath: '/out/x.webp' }] })],
    ['could not process', (file: string) => job('x', { errors: [{ file, error: 'broken' }] })],
    ['is making', (fileName: string) => job('x', { progress: { fileName } })],
  ])('is distinguished by the files that a job %s', (_, jobOf) => {
    expect(judge(mine, fresh, [jobOf('/elsewhere/b.jpg')])).toEqual(absent)
    expect(judge(mine, fresh, [jobOf('C:\\in\\a.jpg')])).toEqual({ kind: 'found', jobId: 'x' })
  })

  it('may belong to a job that names some of its files, or uses the service’s own names', () => {
    const several = plan(['/in/a.jpg', '/in/b.jpg'])
    const errors = ['a.jpg', 'other.jpg'].map((file) => ({ file, error: 'broken' }))
    expect(judge(several, fresh, [job('x', { type: 'batch', errors })]).kind).toBe('unclear')
    const varied = plan(['/in/a.jpg'], { variations: 2 })
    expect(judge(varied, fresh, [job('x', { fileName: 'a-1.jpg' })]).kind).toBe('unclear')
    expect(judge(mine, fresh, [job('x', { fileName: '3 files' })]).kind).toBe('found')
    const umlaut = plan(['/in/Ha\u0308fen.jpg'])
    expect(judge(umlaut, fresh, [job('x', { fileName: 'H\u00e4fen.jpg' })]).kind).toBe('found')
  })

  it.each([
    ['of one file, as a batch', ['/in/a.jpg'], 1, { type: 'batch' }, 'unclear'],
    ['of one file in several variations, as a batch', ['/in/a.jpg'], 3, { type: 'batch' }, 'found'],
    ['of two files, as a batch', ['/in/a.jpg', '/in/b.jpg'], 1, { type: 'batch' }, 'found'],
    ['of two files, as a single job', ['/in/a.jpg', '/in/b.jpg'], 1, { type: 'single' }, 'unclear'],
    [
      'with fewer files than were sent',
      ['/in/a.jpg', '/in/b.jpg'],
      1,
      { type: 'batch', totalFiles: 1 },
      'unclear',
    ],
    ['with fewer files than variations', ['/in/a.jpg'], 3, { type: 'batch', totalFiles: 2 }, 'unclear'],
    ['with more files than possible', ['/in/a.jpg'], 3, { type: 'batch', totalFiles: 4 }, 'absent'],
  ] as const)('belongs, or may belong, to a job %s', (_, paths, variations, said, kind) => {
    const mine = plan([...paths], { variations })
    const known = [job('old')]
    const found = judge(mine, { known: knownOf(known), uploaded: null }, [...known, job('made', said)])
    expect(found.kind).toBe(kind)
  })

  it('is matched by its Drive folders', () => {
    const fromDrive = plan([], { driveInput: 'in-1', output: { kind: 'drive', folderId: 'out-1' } })
    expect(judge(fromDrive, fresh, [job('x', drive('in-2')), job('y', drive('in-1'))])).toEqual({
      kind: 'found',
      jobId: 'y',
    })
  })
})

describe('a list that may have been truncated', () => {
  const mine = plan(['/in/a.jpg'])
  const other = job('other', { preset: 'Other' })
  const attempt = { known: knownOf([other]), uploaded: null }
  const unclear = { kind: 'unclear', candidates: [] }
  const MINUTE = 60_000

  it.each<readonly [string, readonly ServiceJob[], Partial<Circumstances>]>([
    ['because it was cleared, or the service restarted', [], {}],
    [
      'because all ids differ, as after a restart',
      [job('other', { createdAt: 'today', preset: 'Other' })],
      {},
    ],
    ['because enough time has passed for a cleanup', [other], { now: SENT + 55 * MINUTE }],
    ['because the clock was set back', [other], { now: SENT - MINUTE }],
  ])('proves nothing: %s', (_, listed, circumstances) => {
    expect(judge(mine, attempt, listed, none, circumstances)).toEqual(unclear)
  })

  it('proves nothing without other jobs to compare if the app was closed, or too much time has passed', () => {
    expect(judge(mine, fresh, [], none, { witness: 'blind' })).toEqual(unclear)
    expect(judge(mine, fresh, [], none, { now: SENT + 3 * MINUTE })).toEqual(unclear)
  })

  it('proves absence if earlier jobs are still listed, or were old enough to be cleaned up', () => {
    const old = { jobId: 'old', createdAt: '2026-11-20T09:00:00Z' }
    expect(judge(mine, attempt, [other], none, { witness: 'blind', now: SENT + 40 * MINUTE })).toEqual(absent)
    const known = [...knownOf([other]), old]
    expect(judge(mine, { known, uploaded: null }, [other])).toEqual(absent)
    const young = { jobId: 'young', createdAt: '2026-11-20T10:29:00Z' }
    expect(judge(mine, { known: [...known, young], uploaded: null }, [other])).toEqual(unclear)
  })

  it.each([
    ['hours behind ours', '2026-11-20T05:29:00Z', '2026-11-20T05:28:00Z'],
    ['at the start of its epoch', '1970-01-01T00:01:00Z', '1970-01-01T00:00:10Z'],
    ['hours ahead of ours', '2026-11-20T15:29:00Z', '2026-11-20T15:28:00Z'],
  ])('proves nothing if a young job is missing, with the service’s clock %s', (_, still, gone) => {
    const there = job('there', { preset: 'Other', createdAt: still })
    const known = [...knownOf([there]), { jobId: 'cleared', createdAt: gone }]
    expect(judge(mine, { known, uploaded: null }, [there])).toEqual(unclear)
  })

  it('proves nothing if a job has the id of one of ours that was never read', () => {
    const list = { jobs: [other, job('x', { fileName: 'a.jpg' })] }
    const finding = reconcile(
      mine,
      { at: SENT, ...attempt },
      list,
      ({ jobId }) => jobId === 'x' && 'perhaps',
      {
        now: SENT + 7_000,
        witness: 'watched',
      },
    )
    expect(finding).toMatchObject({ kind: 'unclear', candidates: [{ jobId: 'x' }] })
  })

  it('reveals a new job that is younger than the oldest of a full list, even if the clock was set back', () => {
    const known = knownOf(full('k').map((one, n) => ({ ...one, createdAt: `2026-11-20T10:${10 + n}:00Z` })))
    const ours = job('made', { fileName: 'a.jpg', createdAt: '2026-11-20T10:20:00Z' })
    expect(judge(mine, { known, uploaded: null }, [ours, ...full('k').slice(1)])).toEqual({
      kind: 'found',
      jobId: 'made',
    })
  })

  it('proves nothing if there is a new unreadable job', () => {
    expect(judge(mine, attempt, [other], none, { unreadable: ['new'] })).toEqual(unclear)
    expect(judge(mine, attempt, [other], none, { unreadable: [''] })).toEqual(unclear)
    expect(judge(mine, attempt, [other], none, { unreadable: ['other'] })).toEqual(absent)
  })
})

describe('for any list', () => {
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
  it('a job that was listed before, or belongs to another of our submissions, is never adopted', () => {
    fc.assert(
      fc.property(anyPlan, anyList, fc.nat(50), fc.nat(50), (mine, listed, before, others) => {
        const known = knownOf(listed.slice(0, before))
        const ours = new Set(listed.slice(before, before + others).map(({ jobId }) => jobId))
        const finding = judge(mine, { known, uploaded: null }, listed, ours)
        if (!('jobId' in finding)) return
        expect(ours.has(finding.jobId)).toBe(false)
        expect(known.some(({ jobId }) => jobId === finding.jobId)).toBe(false)
      }),
    )
  })

  it('the actual job is never reported absent', () => {
    fc.assert(
      fc.property(anyPlan, anyList, fc.nat(4), fc.nat(49), (mine, before, shape, cut) => {
        const ours = made(mine)[shape]
        if (ours === undefined) return
        const listed = [ours, ...before.filter(({ jobId }) => jobId !== 'made')].slice(0, cut + 1)
        expect(judge(mine, { known: knownOf(before.slice(0, 49)), uploaded: null }, listed).kind).not.toBe(
          'absent',
        )
      }),
    )
  })
})
