import type { ReplacedCounts } from '../../../src/shared/model/replacement.ts'
import { fileError, reported } from '../../../src/shared/api/reported.ts'
import { failure, reason, type Failure } from '../../../src/shared/failure/failure.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { inLanguage } from '../../../src/shared/i18n/sentences.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { failedWith } from '../../../src/shared/model/outcome.ts'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, type History } from '../../../src/main/history/index.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { acceptance, serviceJob, keptEstimate, submissionOf } from './sample-records.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let folder: string
let history: History
let now = 1_760_000_000_000
const A = asRecordId('a')
const B = asRecordId('b')

const open = () => openHistory({ file: join(folder, 'history.db'), clock: () => now, log: () => undefined })

function reopen(): void {
  history.close()
  history = open()
}

beforeEach(() => {
  now = 1_760_000_000_000
  folder = temporaryFolder()
  history = open()
})
afterEach(() => {
  history.close()
})

/** Records a submission and its acceptance. */
function recordA(change: Partial<Parameters<History['recordAcceptedSubmission']>[1]> = {}): void {
  void history.recordAcceptedSubmission(submissionOf('a', ['/in/one.jpg']), { ...acceptance, ...change })
}

const all = { offset: 0, limit: 100, unfinished: true } as const
const ids = (query = {}, request: { offset: number; limit: number; unfinished?: boolean } = all) =>
  history.page(query, request).records.map(({ id }) => id)

