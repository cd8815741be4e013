import { signal } from '@preact/signals'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followEvents } from '../../src/renderer/app-events.ts'
import { createAnnouncer, createToasts } from '../../src/renderer/store/toasts.ts'
import { endingLeft, endingSentence } from '../../src/renderer/store/dates.ts'
import { createHistoryPages, followDetails, PAGE_SIZE } from '../../src/renderer/store/history.ts'
import { followState } from '../../src/renderer/store/live-state.ts'
import {
  chipsOf,
  followSearch,
  isNarrowed,
  toggle,
  toggleOutcome,
  wordsOf,
} from '../../src/renderer/store/search.ts'
import { failure } from '../../src/shared/failure/failure.ts'
import { onlyPlace } from '../../src/shared/model/job-state.ts'
import type { Bridge } from '../../src/shared/ipc/contract.ts'
import type { StateChange } from '../../src/shared/model/app-state.ts'
import { MOST_COUNTED, type HistoryQuery } from '../../src/shared/model/history-page.ts'
import type { PartAt, PartDetails } from '../../src/shared/model/job.ts'
import type { Saved } from '../../src/shared/model/saved.ts'
import { asRecordId, type RecordId } from '../../src/shared/model/ids.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import { fixture, NOW, standard } from './harness/fixtures.ts'
import { windowTranslation } from '../window-translation.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))
const [record] = standard.records as readonly [PartAt<'history'>]

/** Collects requests, so that a test can respond to them whenever it wants, in any order. */
function answers<Question, Answer>() {
  const asked: {
    readonly question: Question
    readonly give: (answer: Answer) => void
    readonly fail: () => void
  }[] = []
  const ask = (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      asked.push({ question, give: resolve, fail: () => reject(new Error('no answer')) })
    })
  return { asked, ask }
}

type Page = Awaited<ReturnType<Bridge['history']['page']>>
type Question = Parameters<Bridge['history']['page']>[0]
function setUp() {
  const { asked, ask } = answers<Question, Page>()
  const version = signal(1)
  let failures = 0
  const history = createHistoryPages(
    { history: { page: ask } as unknown as Bridge['history'] },
    version,
    () => (failures += 1),
  )
  /** The key of a record is its place in the list at first. Later it is further down by the number of new records. */
  const placeOf = ({ before, offset }: Question, added: number) =>
    offset + (before === undefined ? 0 : before + added + 1)
  const give = async (index: number, total: number, added = 0) => {
    const question = asked[index]?.question ?? { query: {}, offset: 0, limit: 0 }
    const [place, from] = [placeOf(question, added), placeOf({ ...question, offset: 0 }, added)]
    const count = Math.min(PAGE_SIZE, total - place)
    const records = Array.from({ length: count }, (_, n) => ({
      ...record,
      id: asRecordId(`key ${place + n - added}`),
    }))
    asked[index]?.give({
      records,
      total: Math.min(total - from, MOST_COUNTED),
      hasMore: total - from > MOST_COUNTED,
      last: place + count - 1 - added,
    })
    await settled()
  }
  return {
    history,
    version,
    asked,
    give,
    failures: () => failures,
    offsets: () => asked.map(({ question }) => placeOf(question, 0)),
  }
}

