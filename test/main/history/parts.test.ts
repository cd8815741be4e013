import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, type History } from '../../../src/main/history/index.ts'
import { planDraft, titleOf } from '../../../src/main/outbox/index.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { combinedOutcome } from '../../../src/shared/model/job-outcome.ts'
import { failedWith } from '../../../src/shared/model/outcome.ts'
import type { Outcome } from '../../../src/shared/model/job.ts'
import type { HistoryQuery } from '../../../src/shared/model/history-page.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { growthOf } from '../../growth.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { acceptance, serviceJob, submissionOf } from './sample-records.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let history: History
let now = 1_760_000_000_000
const [A, B, C, D, S] = ['a', 'b', 'c', 'd', 's'].map(asRecordId) as [never, never, never, never, never]

beforeEach(() => {
  const file = join(temporaryFolder(), 'history.db')
  history = openHistory({ file, clock: () => now, log: () => undefined })
})
afterEach(() => history.close())

const FINISHED = { offset: 0, limit: 100 }
const listed = (query = {}) => history.page(query, FINISHED).records.map(({ id }) => id)
const done = (results: number): Outcome => ({ kind: 'done', results, uploaded: null })
const FAILED = failedWith({ error: 'x' })

/** A job of three parts: two presets, one of them for two folders. */
function threeParts() {
  const counts = { parts: 3, photos: 3, videos: 0, presets: 2, folders: 3 }
  const parts = [
    ['a', 'Web', ['/in/1/one.jpg', '/in/1/two.jpg'], '/in/1/Web'],
    ['b', 'Web', ['/in/2/three.jpg'], '/in/2/Web'],
    ['c', 'Mail', ['/in/1/one.jpg', '/in/1/two.jpg', '/in/2/three.jpg'], '/out/Mail'],
  ] as const
  return parts.map(([id, preset, paths, path], part) =>
    submissionOf(
      id,
      paths,
      { preset, output: { kind: 'folder', path }, place: { id: A, part, ...counts } },
      { chosen: { output: { kind: 'beside', subfolder: null }, presetFolders: true } },
    ),
  )
}

const recordThreeParts = (): void => history.recordSubmissions(threeParts())

/** Records a job with one photo in each of its parts. */
function recordParts(parts: number): readonly RecordId[] {
  const place = { id: asRecordId(`${parts}-0`), parts, photos: parts, videos: 0, presets: 1, folders: parts }
  const ids = Array.from({ length: parts }, (_, part) => asRecordId(`${parts}-${part}`))
  history.recordSubmissions(
    ids.map((id, part) => submissionOf(id, [`/in/${part}.jpg`], { place: { ...place, part } })),
  )
  return ids
}

const readEach = (ids: readonly RecordId[]) => ids.map((id) => history.details(id))

/** The sizes of a preset's results, for originals of 1,000 bytes each. */
const measure = (id: typeof A, results: Readonly<Record<string, number>>) => {
  const sizes = Object.entries(results).map(([path, size]) => ({ path, input: 1_000, results: size }))
  history.recordResults(id, [{ file: 'x', outputPath: '/out/x', index: 0 }], [])
  end(id, done(1))
  history.recordMeasured(id, { sizes, resultBytes: null, entries: [] })
}

const end = (id: typeof A, outcome: Outcome, at = now) => history.recordOutcome(id, outcome, at)