describe('the history', () => {
  it('keeps the service’s notes about a job’s results, and what each of them lost', () => {
    void history.recordAcceptedSubmission(submissionOf('a', ['/in/one.jpg', '/in/two.jpg']), acceptance)
    expect(history.details(A)?.facts.notes).toEqual([])
    const results = ['one', 'two'].map((name) => ({
      file: `${name}.jpg`,
      outputPath: `/out/${name}.jpg`,
      notes: ['original-kept' as const],
      losses: [
        loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' })),
      ],
    }))
    history.recordJob(A, serviceJob({ status: 'completed', results }), null)
    expect(history.details(A)?.facts.notes).toEqual([{ note: 'original-kept', results: 2 }])
    expect(history.details(A)?.results.map(({ losses }) => losses)).toEqual(
      results.map(({ losses }) => losses),
    )
  })

  it('stores an acceptance with its submission, whether or not the submission was already recorded', async () => {
    const [before, never] = [submissionOf('a', ['/in/one.jpg']), submissionOf('b', ['/in/two.jpg'])]
    history.recordSubmission(before)
    for (const submission of [before, never, before])
      await history.recordAcceptedSubmission(submission, acceptance)
    expect(history.page({}, all).total).toBe(2)
    expect(history.unfinished().map(({ title }) => title)).toEqual(
      [before, never].map(({ title }) => ({ ...title, service: acceptance.baseUrl })),
    )
    expect(ids({ text: 'two' })).toEqual([B])
  })

  it('keeps the estimate made before the submission, and the size of the results', () => {
    const submission = submissionOf('a', ['/in/one.jpg'], {}, { forecast: keptEstimate })
    history.recordSubmission(submissionOf('b', ['/in/two.jpg']))
    void history.recordAcceptedSubmission(submission, acceptance)
    // The submission is recorded again, as with every acceptance.
    history.recordSubmission(submission)
    expect(history.unfinished()[0]?.title).toEqual({ ...submission.title, service: acceptance.baseUrl })
    history.recordResults(A, [{ file: 'one.jpg', outputPath: '/out/one.jpg', index: 0 }], [])
    history.recordOutcome(A, { kind: 'done', results: 1, uploaded: null }, now)
    const { version } = history
    history.recordMeasured(A, { sizes: [], resultBytes: 1_420, entries: [] })
    expect(history.version).toBeGreaterThan(version)

    reopen()
    expect(history.details(A)).toMatchObject({ forecast: keptEstimate, resultBytes: 1_420 })
    expect(history.details(B)).toMatchObject({ forecast: null, resultBytes: null })
  })

  itInLongSuite('stores any number of records within a millisecond, in order of arrival', () => {
    const names = Array.from({ length: 2_500 }, (_, n) => `${n}`)
    history.recordSubmissions(names.map((name) => submissionOf(name, [`/in/${name}.jpg`])))
    history.recordSubmission(submissionOf('last', ['/in/last.jpg']))
    const page = history.page({}, { offset: 0, limit: 5_000, unfinished: true })
    expect(page.records.map(({ id }) => id)).toEqual([...names, 'last'].toReversed())
  })

  it('keeps a record from the outbox to the outcome, with all its details', () => {
    void history.recordAcceptedSubmission(
      submissionOf('a', ['/in/one.jpg', '/in/two.jpg', '/in/three.mov']),
      { ...acceptance, skipped: [{ file: '/in/three.mov', error: 'broken header' }] },
    )
    const job = serviceJob({
      status: 'completed',
      results: [{ file: 'one.jpg', outputPath: '/out/one.webp' }],
      errors: [{ file: 'two.jpg', error: 'no memory' }],
    })
    history.recordJob(A, job, 1_760_000_002_000)
    history.recordOutcome(A, { kind: 'problems', results: 1, problems: 2, uploaded: null }, 1_760_000_009_000)

    reopen()
    expect(history.details(A)).toMatchObject({
      id: 'a',
      name: 'one.jpg',
      photos: 2,
      videos: 1,
      files: 3,
      preset: 'Web 2048',
      output: { kind: 'folder', path: '/home/me/Pictures/Web' },
      outcome: { kind: 'problems', results: 1, problems: 2, uploaded: null },
      endedAt: 1_760_000_009_000,
      unseen: true,
      skipped: [{ file: '/in/three.mov', error: 'broken header' }],
      results: [{ file: 'one.jpg', outputPath: '/out/one.webp', index: 0 }],
      problems: [
        { file: '/in/three.mov', error: 'broken header' },
        { file: 'two.jpg', error: 'no memory' },
      ],
      facts: {
        service: 'external',
        baseUrl: 'http://127.0.0.1:3847/api',
        jobId: 'job-1',
        acceptedAt: 1_760_000_001_000,
        startedAt: 1_760_000_002_000,
      },
    })
    expect(history.details(A)?.inputs).toHaveLength(3)
  })

  it('recognizes our job by its id and its creation time to the millisecond, or tentatively before it was read', () => {
    const isOwn = (change: Partial<ServiceJob>) => history.isOwnJob(serviceJob(change))
    const createdAt = '2026-11-20T10:00:00.100Z'
    const submission = submissionOf('a', ['/in/one.jpg'])
    history.recordSubmission(submission)
    const { jobId } = acceptance
    const since = [0, now + 86_400_000]
    expect(since.map((at) => history.hasJob(jobId, at))).toEqual([false, false])
    void history.recordAcceptedSubmission(submission, acceptance)
    expect(since.map((at) => history.hasJob(jobId, at))).toEqual([true, false])
    expect([history.hasJob('another', 0), isOwn({})]).toEqual([false, 'perhaps'])
    void history.recordAcceptedSubmission(submission, { ...acceptance, createdAt })
    const times = [createdAt, '2026-11-20T11:00:00.100+01:00', '2026-11-20T10:00:00Z']
    expect(times.map((at) => isOwn({ createdAt: at }))).toEqual([true, true, true])
    const others = ['2026-11-20T10:00:00.101Z', '2026-11-21T10:00:00.100Z']
    expect(others.map((at) => isOwn({ createdAt: at }))).toEqual([false, false])
    expect(isOwn({ createdAt, jobId: 'another' })).toBe(false)
  })

  it('doesn’t recognize a job that the service forgot before it was read', () => {
    recordA()
    history.recordOutcome(A, { kind: 'forgotten' }, now)
    expect(history.isOwnJob(serviceJob({}))).toBe(false)
  })

  it('writes a reading only if a relevant field has changed', () => {
    recordA()
    history.recordJob(A, serviceJob({ progress: { totalProgress: 1 } }), null)
    const { version } = history
    history.recordJob(A, serviceJob({ progress: { totalProgress: 50 } }), null)
    expect(history.version).toBe(version)
    history.recordJob(A, serviceJob({ results: [{ file: 'one.jpg', outputPath: '/o/one.jpg' }] }), null)
    expect(history.version).toBeGreaterThan(version)
  })

  it('lists the jobs to follow after a restart', () => {
    recordA({ skipped: [{ file: 'x.jpg', error: 'no' }] })
    history.recordSubmission(submissionOf('b', ['/in/two.jpg']))
    expect(history.unfinished()).toEqual([
      {
        title: { ...submissionOf('a', ['/in/one.jpg']).title, service: acceptance.baseUrl },
        jobId: 'job-1',
        baseUrl: acceptance.baseUrl,
        connection: 'external',
        acceptedAt: acceptance.acceptedAt,
        skipped: [{ file: 'x.jpg', error: 'no' }],
        jobCreatedAt: null,
        inputs: ['/in/one.jpg'],
        remote: false,
      },
    ])
    history.recordOutcome(A, { kind: 'forgotten' }, now)
    expect(history.unfinished()).toEqual([])
  })

  it('keeps jobs of other clients, marked as foreign and never as needing attention', () => {
    history.recordForeign({
      title: submissionOf('b', [], { name: 'other.jpg', origin: 'other', output: null }).title,
      jobId: 'job-7',
      baseUrl: acceptance.baseUrl,
      connection: 'external',
    })
    history.recordOutcome(B, { kind: 'failed', reason: 'the disk is full' }, now)
    expect(history.details(B)).toMatchObject({ origin: 'other', unseen: false, facts: { jobId: 'job-7' } })
    expect(history.unseenCount()).toBe(0)
    expect(history.draftFrom(B, 'all')).toBeUndefined()
  })

  it('counts records that need attention until they are opened', () => {
    for (const [id, outcome] of [
      ['a', { kind: 'failed', reason: 'x' }],
      ['b', { kind: 'done', results: 1, uploaded: null }],
      ['c', { kind: 'problems', results: 1, problems: 1, uploaded: null }],
    ] as const) {
      history.recordSubmission(submissionOf(id, ['/in/one.jpg']))
      history.recordOutcome(asRecordId(id), outcome, now)
    }
    expect(history.unseenCount()).toBe(2)
    history.markSeen(A)
    expect(history.unseenCount()).toBe(1)
  })

  it('can remove a record once, and restore it once until the app has exited', () => {
    history.recordSubmission(submissionOf('a', ['/in/one.jpg']))
    expect([history.remove(A), history.remove(A), history.remove(B)]).toEqual([true, false, false])
    expect([history.details(A), ids({ text: 'one' })]).toEqual([undefined, []])
    expect([history.restore(A), history.restore(A), history.restore(B)]).toEqual([true, false, false])
    expect(ids({ text: 'one' })).toEqual(['a'])
    history.remove(A)
    now += 1
    reopen()
    expect(history.restore(A)).toBe(false)
  })

  it('takes a job’s file count from the service if the draft didn’t contain it', () => {
    history.recordSubmission(submissionOf('a', [], { files: null, driveInput: 'folder-1' }))
    history.recordSubmission(submissionOf('b', ['/in/one.jpg']))
    history.recordJob(A, serviceJob({ totalFiles: 12 }), null)
    history.recordJob(B, serviceJob({ totalFiles: 12 }), null)
    expect(history.details(A)?.files).toBe(12)
    expect(history.details(B)?.files).toBe(1)
  })

  it('keeps records based on the local time, regardless of the service’s end times', () => {
    history.recordSubmission(submissionOf('a', ['/in/a.jpg'], { createdAt: now - 60_000 }))
    history.recordOutcome(A, { kind: 'forgotten' }, 5_000)
    history.recordSubmission(submissionOf('b', ['/in/b.jpg'], { createdAt: now - 60_000 }))
    history.recordOutcome(B, { kind: 'forgotten' }, now)
    expect(history.applyRetention(30)).toBe(0)
    expect(new Set(ids())).toEqual(new Set(['a', 'b']))
  })

  it('deletes only ended records, either after the time in the settings or all of them on request', () => {
    const createdAt = now - 20 * 86_400_000
    for (const id of ['a', 'b', 'c', 'd']) {
      history.recordSubmission(submissionOf(id, [`/in/${id}.jpg`], { createdAt }))
    }
    history.recordOutcome(A, { kind: 'forgotten' }, now - 10 * 86_400_000)
    history.recordOutcome(B, { kind: 'forgotten' }, now - 2 * 86_400_000)
    history.recordOutcome(asRecordId('d'), { kind: 'forgotten' }, now - 8 * 86_400_000)
    expect(history.applyRetention(null)).toBe(0)
    expect(history.applyRetention(7)).toBe(1)
    expect(new Set(ids())).toEqual(new Set(['b', 'c', 'd']))
    history.clear()
    expect(ids()).toEqual(['c'])
    expect(ids({ text: 'jpg' })).toEqual(['c'])
  })
})