describe('pages of the history', () => {
  it('are requested when they become visible, each once, and not beyond the end', async () => {
    const { history, give, offsets } = setUp()
    expect(offsets()).toEqual([0])
    history.need(0, 10)
    expect(offsets()).toEqual([0])
    await give(0, 250)
    history.need(PAGE_SIZE - 1, PAGE_SIZE)
    expect(offsets()).toEqual([0, 100])
    await give(1, 250)
    history.need(190, 5_000)
    expect(offsets()).toEqual([0, 100, 200])
    history.need(99, 99)
    expect(offsets()).toEqual([0, 100, 200])
  })

  it('remain visible when the history has changed, and only visible ones are requested again', async () => {
    const { history, version, give, offsets } = setUp()
    await give(0, 250)
    history.need(100, 150)
    await give(1, 250)
    version.value = 2
    expect(offsets()).toEqual([0, 100, 100])
    expect([...history.view.value.pages.keys()]).toEqual([0, 1])
    await give(2, 120)
    history.need(0, 10)
    expect(offsets()).toEqual([0, 100, 100, 0])
  })

  it('beyond the end of a history that has become shorter are dropped', async () => {
    const { history, version, give } = setUp()
    await give(0, 201)
    history.need(100, 210)
    await give(1, 201)
    await give(2, 201)
    expect([...history.view.value.pages.keys()]).toEqual([0, 1, 2])
    version.value = 2
    await give(3, 200)
    expect([...history.view.value.pages.keys()]).toEqual([0, 1])
    expect(history.view.value.total).toBe(200)
  })

  it('are requested again if the history changed during the request', async () => {
    const { version, give, offsets } = setUp()
    version.value = 2
    expect(offsets()).toEqual([0])
    await give(0, 1)
    expect(offsets()).toEqual([0, 0])
  })

  it('of an earlier search are not used for the current one', async () => {
    const { history, give, asked } = setUp()
    history.ask({ text: 'harbour', outcomes: ['failed'] })
    expect(asked[1]?.question.query).toEqual({ text: 'harbour', outcomes: ['failed'] })
    await give(0, 77)
    expect(history.view.value.total).toBeNull()
    await give(1, 3)
    expect(history.view.value).toMatchObject({ total: 3, query: { text: 'harbour' } })
  })

  it('of an earlier search that fail to load don’t affect the current one', async () => {
    const { history, asked, give, offsets } = setUp()
    await give(0, 250)
    history.need(100, 110)
    history.ask({ text: 'harbour' })
    asked[1]?.fail()
    await give(2, 250)
    history.need(100, 110)
    expect(offsets()).toEqual([0, 100, 0, 100])
  })

  it('that fail to load are reported once, and not requested until something changes', async () => {
    const { version, asked, failures, offsets } = setUp()
    asked[0]?.fail()
    await settled()
    expect([failures(), offsets()]).toEqual([1, [0]])
    version.value = 2
    expect(offsets()).toEqual([0, 0])
  })
})

describe('the pages of a long history', () => {
  it('are requested by the key of the page above, and the list grows towards the end', async () => {
    const { history, asked, give } = setUp()
    await give(0, 25_000)
    expect(history.view.value).toMatchObject({ total: 10_000, hasMore: true })
    history.need(9_950, 10_040)
    expect(asked[1]?.question).toMatchObject({ before: 99, offset: 9_800 })
    await give(1, 25_000)
    expect(history.view.value).toMatchObject({ total: 10_100, hasMore: true })
    history.need(10_000, 10_050)
    expect(asked[2]?.question).toMatchObject({ before: 9_999, offset: 0 })
    await give(2, 25_000)
    expect(history.view.value).toMatchObject({ total: 20_000, hasMore: true })
    history.need(19_950, 20_500)
    await give(3, 25_000)
    expect(history.view.value).toMatchObject({ total: 20_100, hasMore: true })
    history.need(20_050, 20_099)
    await give(4, 25_000)
    expect(history.view.value).toMatchObject({ total: 25_000, hasMore: false })
  })

  it('stay in the list when its beginning is loaded again', async () => {
    const { history, version, asked, give } = setUp()
    await give(0, 25_000)
    history.need(9_950, 9_990)
    await give(1, 25_000)
    history.need(0, 40)
    version.value = 2
    await give(2, 25_001, 1)
    expect(history.view.value).toMatchObject({ total: 10_100, hasMore: true })
    expect([...history.view.value.pages.keys()]).toEqual([0, 99])
    expect(asked).toHaveLength(3)
  })

  it('show each record once after new ones have moved the others', async () => {
    const { history, version, give, offsets } = setUp()
    await give(0, 250)
    history.need(90, 110)
    await give(1, 250)
    version.value = 2
    await give(2, 251, 1)
    await give(3, 251, 1)
    expect(offsets()).toEqual([0, 100, 0, 99])
    const ids = [0, 1].flatMap((page) => history.view.value.pages.get(page)?.map(({ id }) => id) ?? [])
    expect(ids).toEqual(Array.from({ length: 200 }, (_, n) => `key ${n - 1}`))
  })

  it('of another search start at the top, regardless of the position in the list', async () => {
    const { history, asked, give } = setUp()
    await give(0, 25_000)
    history.need(9_950, 9_990)
    await give(1, 25_000)
    history.ask({ text: 'harbour' })
    history.need(9_950, 9_990)
    expect(asked.slice(2).map(({ question }) => question)).toEqual([
      { query: { text: 'harbour' }, offset: 0, limit: PAGE_SIZE },
    ])
  })
})

const noAnswer = () => new Promise(() => undefined)

