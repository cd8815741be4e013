import { describe, expect, it } from 'vitest'
import {
  unexpectedNotification,
  type NotificationView,
} from '../../../src/main/desktop/notifications/notification-view.ts'
import { createNotifier } from '../../../src/main/desktop/notifications/notifier.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Outcome } from '../../../src/shared/model/outcome.ts'
import type { RecordDetails, WorkTitle } from '../../../src/shared/model/work.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'
import { emptyState } from '../state/empty-state.ts'
import { record, title, waiting } from './work-samples.ts'

const t = createTranslation('en-GB', 'UTC')

/** A desktop that remembers what is on show. */
function desktop(start: AppState = emptyState) {
  const all: { view: NotificationView; closed: boolean }[] = []
  let state = start
  let now = 0
  let inFront = false
  const notifier = createNotifier({
    show(view) {
      const shown = { view, closed: false }
      all.push(shown)
      return {
        close() {
          shown.closed = true
        },
      }
    },
    isInFront: () => inFront,
    state: () => state,
    context: () => ({ t, homeFolder: '/home/ada' }),
    clock: () => now,
  })
  return {
    all,
    notifier,
    onShow: () => all.filter((one) => !one.closed).map(({ view }) => [view.title, view.body]),
    pass: (ms: number) => (now += ms),
    bringToFront: () => (inFront = true),
    become: (next: AppState) => {
      const before = state
      state = next
      notifier.stateChanged(next, before)
    },
  }
}

const done = (work: WorkTitle, results: number, more: Partial<RecordDetails> = {}) =>
  record(work, { kind: 'done', results, uploaded: null }, more)

const say = (work: WorkTitle, outcome: Outcome, more: Partial<RecordDetails> = {}) => {
  const { notifier, onShow } = desktop()
  notifier.finished(record(work, outcome, more))
  return onShow()[0]
}