describe('pages', () => {
  it('list the newest records first, regardless of the order of arrival, and exclude unfinished ones by default', () => {
    for (const [id, at] of [
      ['a', 3],
      ['b', 1],
      ['c', 2],
      ['d', 2],
    ] as const) {
      history.recordSubmission(submissionOf(id, [`/in/${id}.jpg`], { createdAt: now + at }))
      if (id !== 'd') history.recordOutcome(asRecordId(id), { kind: 'forgotten' }, now)
    }
    expect(ids({}, { offset: 0, limit: 100 })).toEqual(['a', 'c', 'b'])
    expect(ids({})).toEqual(['a', 'd', 'c', 'b'])
    for (const offset of [0, 3, 4, 9])
      expect(history.page({}, { offset, limit: 2, unfinished: true }).total).toBe(4)
    const second = history.page({}, { offset: 1, limit: 1 })
    expect(second).toMatchObject({ total: 3, hasMore: false, records: [{ id: 'c' }] })
    const rest = history.page({}, { before: second.last ?? 0, limit: 1 })
    expect(rest).toMatchObject({ total: 1, records: [{ id: 'b' }] })
    expect(history.page({}, { before: rest.last ?? 0, limit: 1 })).toEqual({
      records: [],
      total: 0,
      hasMore: false,
      last: null,
    })
    expect(history.extent()).toEqual({ total: 3, since: now + 1 })
    expect([history.countAll({}), history.countAll({ outcomes: ['forgotten'] })]).toEqual([4, 3])
    expect(ids({ from: now + 2, to: now + 3 })).toEqual(['d', 'c'])
    expect(ids({ text: 'jpg', to: now + 3 })).toEqual(['d', 'c', 'b'])
  })

  it('keep the order of creation within a millisecond', () => {
    history.recordSubmission(submissionOf('later', ['/in/l.jpg'], { createdAt: now + 1 }))
    for (const id of ['a', 'b', 'c']) history.recordSubmission(submissionOf(id, ['/in/x.jpg']))
    history.recordSubmission(submissionOf('earlier', ['/in/e.jpg'], { createdAt: now - 1 }))
    expect(ids()).toEqual(['later', 'c', 'b', 'a', 'earlier'])
    expect(ids({ from: now, to: now + 1 })).toEqual(['c', 'b', 'a'])
  })

  it('are filtered by outcome, preset and kind', () => {
    history.recordSubmission(submissionOf('a', ['/in/one.jpg'], { preset: 'Größe "1"' }))
    history.recordOutcome(A, { kind: 'failed', reason: '' }, now)
    history.recordSubmission(submissionOf('b', ['/in/two.mov']))
    history.recordOutcome(B, { kind: 'done', results: 1, uploaded: null }, now)
    expect(ids({ outcomes: ['failed', 'problems'] })).toEqual(['a'])
    expect(ids({ outcomes: ['done'], kind: 'videos' })).toEqual(['b'])
    expect(ids({ outcomes: [] })).toEqual([])
    expect(ids({ preset: 'Größe "1"' })).toEqual(['a'])
    expect(ids({ preset: 'Größe' })).toEqual([])
    expect(ids({ kind: 'photos', text: 'one' })).toEqual(['a'])
    expect(ids({ kind: 'photos', text: 'two' })).toEqual([])
    const replaced = (counts: ReplacedCounts) =>
      history.recordReplaced(B, { results: [], inVault: [], counts })
    replaced({ replaced: 0, kept: 1, restored: 0 })
    expect(ids({ replaced: true })).toEqual([])
    replaced({ replaced: 1, kept: 0, restored: 0 })
    expect(ids({ replaced: true })).toEqual(['b'])
    replaced({ replaced: 0, kept: 0, restored: 1 })
    expect(ids({ replaced: true, kind: 'videos' })).toEqual(['b'])
  })
})