describe('a job of several parts in the history', () => {
  itInLongSuite('takes linear time to read all its parts', () => {
    expect(growthOf(25, recordParts, readEach)).toBeLessThan(1.6)
  })

  it('is listed once, when its last part has ended, with the outcome of all parts', () => {
    recordThreeParts()
    history.recordSubmission(submissionOf('s', ['/in/single.jpg']))
    end(A, done(2))
    end(C, { kind: 'problems', results: 2, problems: 1, uploaded: null }, now + 5)
    expect(listed()).toEqual([])
    expect(history.unseenCount()).toBe(0)
    end(B, done(1))
    end(S, done(1))
    expect(listed()).toEqual([S, A])
    const whole = {
      outcome: { kind: 'problems', results: 5, problems: 1, uploaded: null },
      endedAt: now + 5,
      unseen: true,
    }
    expect(history.page({}, FINISHED)).toMatchObject({
      total: 2,
      records: [{ outcome: done(1) }, whole],
    })
    expect(history.unseenCount()).toBe(1)
    expect(history.page({}, { ...FINISHED, unfinished: true })).toMatchObject({ total: 2 })
    expect(history.details(A)).toMatchObject({
      outcome: done(2),
      parts: [{ id: A }, { id: B }, { id: C }],
    })
    expect(history.details(B)).toMatchObject({
      parts: [],
      place: { id: A, part: 1, presets: 2 },
    })
  })

  it('is found by the words, presets and outcome of any part', () => {
    recordThreeParts()
    history.recordJob(C, serviceJob({ errors: [{ file: 'three.jpg', error: 'x' }] }), null)
    for (const id of [A, B]) end(id, done(1))
    end(C, { kind: 'problems', results: 2, problems: 1, uploaded: null })
    for (const query of [
      { text: 'three' },
      { text: 'one three' },
      { preset: 'Web' },
      { preset: 'Mail' },
      { outcomes: ['problems'] },
      { kind: 'photos' },
    ] as const)
      expect([query, listed(query)]).toEqual([query, [A]])
    expect([listed({ outcomes: ['done'] }), listed({ text: 'four' })]).toEqual([[], []])
  })

  it('is found by the words and presets of any part while it is running, and after it was restored', () => {
    recordThreeParts()
    const found = (query: HistoryQuery) =>
      history.page(query, { ...FINISHED, unfinished: true }).records.map(({ id }) => id)
    const queries = [{ text: 'one' }, { text: 'three' }, { text: 'Mail' }, { preset: 'Mail' }] as const
    const foundByAll = () => expect(queries.map(found)).toEqual(queries.map(() => [A]))
    foundByAll()
    for (const part of threeParts()) void history.recordAcceptedSubmission(part, acceptance)
    end(A, done(2))
    foundByAll()
    history.remove(A)
    expect(queries.map(found)).toEqual(queries.map(() => []))
    history.restore(A)
    foundByAll()
  })

  it('counts each original once in what was saved, with its results of all presets', async () => {
    recordThreeParts()
    const [one, two, three] = ['/in/1/one.jpg', '/in/1/two.jpg', '/in/2/three.jpg'] as const
    measure(C, { [one]: 300, [two]: 600, [three]: 100 })
    expect(history.totals()).toMatchObject({ files: 3, inputBytes: 3_000, saved: { files: 3, bytes: 2_000 } })
    measure(A, { [one]: 200, [two]: 500 })
    measure(B, { [three]: 100 })
    const saved = { files: 2, bytes: 500 + 800 }
    const totals = { files: 3, inputBytes: 3_000, resultBytes: 1_800, saved }
    expect(history.totals()).toEqual(totals)
    for (const query of [{}, { text: 'three' }, { preset: 'Mail' }, { from: 0 }])
      expect([query, await history.saved(query)]).toEqual([query, saved])

    // Results that fit after all, after the part was sent again.
    end(A, done(2))
    history.recordMeasured(A, {
      sizes: [{ path: two, input: 1_000, results: 100 }],
      resultBytes: null,
      entries: [],
    })
    const again = {
      files: 3,
      inputBytes: 3_000,
      resultBytes: 1_200,
      saved: { files: 3, bytes: 700 + 300 + 800 },
    }
    expect(history.totals()).toEqual(again)
    expect(await history.saved({ text: 'three' })).toEqual(again.saved)
    history.clear()
    expect(history.totals()).toEqual(again)
  })

  it('is seen, removed, restored and deleted as a whole', () => {
    recordThreeParts()
    for (const id of [A, B, C]) end(id, FAILED)
    history.markSeen(B)
    expect(history.unseenCount()).toBe(0)
    history.remove(C)
    expect([listed(), listed({ text: 'three' }), history.details(B)]).toEqual([[], [], undefined])
    history.restore(A)
    expect([listed(), listed({ text: 'three' })]).toEqual([[A], [A]])
    now += 10 * 24 * 60 * 60 * 1000
    history.recordSubmission(submissionOf('s', ['/in/single.jpg']))
    end(S, done(1))
    expect(history.applyRetention(5)).toBe(3)
    expect(listed()).toEqual([S])
  })

  it('is read, seen and removed by its ID, even if its first part is not recorded', () => {
    const title = { place: { id: A, part: 1, parts: 3, photos: 3, videos: 0, presets: 1, folders: 3 } }
    history.recordSubmissions([
      submissionOf('b', ['/in/2/three.jpg'], title),
      submissionOf('c', ['/in/3/four.jpg'], { place: { ...title.place, part: 2 } }),
    ])
    for (const id of [B, C]) end(id, FAILED)
    expect(listed()).toEqual([B])
    expect([history.details(A), history.jobDetails(A)?.parts.map(({ id }) => id)]).toEqual([
      undefined,
      [B, C],
    ])
    expect(history.draftFrom(A, 'all')?.source).toMatchObject({
      items: [{ name: 'three.jpg' }, { name: 'four.jpg' }],
    })
    history.markSeen(A)
    expect(history.unseenCount()).toBe(0)
    history.remove(A)
    expect([listed(), history.jobDetails(A), history.wholeJob(A)]).toEqual([[], undefined, [A]])
  })

  it('keeps its ended parts until all have ended', () => {
    recordThreeParts()
    for (const id of [A, B]) end(id, done(1))
    history.clear()
    expect([A, B, C].map((id) => history.has(id))).toEqual([true, true, true])
    end(C, done(3))
    history.clear()
    expect([A, B, C].map((id) => history.has(id))).toEqual([false, false, false])
  })

  it('is running again if a part returns to the outbox', () => {
    recordThreeParts()
    for (const id of [A, B, C]) end(id, { kind: 'cancelled', results: 0 })
    expect(listed()).toEqual([A])
    const { place } = history.details(B) ?? {}
    history.recordReturned(submissionOf('b', ['/in/2/three.jpg'], place === undefined ? {} : { place }), 0)
    expect([listed(), listed({ text: 'one' }), history.details(B)?.outcome]).toEqual([[], [], null])
  })

  it('is exported with its ID, and which part each record is', async () => {
    recordThreeParts()
    history.recordSubmission(submissionOf('s', ['/in/single.jpg']))
    let csv = ''
    for await (const piece of history.exportCsv()) csv += piece
    const places = csv.split('\r\n').map((line) => line.split(',').slice(-3).join(','))
    expect(places).toEqual(['group,part,parts', ',,', 'a,3,3', 'a,2,3', 'a,1,3', ''])
    let json = ''
    for await (const piece of history.exportJson()) json += piece
    expect(JSON.parse(json)).toMatchObject({
      records: [
        { id: 's', place: { parts: 1 } },
        { id: 'c', place: { id: 'a', part: 2, parts: 3 } },
        { id: 'b', place: { id: 'a', part: 1, parts: 3 } },
        { id: 'a', place: { id: 'a', part: 0, parts: 3 } },
      ],
    })
  })

  it('has all parts, those of one preset, or a single one', () => {
    recordThreeParts()
    expect(history.wholeJob(B)).toEqual([A, B, C])
    expect(history.wholeJob(B, 'preset')).toEqual([A, B])
    expect(history.wholeJob(C, 'preset')).toEqual([C])
    expect(history.wholeJob(B, 'part')).toEqual([B])
  })

  it('becomes one draft again, or one with the files and presets that failed', () => {
    recordThreeParts()
    end(A, done(2))
    end(B, FAILED)
    history.recordJob(C, serviceJob({ errors: [{ file: 'two.jpg', error: 'x' }] }), null)
    end(C, { kind: 'problems', results: 2, problems: 1, uploaded: null })
    const namesIn = (...args: Parameters<History['draftFrom']>) => {
      const draft = history.draftFrom(...args)
      return [
        draft?.presets,
        draft?.source.kind === 'files' ? draft.source.items.map(({ name }) => name) : [],
        draft?.output,
        draft?.except,
      ]
    }
    const nextTo = { kind: 'beside', subfolder: null }
    expect(namesIn(A, 'all')).toEqual([
      ['Web', 'Mail'],
      ['one.jpg', 'two.jpg', 'three.jpg'],
      nextTo,
      undefined,
    ])
    expect(namesIn(A, 'failed')).toEqual([
      ['Web', 'Mail'],
      ['three.jpg', 'two.jpg'],
      nextTo,
      [
        { preset: 'Web', path: '/in/1/two.jpg' },
        { preset: 'Mail', path: '/in/2/three.jpg' },
      ],
    ])
    expect(namesIn(C, 'failed', 'preset').slice(0, 2)).toEqual([['Mail'], ['two.jpg']])
    expect(namesIn(A, 'all', 'preset')).toEqual([
      ['Web'],
      ['one.jpg', 'two.jpg', 'three.jpg'],
      { kind: 'beside', subfolder: null, presetFolder: 'Web' },
      undefined,
    ])
    expect(namesIn(B, 'failed', 'part').slice(0, 2)).toEqual([['Web'], ['three.jpg']])
    expect(history.draftFrom(A, 'failed', 'part')).toBeUndefined()
  })

  it('becomes a draft without the files that succeeded, even if only files of another kind failed with the same preset', () => {
    const counts = { parts: 2, photos: 2, videos: 1, presets: 2, folders: 1 }
    const presets = ['Web', 'Mail']
    const partOf = (preset: string, part: number) =>
      submissionOf(['a', 'b'][part] ?? '', ['/in/one.jpg', '/in/two.jpg', '/in/clip.mp4'], {
        preset,
        place: { id: A, part, ...counts },
      })
    history.recordSubmissions(presets.map(partOf))
    history.recordJob(A, serviceJob({ errors: [{ file: 'two.jpg', error: 'x' }] }), null)
    end(A, { kind: 'problems', results: 2, problems: 1, uploaded: null })
    end(B, FAILED)
    const draft = history.draftFrom(A, 'failed')
    const facts = { presets: { image: presets, video: presets }, drive: null, seesFiles: true }
    const planned = draft && planDraft(draft, facts, () => A)
    expect(planned?.ok && planned.submissions.map(({ preset, items }) => [preset, items.length])).toEqual([
      ['Web', 1],
      ['Mail', 3],
    ])
  })
})