describe('a notification', () => {
  it('says what is ready, and where', () => {
    expect(say(title('DSC_4821.heic', 24), { kind: 'done', results: 24, uploaded: null })).toEqual([
      '24 photos are ready',
      'DSC_4821.heic + 23 more, in ~/Pictures/Web',
    ])
  })

  it('names what could not be processed', () => {
    const problems = ['scan_007.tiff', 'scan_012.tiff'].map((name) => ({
      file: `/scans/${name}`,
      error: 'x',
    }))
    const outcome: Outcome = { kind: 'problems', results: 16, problems: 2, uploaded: null }
    expect(say(title('scan_001.tiff', 18), outcome, { problems })).toEqual([
      '16 of 18 photos are ready',
      '2 could not be processed: scan_007.tiff, scan_012.tiff',
    ])
  })

  it('says what failed and what is safe', () => {
    expect(say(title('teaser-v3.mov', 0, 1), { kind: 'failed', reason: 'the disk is full' })).toEqual([
      'teaser-v3.mov failed',
      'The disk is full. The original is unchanged.',
    ])
  })

  it('says what is in Drive, and how long it took', () => {
    const work: WorkTitle = { ...title('interview.mov', 0, 1), output: { kind: 'drive', folderId: 'x' } }
    expect(say(work, { kind: 'done', results: 1, uploaded: 1 })).toEqual([
      '1 video is in Drive',
      'interview.mov, uploaded in 2 min',
    ])
  })

  it('says what is not in Drive, in the service’s words', () => {
    const work: WorkTitle = { ...title('a.jpg', 24), output: { kind: 'drive', folderId: 'x' } }
    const results = Array.from({ length: 24 }, (_, index) => ({ file: '', outputPath: `/t/${index}`, index }))
    const problems = [{ file: 'a.jpg', error: 'quota exceeded' }]
    expect(
      say(work, { kind: 'problems', results: 24, problems: 3, uploaded: 21 }, { results, problems }),
    ).toEqual(['Upload to Drive failed', '3 of 24 files are not in Drive. The service says: Quota exceeded.'])
  })

  it('counts the results of each variation, and names three files that failed', () => {
    const problems = ['a', 'b', 'b', 'c', 'd'].map((name) => ({ file: `C:\\in\\${name}.jpg`, error: 'x' }))
    const outcome: Outcome = { kind: 'problems', results: 3, problems: 5, uploaded: null }
    const work: WorkTitle = { ...title('a.jpg', 2, 2), variations: 2 }
    expect(say(work, outcome, { problems })).toEqual([
      '3 of 8 files are ready',
      '5 could not be processed: a.jpg, b.jpg, c.jpg, …',
    ])
  })

  it('says in the plural that originals are unchanged, and repeats no full stop', () => {
    expect(say(title('a.jpg', 2), { kind: 'failed', reason: ' no space! ' })?.[1]).toBe(
      'No space! The originals are unchanged.',
    )
    expect(say(title('a.jpg', 1), { kind: 'failed', reason: '' })?.[1]).toBe('The original is unchanged.')
  })

  it('says what was made and is not in Drive where the job failed, and what was not made at all', () => {
    const work: WorkTitle = { ...title('a.jpg', 1), output: { kind: 'drive', folderId: 'x' } }
    const results = [{ file: '', outputPath: '/t/a.jpg', index: 0 }]
    const outcome: Outcome = { kind: 'failed', reason: 'broken' }
    expect(say(work, outcome, { results })?.[0]).toBe('Upload to Drive failed')
    expect(say(work, outcome)?.[0]).toBe('a.jpg failed')
    const notUploaded: Outcome = { kind: 'problems', results: 1, problems: 1, uploaded: null }
    expect(say({ ...work, files: 2, photos: 2 }, notUploaded, { results })?.[0]).toBe(
      '1 of 2 photos are ready',
    )
  })

  it('says nothing about what was cancelled, lost, or is somebody else’s', () => {
    expect(say(title('a.jpg', 1), { kind: 'cancelled', results: 0 })).toBeUndefined()
    expect(say(title('a.jpg', 1), { kind: 'forgotten' })).toBeUndefined()
    const foreign: WorkTitle = { ...title('a.jpg', 1), origin: 'other' }
    expect(say(foreign, { kind: 'done', results: 1, uploaded: null })).toBeUndefined()
  })
})

/** One submission waits for a service that is like this. */
const waitingFor = (state: AppState['connection']['state']): AppState => ({
  ...emptyState,
  connection: { ...emptyState.connection, state },
  outbox: [waiting(title('a', 1))],
})