const foundIn = (locale: string, text: string) => ids(inLanguage({ text }, createTranslation(locale)))

describe('search', () => {
  beforeEach(() => {
    history.recordSubmission(
      submissionOf('a', ['/home/me/Urlaub 2025/IMG_0093.jpg', '/home/me/Urlaub 2025/Hafenfoto Größe.HEIC']),
    )
    history.recordSubmission(submissionOf('b', ['/srv/東京の写真/夜景.png'], { preset: 'Café crème' }))
    history.recordJob(A, serviceJob({ errors: [{ file: 'IMG_0093.jpg', error: 'Out of memory' }] }), null)
  })

  it.each([
    ['IMG_0093', ['a']],
    ['img0093', ['a']],
    ['0093', ['a']],
    ['93', ['a']],
    ['hafen foto', ['a']],
    ['foto', ['a']],
    ['afenfoto', ['a']],
    ['grosse', ['a']],
    ['GRÖSSE', ['a']],
    ['urlaub memory', ['a']],
    ['urlaub tokyo', []],
    ['写真', ['b']],
    ['夜', ['b']],
    ['真写', []],
    ['cafe CREME', ['b']],
    ['cr', ['b']],
    ['me', ['b', 'a']],
    ['"', ['b', 'a']],
    ['* OR NOT (', []],
    ['words:', []],
    ['kphotos', []],
    ['xopen', []],
    ['xyz', []],
  ])('finds %s', (text, expected) => {
    expect(ids({ text })).toEqual(expected)
  })

  it('finds the results of a running job at once after its end, although it indexes them only then', () => {
    recordA()
    const made = ['lighthouse', 'harbor'].map((name) => ({ file: 'one.jpg', outputPath: `/o/${name}.jpg` }))
    history.recordJob(A, serviceJob({ results: made.slice(0, 1) }), null)
    history.recordJob(A, serviceJob({ results: made }), null)
    expect(history.details(A)?.results).toHaveLength(2)
    expect([ids({ text: 'lighthouse' }), ids({ text: 'harbor' })]).toEqual([[A], []])
    history.recordOutcome(A, { kind: 'done', results: 2, uploaded: null }, now)
    expect([ids({ text: 'lighthouse' }), ids({ text: 'harbor' })]).toEqual([[A], [A]])
  })

  it('finds a failed file by its failure in every language', () => {
    history.recordSubmission(submissionOf('f', ['/in/cut.jpg']))
    const damaged = failure('fileDamaged', { reason: reason('rowsBreakOff') })
    const { error } = reported(damaged)
    history.recordJob(asRecordId('f'), serviceJob({ type: 'single', error, failure: damaged }), null)
    expect(ids({ text: 'beschädigt' })).toEqual(['f'])
    expect(ids({ text: 'damaged' })).toEqual(['f'])
  })

  it('finds the jobs of a task by its name in the user’s language, with words in any order', () => {
    const presets = { m: 'Make smaller', u: 'Under a size: 5 MB', c: 'Make smaller: lower quality' }
    for (const [id, preset] of Object.entries(presets))
      history.recordSubmission(submissionOf(id, [`/in/${id}.jpg`], { preset }))
    expect(foundIn('fr', 'alléger')).toEqual(['c', 'm'])
    expect(foundIn('de', 'Verkleinern')).toEqual(['c', 'm'])
    expect(foundIn('fr', 'quality léger')).toEqual(['c'])
    expect(foundIn('fr', 'moins de 5 Mo')).toEqual(['u'])
    expect(foundIn('fr', '2')).toEqual(['a'])
    expect(foundIn('ja', '小さく')).toEqual(['c', 'm'])
    expect(foundIn('fr', 'smaller')).toEqual(['c', 'm'])
    expect(foundIn('en', 'alléger')).toEqual([])
  })

  it('finds all jobs of a task with the filter, whatever their size or change', () => {
    for (const preset of [
      'Under a size',
      'Under a size: 5 MB',
      'Under a size: 2 MB: no audio',
      'Under a tree',
    ])
      history.recordSubmission(submissionOf(preset, ['/in/a.jpg'], { preset }))
    expect(ids({ preset: 'Under a size' })).toEqual([
      'Under a size: 2 MB: no audio',
      'Under a size: 5 MB',
      'Under a size',
    ])
    expect(ids({ preset: 'Under a size: 5 MB' })).toEqual(['Under a size: 5 MB'])
  })

  it('finds a folder by its drive letter on Windows', () => {
    history.recordSubmission(submissionOf('w', ['Q:/Fotos/a.jpg']))
    expect(ids({ text: 'q' })).toEqual(['w'])
  })
})