it.each([null, 'Small'])(
  'a retry of one preset saves next to the first results, in the subfolder %s of the originals',
  (subfolder) => {
    const output = { kind: 'beside', subfolder } as const
    const presets = ['Web', 'Mail']
    const originals = draftOfFiles(['/in/1/one.jpg', '/in/2/two.jpg'], { presets, output })
    const facts = { presets: null, drive: null, seesFiles: true }
    const plan = (draft: Draft) => {
      const planned = planDraft(draft, facts, () => A)
      return planned.ok ? planned.submissions : []
    }
    const before = plan(originals)
    history.recordSubmissions(
      before.map((part, index) => ({ title: titleOf([A, B, C, D][index] ?? A, part, now), plan: part })),
    )
    for (const id of [A, B, C, D]) end(id, FAILED)
    const draft = history.draftFrom(A, 'failed', 'preset')
    const folders = (parts: typeof before) => parts.map((part) => part.output)
    expect(draft && folders(plan(draft))).toEqual(folders(before.filter(({ preset }) => preset === 'Web')))
  },
)

describe('the outcome of a job of several parts', () => {
  const cancelled: Outcome = { kind: 'cancelled', results: 1 }
  it.each([
    ['done', [done(1), done(2)], done(3)],
    ['done and canceled', [done(1), cancelled], { kind: 'cancelled', results: 2 }],
    ['done and failed', [done(1), FAILED], { kind: 'problems', results: 1, problems: 4, uploaded: null }],
    ['failed and canceled', [FAILED, { kind: 'cancelled', results: 0 }], FAILED],
    ['failed', [FAILED, failedWith({ error: 'y' })], FAILED],
    ['forgotten', [{ kind: 'forgotten' }, { kind: 'forgotten' }], { kind: 'forgotten' }],
    [
      'uploaded',
      [
        { kind: 'done', results: 1, uploaded: 1 },
        { kind: 'problems', results: 2, problems: 1, uploaded: 1 },
      ],
      { kind: 'problems', results: 3, problems: 1, uploaded: 2 },
    ],
  ] as const)('sums up parts that are %s', (_, [first, second], expected) => {
    expect(
      combinedOutcome([
        { outcome: first, files: 4 },
        { outcome: second, files: 4 },
      ]),
    ).toEqual(expected)
  })
})
