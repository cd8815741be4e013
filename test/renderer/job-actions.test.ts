import { waitingFor } from '../waiting-for.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { findJob } from '../../src/renderer/store/job-signs.ts'
import { jobOf, stateOf } from '../../src/shared/model/job-state.ts'
import type { Job, PartAt, PartDetails } from '../../src/shared/model/job.ts'
import type { App } from '../../src/renderer/store/app.ts'
import { showNewJob, showSettings } from '../../src/renderer/store/navigation.ts'
import { startDraft } from '../../src/renderer/store/start-draft.ts'
import {
  actionsFor,
  describe as describeAction,
  menuEntries,
  perform,
} from '../../src/renderer/store/job-actions.ts'
import type { OpenDraftStart } from '../../src/shared/model/draft.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import type { Strings } from './harness/fake-bridge.ts'
import { fixture, standard, withId } from './harness/fixtures.ts'
import { details } from '../part-samples.ts'

const stateIn = (name: string) => fixture(name).script.state
const [job] = stateIn('busy').jobs as readonly [PartAt<'service'>]
const [entry] = stateIn('offline').outbox as readonly [PartAt<'outbox'>]
const [record] = standard.records as readonly [PartAt<'history'>]

const jobIn = (stage: PartAt<'service'>['stage'], more: Partial<PartAt<'service'>> = {}): Job =>
  jobOf([{ ...job, stage, ...more }])
const entryIn = (state: PartAt<'outbox'>['state']): Job => ({
  parts: [{ ...entry, state }],
  turn: { place: 1, of: 1, isNext: true },
})
const recordWith = (outcome: PartAt<'history'>['outcome'], more: Partial<PartAt<'history'>> = {}): Job =>
  jobOf([{ ...record, outcome, ...more }])

const WAITING = { kind: 'waiting', because: 'queueFull', notBefore: null } as const
const SENDING = { kind: 'sending', upload: null } as const
const REFUSED = { kind: 'refused', message: '', why: 'invalid', skipped: [] } as const
const UNKNOWN = { kind: 'unknown', candidates: [], checking: false } as const
const DONE = { kind: 'done', results: 2, uploaded: null } as const
const PROBLEMS = { kind: 'problems', results: 1, problems: 4, uploaded: null } as const
const FAILED = { kind: 'failed', reason: 'no' } as const

const detailsWith = (results: readonly string[]): PartDetails =>
  details(record, { results: results.map((outputPath, index) => ({ file: '', outputPath, index })) })

describe('the actions for a job', () => {
  it.each([
    ['now', jobIn({ kind: 'processing' }), ['cancel']],
    ['now', jobIn({ kind: 'cancelling' }), []],
    ['next', jobIn({ kind: 'queued', position: 1 }), ['cancel']],
    ['next', recordWith(null), []],
    ['uploading', jobIn({ kind: 'uploading' }), ['showOriginals']],
    ['uploading', jobIn({ kind: 'uploading' }, { firstPath: null }), []],
    ['waiting', entryIn(WAITING), ['edit', 'runNext', 'removeWaiting']],
    [
      'waiting',
      { ...entryIn(WAITING), turn: { place: 2, of: 3, isNext: false } },
      ['edit', 'runNext', 'moveUp', 'moveDown', 'removeWaiting'],
    ],
    ['sending', entryIn(SENDING), []],
    ['refused', entryIn(REFUSED), ['edit', 'removeWaiting']],
    ['unsure', entryIn(UNKNOWN), ['removeWaiting']],
    ['done', recordWith(DONE), ['show', 'runAgain', 'showOriginals', 'removeRecord']],
    ['problems', recordWith(PROBLEMS), ['retry', 'show', 'runAgain', 'showOriginals', 'removeRecord']],
    ['failed', recordWith(FAILED), ['show', 'runAgain', 'showOriginals', 'removeRecord']],
    [
      'cancelled',
      recordWith({ kind: 'cancelled', results: 0 }),
      ['show', 'runAgain', 'showOriginals', 'removeRecord'],
    ],
    ['forgotten', recordWith({ kind: 'forgotten' }), ['show', 'runAgain', 'showOriginals', 'removeRecord']],
  ] as const)('%s', (state, item, actions) => {
    expect(stateOf(item)).toBe(state)
    expect(actionsFor(item, null)).toEqual(actions)
  })

  it('include more once its results are known', () => {
    expect(actionsFor(recordWith(DONE), detailsWith(['/out/a.jpg']))).toEqual([
      'show',
      'runAgain',
      'openFirst',
      'showOriginals',
      'copyPaths',
      'removeRecord',
    ])
    expect(actionsFor(recordWith(DONE), detailsWith([]))).not.toContain('copyPaths')
    const inDrive = recordWith(DONE, { output: { kind: 'drive', folderId: 'outbox' } })
    expect(actionsFor(inDrive, detailsWith(['a.jpg']))).toEqual(['runAgain', 'showOriginals', 'removeRecord'])
  })

  it('include fewer for another client’s job, which has no input or output paths', () => {
    const foreign = recordWith(DONE, { origin: 'other', output: null, firstPath: null })
    expect(actionsFor(foreign, null)).toEqual(['removeRecord'])
    const toDrive = recordWith(DONE, { output: { kind: 'drive', folderId: 'x' } })
    expect(actionsFor(toDrive, null)).toEqual(['runAgain', 'showOriginals', 'removeRecord'])
  })
})

const labelOf = (app: App, name: 'runAgain' | 'retry', of: Job) => describeAction(app, name, of, null).label