describe('what the matching jobs saved', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('is added up at most a tenth of the time, and immediately for another search', async () => {
    const { asked, ask } = answers<HistoryQuery, Saved>()
    const version = signal(1)
    const history = createHistoryPages(
      { history: { page: noAnswer, saved: ask } as unknown as Bridge['history'] },
      version,
      () => undefined,
    )
    const give = async (index: number, ms: number) => {
      vi.advanceTimersByTime(ms)
      asked[index]?.give({ files: index, bytes: 0 })
      await settled()
    }
    await give(0, 1_000)
    for (version.value = 2; version.value < 9; version.value += 1) vi.advanceTimersByTime(1_000)
    expect(asked).toHaveLength(1)
    vi.advanceTimersByTime(2_000)
    expect(asked).toHaveLength(2)
    await give(1, 1_000)
    history.ask({ text: 'harbour' })
    expect(asked.map(({ question }) => question)).toEqual([{}, {}, { text: 'harbour' }])
    await give(2, 5)
    version.value = 10
    expect(asked).toHaveLength(4)
    expect(history.saved.value).toEqual({ files: 2, bytes: 0 })
  })
})

const A = asRecordId('a')
const details = { ...record, name: 'read' } as unknown as PartDetails
function detailsShown(first: RecordId | null) {
  const { asked, ask } = answers<RecordId, PartDetails | null>()
  const [id, revision] = [signal(first), signal(1)]
  let failures = 0
  const shown = followDetails(
    { jobs: { details: ask } as unknown as Bridge['jobs'] },
    id,
    revision,
    () => (failures += 1),
  )
  return { asked, id, revision, shown, failures: () => failures }
}

describe('the selected details', () => {
  it('are loaded when shown and again when they may have changed, and remain visible in the meantime', async () => {
    const { asked, id, revision, shown } = detailsShown(null)
    expect(shown.value).toBeNull()
    id.value = A
    expect(shown.value).toEqual({ kind: 'loading', id: A })
    asked[0]?.give(details)
    await settled()
    revision.value = 2
    expect(shown.value).toEqual({ kind: 'read', id: A, details })
    asked[1]?.give(null)
    await settled()
    expect(shown.value).toEqual({ kind: 'gone', id: A })
    id.value = null
    expect(shown.value).toBeNull()
  })

  it('match the last request, even if other responses arrive later', async () => {
    const { asked, revision, shown, failures } = detailsShown(A)
    revision.value = 2
    asked[1]?.give(details)
    await settled()
    asked[0]?.give(null)
    await settled()
    expect(shown.value?.kind).toBe('read')
    revision.value = 3
    revision.value = 4
    asked[2]?.fail()
    await settled()
    expect(failures()).toBe(0)
    asked[3]?.fail()
    await settled()
    expect(failures()).toBe(1)
  })
})

type Snapshot = Awaited<ReturnType<Bridge['app']['snapshot']>>
function latestState() {
  const { asked, ask } = answers<void, Snapshot>()
  const listeners: ((change: StateChange) => void)[] = []
  const bridge = {
    app: { snapshot: ask },
    on: (_name: string, listener: (change: StateChange) => void) => void listeners.push(listener),
  } as unknown as Pick<Bridge, 'app' | 'on'>
  const following = followState(bridge)
  const snapshot = async (version: number, unseen: number) => {
    asked.at(-1)?.give({ version, state: { ...standard.state, unseen } })
    await settled()
  }
  return {
    asked,
    following,
    snapshot,
    change: (version: number, unseen: number, since = version - 1) =>
      listeners.forEach((listener) => listener({ since, version, slices: { unseen } })),
  }
}

describe('the latest state', () => {
  it('applies changes that arrived before the snapshot only if they are newer', async () => {
    const { following, snapshot, change } = latestState()
    change(4, 4)
    change(5, 5)
    change(6, 6)
    await snapshot(5, 50)
    expect((await following).unseen.value).toBe(6)
  })

  it('applies changes in order, and ignores old ones', async () => {
    const { following, snapshot, change, asked } = latestState()
    await snapshot(1, 1)
    const { unseen } = await following
    change(2, 2)
    change(2, 20)
    change(1, 10)
    expect(unseen.value).toBe(2)
    expect(asked).toHaveLength(1)
  })

  it('applies merged changes without a new snapshot', async () => {
    const { following, snapshot, change, asked } = latestState()
    await snapshot(1, 1)
    const { unseen } = await following
    change(40, 40, 1)
    change(80, 80, 40)
    expect(unseen.value).toBe(80)
    expect(asked).toHaveLength(1)
  })

  it('requests a new snapshot once after a missed change, and again with the next change if that request failed', async () => {
    const { following, snapshot, change, asked } = latestState()
    await snapshot(1, 1)
    const { unseen } = await following
    change(3, 3)
    change(4, 4)
    expect(asked).toHaveLength(2)
    expect(unseen.value).toBe(1)
    asked[1]?.fail()
    await settled()
    change(5, 5)
    expect(asked).toHaveLength(3)
    await snapshot(4, 40)
    expect(unseen.value).toBe(5)
    change(6, 6)
    expect(unseen.value).toBe(6)
  })
})