it.each([
  ['Smørrebrød', 'smorrebrod'],
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Đakovo', 'dakovo'],
  ['Þingvellir', 'thingvellir'],
  ['Seyðisfjörður', 'seydisfjordur'],
  ['Æbleskiver', 'aebleskiver'],
  ['Œuvre', 'oeuvre'],
  ['Kadıköy', 'kadikoy'],
])('%s is found by %s, and the other way round', (name, typed) => {
  history.recordSubmission(submissionOf('a', [`/in/${name}.jpg`]))
  history.recordSubmission(submissionOf('b', [`/in/${typed}.jpg`]))
  expect(ids({ text: typed })).toEqual(['b', 'a'])
  expect(ids({ text: name.toUpperCase() })).toEqual(['b', 'a'])
})

const failed = () => {
  const source = history.draftFrom(A, 'failed')?.source
  return source?.kind === 'files' ? source.items.map(({ path }) => path) : undefined
}

const presetOf = (id: typeof A) => history.draftFrom(id, 'all')?.presets[0]
function accept(id: string): void {
  void history.recordAcceptedSubmission(submissionOf(id, ['/in/two.jpg'], { createdAt: ++now }), {
    ...acceptance,
    connection: 'builtIn',
  })
}

describe('a new draft from a record', () => {
  const paths = ['/in/a/one.jpg', '/in/b/one.jpg', '/in/two.jpg']
  beforeEach(() => {
    void history.recordAcceptedSubmission(submissionOf('a', paths, { variations: 3 }), acceptance)
  })

  it('copies all settings of the original job', () => {
    expect(history.draftFrom(A, 'all')).toMatchObject({
      source: { kind: 'files', items: paths.map((path) => ({ path })) },
      presets: ['Web 2048'],
      variations: 3,
      grouping: 'together',
      editing: null,
    })
  })

  describe('after its preset was renamed', () => {
    it('uses the newest name, while the record keeps the old one', () => {
      accept('b')
      history.renamePreset({ from: 'Web 2048', to: 'Web', unaddressed: true })
      history.renamePreset({ from: 'Other', to: 'Web 2048', unaddressed: true })
      history.renamePreset({ from: 'Web', to: 'For the web', unaddressed: true })
      reopen()
      expect(presetOf(B)).toBe('For the web')
      expect(history.details(B)?.preset).toBe('Web 2048')
    })

    it('keeps the recorded name if its preset belongs to another service or was created after the renaming', () => {
      accept('b')
      history.renamePreset({ from: 'Web 2048', to: 'Web', unaddressed: false })
      accept('c')
      expect([A, B, asRecordId('c')].map(presetOf)).toEqual(['Web 2048', 'Web', 'Web 2048'])
    })

    it('uses the new name if no service has accepted the submission and the renaming includes such submissions', () => {
      for (const id of ['b', 'c'])
        history.recordSubmission(submissionOf(id, ['/in/two.jpg'], { createdAt: ++now }))
      history.renamePreset({ from: 'Web 2048', to: 'Theirs', unaddressed: false })
      expect(presetOf(B)).toBe('Web 2048')
      history.renamePreset({ from: 'Web 2048', to: 'Web', unaddressed: true })
      expect(presetOf(B)).toBe('Web')
    })
  })

  it.each([
    ['a complete path', [{ file: '/in/b/one.jpg', error: 'x' }], ['/in/b/one.jpg']],
    ['a name shared by two files', [{ file: 'one.jpg', error: 'x' }], ['/in/a/one.jpg', '/in/b/one.jpg']],
    ['the path of an upload', [{ file: '/tmp/up/two.jpg', error: 'x' }], ['/in/two.jpg']],
    ['an unknown name', [{ file: 'zzz.jpg', error: 'x' }], undefined],
  ])('has the files that failed by %s', (_, errors, expected) => {
    history.recordJob(A, serviceJob({ status: 'completed', errors }), null)
    history.recordOutcome(A, { kind: 'problems', results: 1, problems: 1, uploaded: null }, now)
    expect(failed()).toEqual(expected)
  })

  it('has the input whose output could not be uploaded', () => {
    history.recordJob(
      A,
      serviceJob({
        status: 'completed',
        results: [{ file: 'two.jpg', outputPath: '/tmp/out/two-web.webp' }],
        drive: { uploadResult: { uploaded: 2, errors: [{ name: 'two-web.webp', error: 'quota' }] } },
      }),
      null,
    )
    expect(failed()).toEqual(['/in/two.jpg'])
  })

  it('has all files of a job that failed as a whole', () => {
    history.recordOutcome(A, { kind: 'failed', reason: 'crashed' }, now)
    expect(failed()).toEqual(paths)
  })

  it.each([
    ['results with names', resultsOf('two.jpg'), [], ['/in/a/one.jpg', '/in/b/one.jpg']],
    ['results with paths', resultsOf('/in/a/one.jpg'), [], ['/in/b/one.jpg', '/in/two.jpg']],
    ['two of three variations', resultsOf('two.jpg').slice(1), [], paths],
    ['results of one of two files with the same name', resultsOf('one.jpg'), [], paths],
    ['results of both files with the same name', resultsOf('one.jpg', 'one.jpg'), [], ['/in/two.jpg']],
    ['a failed file too', resultsOf('two.jpg'), ['/in/a/one.jpg'], ['/in/a/one.jpg', '/in/b/one.jpg']],
  ])('has the files of a canceled job that may lack results: %s', (_, results, problems, expected) => {
    const errors = problems.map((file) => ({ file, error: 'x' }))
    history.recordJob(A, serviceJob({ results, errors }), null)
    history.recordOutcome(A, { kind: 'cancelled', results: results.length }, now)
    expect(failed()).toEqual(expected)
  })
})