describe('a slow response', () => {
  const id = asRecordId('started')
  async function startLate() {
    const app = await appWithoutAPage(standard)
    const { promise, resolve } = Promise.withResolvers<OpenDraftStart>()
    const draft = { ...app.bridge.draft, start: () => promise }
    const late = { ...app, bridge: { ...app.bridge, draft } }
    showNewJob(late)
    const started = startDraft(late, false)
    return { app: late, answer: () => (resolve({ ok: true, ids: [id], jobs: [id] }), started) }
  }

  it('opens the new job when it arrives', async () => {
    const { app, answer } = await startLate()
    await answer()
    expect(app.route.jobPane.value).toEqual({ kind: 'details', id })
  })

  it('changes nothing if the user has opened another page or another new job', async () => {
    const gone = await startLate()
    showSettings(gone.app, 'advanced')
    await gone.answer()
    expect(gone.app.route.view.value).toBe('settings')
    const dropped = await startLate()
    showNewJob(dropped.app)
    await dropped.answer()
    expect(dropped.app.route.jobPane.value).toEqual({ kind: 'newJob' })
  })
})

describe('in the window', () => {
  let app: App & { readonly strings: Strings }
  beforeEach(async () => {
    app = await appWithoutAPage(fixture('busy').script)
  })
  const called = () => app.strings.calls.map(({ name, argument }) => [name, argument])
  const labels = (item: Job, details: PartDetails | null = null) =>
    menuEntries(app, item, details).map((one) => (one.kind === undefined ? one.label : one.kind))

  it('the menu separates removing from the other actions, and offers to pause sending if a submission is waiting', () => {
    expect(labels(recordWith(DONE))).toEqual([
      'Show in folder',
      'Run again…',
      'Show originals',
      'divider',
      'Remove from history',
    ])
    expect(labels(recordWith(DONE, { origin: 'other', output: null, firstPath: null }))).toEqual([
      'Remove from history',
    ])
    expect(labels(entryIn(WAITING)).slice(-2)).toEqual(['divider', 'Pause all jobs'])
    app.strings.change({ quiet: waitingFor('paused') })
    expect(labels(entryIn(WAITING)).at(-1)).toBe('Resume')
    expect(labels(entryIn(REFUSED))).not.toContain('divider')
    expect(menuEntries(app, entryIn(WAITING), null, ['edit', 'runNext'])).toHaveLength(3)
  })

  it('a failed job offers “Try again”, and any other job “Run again…”; a retry shows the number of files', () => {
    expect(labelOf(app, 'runAgain', recordWith(FAILED))).toBe('Try again')
    expect(labelOf(app, 'runAgain', recordWith(DONE))).toBe('Run again…')
    expect(labelOf(app, 'retry', recordWith(PROBLEMS))).toContain('4')
  })

  it('the first result is shown in its folder, or only the folder if the results are unknown', async () => {
    perform(app, 'show', recordWith(DONE), detailsWith(['/out/a.jpg', '/out/b.jpg']))
    perform(app, 'show', recordWith(DONE), null)
    perform(app, 'show', recordWith(DONE, { output: { kind: 'drive', folderId: 'x' } }), null)
    const { output } = record
    expect(called().filter(([name]) => name === 'files.reveal')).toEqual([
      ['files.reveal', '/out/a.jpg'],
      ['files.reveal', output?.kind === 'folder' ? output.path : ''],
    ])
  })

  it('only the details of a removed item close, and the item can be restored', async () => {
    app.route.jobPane.value = { kind: 'details', id: record.id }
    app.route.pane.value = 'main'
    perform(app, 'removeRecord', jobOf([withId(record, 'other')]), null)
    expect(app.route.jobPane.value).toEqual({ kind: 'details', id: record.id })
    perform(app, 'removeRecord', recordWith(DONE), null)
    expect([app.route.jobPane.value, app.route.pane.value]).toEqual([{ kind: 'newJob' }, 'list'])
    await expect.poll(() => app.toasts.current.value?.text).toContain(record.name)
    app.toasts.current.value?.actions[0]?.run()
    expect(called().at(-1)).toEqual(['jobs.restore', record.id])
  })

  it('there is no undo if removing failed', async () => {
    const refusing = {
      ...app,
      bridge: {
        ...app.bridge,
        outbox: {
          ...app.bridge.outbox,
          remove: () => Promise.reject({ code: 'x', message: 'It is sent already.', hint: null }),
        },
      },
    }
    perform(refusing, 'removeWaiting', entryIn(WAITING), null)
    await expect
      .poll(() => app.toasts.current.value)
      .toMatchObject({ text: 'It is sent already.', actions: [] })
  })

  it('a job is found in any section, with its turn among the items that wait without needing the user', () => {
    const needing = { ...withId(entry, 'needing'), state: UNKNOWN }
    const first = { ...withId(entry, 'first'), state: WAITING }
    const second = { ...withId(entry, 'second'), state: SENDING }
    app.strings.change({ outbox: [needing, first, second] })
    expect(findJob(app, second.id)).toMatchObject({ parts: [{ at: 'outbox' }], turn: { place: 4, of: 4 } })
    expect(findJob(app, needing.id)).toMatchObject({ turn: null })
    expect(findJob(app, job.id)).toMatchObject({ parts: [{ at: 'service' }] })
    expect(findJob(app, asRecordId('nowhere'))).toBeUndefined()
  })

  it('a record is found in the loaded pages', async () => {
    app.history.ask({})
    await expect
      .poll(() => findJob(app, record.id))
      .toMatchObject({ parts: [{ at: 'history', id: record.id }] })
  })
})