describe('over time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('a toast disappears, is kept while the pointer is over it, and is replaced by the next', () => {
    const toasts = createToasts()
    const shown = () => toasts.current.value?.text
    toasts.show('first')
    vi.advanceTimersByTime(5_000)
    toasts.show('second')
    vi.advanceTimersByTime(5_999)
    expect(shown()).toBe('second')
    toasts.hold()
    vi.advanceTimersByTime(60_000)
    expect(shown()).toBe('second')
    toasts.release()
    vi.advanceTimersByTime(6_000)
    expect(shown()).toBeUndefined()
    toasts.show('third')
    const third = toasts.current.value?.id
    toasts.dismiss()
    expect([shown(), third, vi.getTimerCount()]).toEqual([undefined, 3, 0])
  })

  it('announcements are at least five seconds apart; the last of several in between is announced, even if it is repeated', () => {
    const announcer = createAnnouncer(() => Date.now())
    announcer.say('one')
    expect(announcer.text.value).toBe('one')
    announcer.say('two')
    announcer.say('three')
    vi.advanceTimersByTime(4_999)
    expect(announcer.text.value).toBe('one')
    vi.advanceTimersByTime(1)
    expect(announcer.text.value).toBe('three')
    vi.advanceTimersByTime(5_000)
    announcer.say('three')
    expect(announcer.text.value).toBe('three\u00a0')
  })

  it('progress is announced every ten seconds at most, and an end or a failure at once, without losing another', () => {
    const announcer = createAnnouncer(() => Date.now())
    const announced: string[] = []
    announcer.text.subscribe((text) => announced.push(text))
    for (let second = 0; second < 25; second += 1) {
      announcer.say(`${second} files`, 'progress')
      vi.advanceTimersByTime(1_000)
    }
    expect(announced).toEqual(['', '0 files', '9 files', '19 files'])
    announcer.say('a is done', 'now')
    announcer.say('b has failed', 'now')
    vi.advanceTimersByTime(60_000)
    expect(announced.slice(4)).toEqual(['a is done', 'a is done; b has failed'])
    announcer.say('begun', 'progress')
    announcer.say('is canceled', 'progress')()
    vi.advanceTimersByTime(60_000)
    expect(announcer.text.value).toBe('begun')
  })

  it('a waiting announcement of what the user did isn’t lost to progress or an end', () => {
    const announcer = createAnnouncer(() => Date.now())
    announcer.say('one')
    vi.advanceTimersByTime(2_000)
    announcer.say('moved')
    announcer.say('half done', 'progress')
    announcer.say('a is done', 'now')
    expect(announcer.text.value).toBe('moved; a is done')
    announcer.say('moved again')
    announcer.say('half done', 'progress')
    vi.advanceTimersByTime(5_000)
    expect(announcer.text.value).toBe('moved again')
  })

  it('a search starts when typing stops, and a filter applies immediately', () => {
    const asked: HistoryQuery[] = []
    const app = {
      searchText: signal(''),
      filters: signal<Omit<HistoryQuery, 'text'>>({}),
      history: { ask: (query: HistoryQuery) => asked.push(query) } as unknown as Parameters<
        typeof followSearch
      >[0]['history'],
    }
    followSearch(app)
    for (const typed of ['h', 'ha', ' ha ']) {
      app.searchText.value = typed
      vi.advanceTimersByTime(149)
    }
    expect(asked).toEqual([])
    vi.advanceTimersByTime(1)
    expect(asked).toEqual([{ text: 'ha' }])
    app.searchText.value = 'ha  '
    vi.advanceTimersByTime(1_000)
    expect(asked).toHaveLength(1)
    app.filters.value = { kind: 'photos' }
    expect(asked.at(-1)).toEqual({ text: 'ha', kind: 'photos' })
    app.searchText.value = ''
    vi.advanceTimersByTime(150)
    expect(asked.at(-1)).toEqual({ kind: 'photos' })
  })
})