describe('when it is shown', () => {
  it('is not while the window is in front', () => {
    const { notifier, bringToFront, all } = desktop()
    bringToFront()
    notifier.finished(done(title('a.jpg', 1), 1))
    expect(all).toEqual([])
  })

  it('is not when its kind is switched off', () => {
    const notifications = { ...emptyState.settings.notifications, done: false }
    const { notifier, onShow } = desktop({
      ...emptyState,
      settings: { ...emptyState.settings, notifications },
    })
    notifier.finished(done(title('a.jpg', 1), 1))
    notifier.finished(record(title('b.jpg', 1), { kind: 'failed', reason: 'x' }))
    expect(onShow().map(([head]) => head)).toEqual(['b.jpg failed'])
  })

  it('becomes one summary, in their place, when more than two come within a minute', () => {
    const { notifier, onShow, pass } = desktop()
    for (const name of ['a', 'b', 'c', 'd']) {
      notifier.finished(done(title(`${name}.jpg`, 28), 28))
      pass(5_000)
    }
    notifier.finished(record(title('e.jpg', 2), { kind: 'failed', reason: 'x' }))
    expect(onShow()).toEqual([['5 jobs are done', '112 files are ready, 1 had problems']])
    pass(120_000)
    notifier.finished(done(title('f.jpg', 1), 1))
    expect(onShow().at(-1)?.[0]).toBe('1 photo is ready')
  })

  it('stays two single ones for two, and for one that comes a minute after the others', () => {
    const { notifier, onShow, pass } = desktop()
    notifier.finished(done(title('a.jpg', 1), 1))
    pass(1)
    notifier.finished(done(title('b.jpg', 1), 1))
    expect(onShow()).toHaveLength(2)
    pass(59_999)
    notifier.finished(done(title('c.jpg', 1), 1))
    expect(onShow()).toHaveLength(3)
    notifier.finished(done(title('d.jpg', 1), 1))
    expect(onShow()).toEqual([
      ['1 photo is ready', 'a.jpg, in ~/Pictures/Web'],
      ['3 jobs are done', '3 files are ready'],
    ])
  })

  it('is not for what nobody asks about, nor for a summary of that', () => {
    const { notifier, all } = desktop()
    for (const name of ['a', 'b', 'c']) notifier.finished(record(title(name, 1), { kind: 'forgotten' }))
    expect(all).toEqual([])
  })

  it('says that the key was rejected when that is new, and how many jobs wait for another', () => {
    const { become, onShow, all } = desktop()
    const connection = { ...emptyState.connection, state: { status: 'keyRefused' } } as const
    const rejected: AppState = { ...emptyState, connection, outbox: [waiting(title('a', 1))] }
    become(rejected)
    become({ ...rejected, unseen: 1 })
    expect(onShow()).toHaveLength(1)
    expect(all[0]?.view).toMatchObject({ choice: 'service', click: { do: 'enterKey' } })
    become(emptyState)
    become({ ...rejected, outbox: [] })
    const [waitingOne, none] = onShow().map(([, body]) => body)
    expect(waitingOne).toContain('1 job')
    expect(none).not.toContain('job')
  })

  it('says what other modules have to say under the same rules', () => {
    const view = { choice: 'watch', title: 'a', body: 'b', click: { do: 'settings' }, buttons: [] } as const
    const { notifier, bringToFront, all } = desktop()
    notifier.say(view)
    bringToFront()
    notifier.say(view)
    expect(all).toHaveLength(1)
  })

  it('says again that the service has gone when it was there in between', () => {
    const { become, onShow } = desktop()
    become(waitingFor({ status: 'offline', reason: 'refused' }))
    become(waitingFor({ status: 'connecting' }))
    become(waitingFor({ status: 'offline', reason: 'silent' }))
    expect(onShow()).toHaveLength(1)
    become(waitingFor({ status: 'online', version: '1.0.81' }))
    become(waitingFor({ status: 'offline', reason: 'refused' }))
    expect(onShow()).toHaveLength(2)
  })

  it('says once that the service has gone, and only when something waits', () => {
    const { become, onShow } = desktop()
    const offline: AppState = {
      ...emptyState,
      connection: {
        ...emptyState.connection,
        kind: 'external',
        state: { status: 'offline', reason: 'refused' },
      },
    }
    become(offline)
    expect(onShow()).toEqual([])
    const three = { ...offline, outbox: ['a', 'b', 'c'].map((name) => waiting(title(name, 1))) }
    become(three)
    become({ ...three, unseen: 1 })
    expect(onShow()).toEqual([
      ['The service isn’t running', '3 jobs wait here and are sent when it is back.'],
    ])
  })
})

it('What went wrong unexpectedly is said in any case', () => {
  const choices = emptyState.settings.notifications
  const off = Object.fromEntries(Object.keys(choices).map((choice) => [choice, false]))
  const { notifier, onShow, bringToFront } = desktop({
    ...emptyState,
    settings: { ...emptyState.settings, notifications: { ...choices, ...off } },
  })
  bringToFront()
  notifier.say(unexpectedNotification({ t, homeFolder: '/home/ada' }))
  expect(onShow().map(([said]) => said)).toEqual(['Something went wrong inside Mediatray'])
})