/** Three variations of each file. */
const resultsOf = (...files: readonly string[]) =>
  files.flatMap((file) => [1, 2, 3].map((n) => ({ file, outputPath: `/o/${n}/${basename(file)}` })))

const text = (pieces: AsyncIterable<string>) => readText(Readable.from(pieces))

describe('another service’s jobs with one preset', () => {
  type How = { readonly results?: number; readonly bytes?: number | null; readonly service?: 'builtIn' }
  let made = 0

  function finish(
    paths: readonly string[],
    title = {},
    { results = paths.length, bytes = 500, service }: How = {},
  ) {
    made += 1
    const id = asRecordId(`job-${made}`)
    void history.recordAcceptedSubmission(submissionOf(id, paths, { createdAt: now + made, ...title }), {
      ...acceptance,
      jobId: id,
      connection: service ?? 'external',
    })
    history.recordJob(id, serviceJob({ status: 'completed', jobId: id }), now + 1_000)
    history.recordResults(id, [{ file: '', outputPath: '/out/a', index: 0 }], [])
    history.recordOutcome(id, { kind: 'done', results, uploaded: null }, now + 4_000)
    history.recordMeasured(id, { sizes: [], resultBytes: bytes, entries: [] })
  }
  const of = { preset: 'Web 2048', baseUrl: acceptance.baseUrl }

  it('are returned with their inputs, results and duration', () => {
    finish(['/in/a.mov'])
    finish(['/in/a.jpg', '/in/b.jpg'], { variations: 2 }, { results: 4 })
    expect(history.pastJobs(of)).toEqual([
      { kind: 'image', files: 2, variations: 2, inputBytes: 2_000, resultBytes: 500, milliseconds: 3_000 },
      { kind: 'video', files: 1, variations: 1, inputBytes: 1_000, resultBytes: 500, milliseconds: 3_000 },
    ])
  })

  it('are returned only if they are comparable', () => {
    finish(['/in/a.jpg'], { preset: 'Another' })
    finish(['/in/a.jpg'], { preset: null })
    finish(['/in/a.jpg', '/in/b.mov'])
    finish(['/in/a.jpg', '/in/b.jpg'], {}, { results: 1 })
    finish(['/in/a.jpg'], {}, { bytes: null })
    finish(['/in/a.jpg'], {}, { service: 'builtIn' })
    expect(history.pastJobs(of)).toEqual([])
    expect(history.pastJobs({ ...of, preset: null })).toHaveLength(1)
    expect(history.pastJobs({ ...of, baseUrl: 'http://127.0.0.1:1/api' })).toEqual([])
  })
})