describe('filters', () => {
  it('are toggled individually, and have no effect if nothing of a kind is selected', () => {
    const both = toggleOutcome(toggleOutcome({ kind: 'photos' }, 'failed'), 'problems')
    expect(both).toEqual({ kind: 'photos', outcomes: ['failed', 'problems'] })
    expect(toggleOutcome(toggleOutcome(both, 'failed'), 'problems')).toEqual({ kind: 'photos' })
    expect(toggle({ kind: 'photos' }, 'kind', 'videos')).toEqual({ kind: 'videos' })
    expect(toggle({ kind: 'photos', preset: 'A' }, 'kind', 'photos')).toEqual({ preset: 'A' })
    expect(toggle({ preset: 'A' }, 'preset', 'B')).toEqual({ preset: 'B' })
    expect(toggle({ preset: 'A' }, 'preset', 'A')).toEqual({})
  })

  it('each have a chip that removes only that filter', async () => {
    const { t } = await appWithoutAPage(standard)
    const filters = { outcomes: ['failed', 'done'], kind: 'videos', preset: 'A' } as const
    expect(chipsOf(filters, t.value).map(({ without }) => without)).toEqual([
      { ...filters, outcomes: ['done'] },
      { ...filters, outcomes: ['failed'] },
      { outcomes: ['failed', 'done'], preset: 'A' },
      { outcomes: ['failed', 'done'], kind: 'videos' },
    ])
    expect(chipsOf({}, t.value)).toEqual([])
    expect(chipsOf({ preset: 'Make smaller' }, windowTranslation('de')).map(({ label }) => label)).toEqual([
      'Verkleinern',
    ])
  })

  it('narrow the list, as search words do', () => {
    expect([isNarrowed({}), isNarrowed({ text: 'a' }), isNarrowed({ kind: 'photos' })]).toEqual([
      false,
      true,
      true,
    ])
    expect(wordsOf({ text: '  Harbour DUSK ' })).toEqual(['harbour', 'dusk'])
    expect(wordsOf({})).toEqual([])
  })
})

describe('the countdown', () => {
  it('is shown in whole seconds, never below zero', async () => {
    const app = await appWithoutAPage(fixture('ending-sleep').script)
    app.strings.now = NOW + 500
    expect(endingLeft(app)).toBe(29_500)
    expect(endingSentence(app)).toContain('30 s')
    app.strings.now = NOW + 31_000
    expect(endingLeft(app)).toBe(0)
    const quit = await appWithoutAPage(fixture('ending-quit').script)
    expect(endingSentence(quit)).not.toBe(endingSentence(app))
    expect(endingLeft(await appWithoutAPage(standard))).toBe(0)
  })
})

describe('a user action', () => {
  it('that fails shows a toast, with the error’s message if it has one', async () => {
    const app = await appWithoutAPage(standard)
    expect(await app.attempt(Promise.resolve(3))).toBe(3)
    expect(app.toasts.current.value).toBeNull()
    await app.attempt(Promise.reject({ code: 'x', message: 'The file is gone.', hint: 'Look in the bin.' }))
    expect(app.toasts.current.value).toMatchObject({ text: 'The file is gone.', detail: 'Look in the bin.' })
    const actions = [{ label: 'Undo', run: () => {} }]
    expect(await app.attempt(Promise.reject(new Error('channel closed')), actions)).toBeUndefined()
    expect(app.toasts.current.value).toMatchObject({ text: app.t.value.toasts.couldNot, actions })
  })

  it.each([
    ['system', 'de-AT', 'de-AT'],
    ['de', 'de-AT', 'de-AT'],
    ['en', 'de-AT', 'en'],
    ['de', 'en-GB', 'de'],
  ] as const)('in the language %s on a computer in %s uses %s', async (language, locale, spoken) => {
    const { state, facts } = standard
    const app = await appWithoutAPage({
      ...standard,
      facts: { ...facts, locale },
      state: { ...state, settings: { ...state.settings, language } },
    })
    expect(app.t.value.locale).toBe(spoken)
    expect(document.documentElement.lang).toBe(spoken.slice(0, 2))
  })
})

it('a click on a notification shows the newest job, even if the list isn’t loaded or shows something else', async () => {
  const app = await appWithoutAPage(standard)
  followEvents(app)
  app.history.view.value = { ...app.history.view.value, pages: new Map() }
  app.strings.emit('show', { place: 'newest' })
  await expect.poll(() => app.route.jobPane.value).toEqual({ kind: 'details', id: record.id })
})

it('the announced outcome of a job has the reason of its failure', async () => {
  const { script } = fixture('busy')
  const [job] = script.state.jobs
  const [details] = Object.values(standard.details)
  if (job === undefined || details === undefined) throw new Error('The fixtures have no job')
  const outcome = { kind: 'failed', reason: 'x', failure: failure('diskFull') } as const
  const app = await appWithoutAPage({
    ...script,
    details: { [job.id]: { ...details, id: job.id, place: onlyPlace({ ...job, id: job.id }), outcome } },
  })
  followEvents(app)
  app.strings.change({ jobs: script.state.jobs.filter(({ id }) => id !== job.id) })
  await expect.poll(() => app.announcer.text.value).toContain('Failed: The disk is full.')
})