it('stores known error codes next to their messages, and drops unknown ones', () => {
  const gone = failure('fileUnreadable', { reason: reason('missing') })
  void history.recordAcceptedSubmission(submissionOf('a', ['/in/one.jpg']), {
    ...acceptance,
    skipped: [fileError('b.jpg', failure('fileEmpty'))],
  })
  history.recordJob(A, serviceJob({ status: 'failed', type: 'single', ...reported(gone) }), null)
  history.recordOutcome(A, failedWith(reported(gone)), now)
  reopen()
  expect(history.details(A)).toMatchObject({
    outcome: { kind: 'failed', reason: inEnglish(gone), failure: gone },
    problems: [{ file: 'b.jpg', error: 'The file is empty.', failure: failure('fileEmpty') }],
    facts: { serviceText: inEnglish(gone), serviceFailure: gone },
  })
  const found = (words: string) => history.page({ text: words }, { offset: 0, limit: 1 }).total
  expect([found('leer'), found('empty')]).toEqual([1, 1])
  const odd = { code: 'ofAnotherVersion', values: {} } as unknown as Failure
  history.recordOutcome(A, { kind: 'failed', reason: 'its text', failure: odd }, now)
  expect(history.details(A)?.outcome).toEqual({ kind: 'failed', reason: 'its text' })
})

describe('export', () => {
  it('writes every record as JSON and as a line of CSV', async () => {
    for (let n = 0; n < 450; n += 1) {
      history.recordSubmission(submissionOf(`r${n}`, [`/in/${n}.jpg`], { createdAt: now + n }))
    }
    const { records } = JSON.parse(await text(history.exportJson()))
    expect(records).toHaveLength(450)
    expect(records[0]).toEqual(history.details(asRecordId('r449')))
    const lines = (await text(history.exportCsv())).split('\r\n')
    expect(lines).toHaveLength(452)
    expect(lines[0]).toMatch(/^id,created,ended,/)
  })

  it('has a cell for every known field of a record', async () => {
    const paths = ['/in/one.jpg', '/in/two.mov']
    void history.recordAcceptedSubmission(
      submissionOf('a', paths, { variations: 2 }, { forecast: keptEstimate }),
      acceptance,
    )
    const job = serviceJob({
      status: 'completed',
      results: [{ file: 'one.jpg', outputPath: '/out/one.webp' }],
      errors: [{ file: 'two.mov', error: 'no memory' }],
    })
    history.recordJob(A, job, null)
    history.recordOutcome(A, { kind: 'problems', results: 1, problems: 1, uploaded: null }, now + 1000)
    history.recordMeasured(A, { sizes: [], resultBytes: 1_420, entries: [] })
    const [head, ...lines] = (await text(history.exportCsv())).split('\r\n')
    expect(head).toBe(
      'id,created,ended,origin,outcome,name,files,photos,videos,preset,variations,output,results,problems,reason,service,job,' +
        'inputs,resultFiles,resultBytes,forecastBytes,forecastLow,forecastHigh,forecastSeconds,codes,group,part,parts',
    )
    expect(lines).toEqual([
      'a,2025-10-09T08:53:20.000Z,2025-10-09T08:53:21.000Z,ours,problems,one.jpg,2,1,1,Web 2048,2,/home/me/Pictures/Web,1,1,' +
        'two.mov: no memory,http://127.0.0.1:3847/api,job-1,"/in/one.jpg\n/in/two.mov",/out/one.webp,1420,1500,1100,1900,1.5,,,,',
      '',
    ])
  })

  it('has an empty cell for an unknown value, and marks a Drive folder', async () => {
    history.recordSubmission(submissionOf('a', [], { files: null, output: { kind: 'drive', folderId: 'f' } }))
    const [, line = ''] = (await text(history.exportCsv())).split('\r\n')
    expect(line).toBe('a,2025-10-09T08:53:20.000Z,,ours,,,,0,0,Web 2048,1,drive:f,0,0,,,,,,,,,,,,,,')
  })

  it('quotes fields as CSV requires and neutralizes formulas', async () => {
    history.recordSubmission(submissionOf('a', ['/in/=HYPERLINK("x").jpg', '/in/b,c.jpg']))
    const [, line] = (await text(history.exportCsv())).split('\r\n')
    expect(line).toContain(`"'=HYPERLINK(""x"").jpg"`)
    expect(line).toContain('"/in/=HYPERLINK(""x"").jpg\n/in/b,c.jpg"')
    expect(line).toContain(',2025-10-09T08:53:20.000Z,')
  })
})
