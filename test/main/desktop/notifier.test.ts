import { describe, expect, it } from 'vitest'
import {
  pickProblemNotification,
  startingNotification,
  unexpectedNotification,
  type NotificationView,
} from '../../../src/main/desktop/notifications/notification-view.ts'
import { createNotifier } from '../../../src/main/desktop/notifications/notifier.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { Outcome, PartDetails, PartTitle } from '../../../src/shared/model/job.ts'
import type { ConnectionState } from '../../../src/shared/model/connection.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { emptyState } from '../state/empty-state.ts'
import { record, title, waiting } from '../../part-samples.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const t = createTranslation('en-GB', 'UTC')

/** A desktop that records the visible notifications. */
function desktop(start: AppState = emptyState, batchMs = 0) {
  const all: { view: NotificationView; closed: boolean }[] = []
  let state = start
  let now = 0
  let waiting: { readonly at: number; readonly run: () => void }[] = []
  let inFront = false
  let refused: string | undefined
  const logged: string[] = []
  const notifier = createNotifier({
    show(view) {
      if (view.title === refused) throw new Error('refused by the system')
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
    context: () => ({ t, homeFolder: '/home/ada', settings: DEFAULT_SETTINGS }),
    clock: () => now,
    after: (ms, run) => waiting.push({ at: now + ms, run }),
    batchMs,
    log: (message) => logged.push(message),
  })
  /** Advances the time and runs the timers that are due. */
  function pass(ms: number): void {
    const due = waiting.filter(({ at }) => at <= now + ms)
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { run } of due) run()
    now += ms
  }
  return {
    all,
    notifier: {
      ...notifier,
      finished(ended: PartDetails) {
        notifier.finished(ended)
        if (batchMs === 0) pass(0)
      },
    },
    onShow: () => all.filter((one) => !one.closed).map(({ view }) => [view.title, view.body]),
    pass,
    bringToFront: () => (inFront = true),
    refuse: (notification: string) => (refused = notification),
    logged,
    become: (next: AppState) => {
      const before = state
      state = next
      notifier.stateChanged(next, before)
    },
  }
}

const done = (work: PartTitle, results: number, more: Partial<PartDetails> = {}) =>
  record(work, { kind: 'done', results, uploaded: null }, more)

const say = (work: PartTitle, outcome: Outcome, more: Partial<PartDetails> = {}) => {
  const { notifier, onShow } = desktop()
  notifier.finished(record(work, outcome, more))
  return onShow()[0]
}

describe('a notification', () => {
  it('reports what is ready, and where', () => {
    expect(say(title('DSC_4821.heic', 24), { kind: 'done', results: 24, uploaded: null })).toEqual([
      '24 photos are ready',
      'DSC_4821.heic + 23 more, in ~/Pictures/Web',
    ])
  })

  it('reports how many results are in Drive, and how long the upload took', () => {
    const work: PartTitle = { ...title('interview.mov', 0, 1), output: { kind: 'drive', folderId: 'x' } }
    expect(say(work, { kind: 'done', results: 1, uploaded: 1 })).toEqual([
      '1 video is in Drive',
      'interview.mov, uploaded in 2 min',
    ])
  })

  it('reports how many files are not in Drive, with the service’s message', () => {
    const work: PartTitle = { ...title('a.jpg', 24), output: { kind: 'drive', folderId: 'x' } }
    const results = Array.from({ length: 24 }, (_, index) => ({ file: '', outputPath: `/t/${index}`, index }))
    const problems = [{ file: 'a.jpg', error: 'quota exceeded' }]
    expect(
      say(work, { kind: 'problems', results: 24, problems: 3, uploaded: 21 }, { results, problems }),
    ).toEqual([
      'Upload to Drive failed',
      '3 of 24 files aren’t in Drive. The service reported: “quota exceeded”.',
    ])
  })

  it('counts the results of each variation, and names three files that failed', () => {
    const problems = ['a', 'b', 'b', 'c', 'd'].map((name) => ({ file: `C:\\in\\${name}.jpg`, error: 'x' }))
    const outcome: Outcome = { kind: 'problems', results: 3, problems: 5, uploaded: null }
    const work: PartTitle = { ...title('a.jpg', 2, 2), variations: 2 }
    expect(say(work, outcome, { problems })).toEqual([
      '3 of 8 files are ready',
      'Couldn’t process 4 files: a.jpg, b.jpg, c.jpg, …',
    ])
  })

  it('uses the plural for several unchanged originals, and doesn’t add a second period', () => {
    expect(say(title('a.jpg', 2), { kind: 'failed', reason: ' no space! ' })?.[1]).toBe(
      '“no space!” The originals are unchanged.',
    )
    expect(say(title('a.jpg', 1), { kind: 'failed', reason: '' })?.[1]).toBe('The original is unchanged.')
  })

  it('reports a failed upload only if no result is missing', () => {
    const work: PartTitle = { ...title('a.jpg', 1), output: { kind: 'drive', folderId: 'x' } }
    const results = [{ file: '', outputPath: '/t/a.jpg', index: 0 }]
    const outcome: Outcome = { kind: 'failed', reason: 'broken' }
    expect(say(work, outcome, { results })?.[0]).toBe('Upload to Drive failed')
    expect(say(work, outcome)?.[0]).toBe('a.jpg failed')
    const notUploaded: Outcome = { kind: 'problems', results: 1, problems: 1, uploaded: null }
    expect(say({ ...title('a.jpg', 2), output: work.output }, notUploaded, { results })?.[0]).toBe(
      '1 of 2 photos are ready',
    )
  })

  it('is not shown for canceled or forgotten jobs, or for jobs of other clients', () => {
    expect(say(title('a.jpg', 1), { kind: 'cancelled', results: 0 })).toBeUndefined()
    expect(say(title('a.jpg', 1), { kind: 'forgotten' })).toBeUndefined()
    const foreign: PartTitle = { ...title('a.jpg', 1), origin: 'other' }
    expect(say(foreign, { kind: 'done', results: 1, uploaded: null })).toBeUndefined()
  })
})

/** App state with one submission that waits for a service in this connection state. */
const waitingFor = (state: AppState['connection']['state']): AppState => ({
  ...emptyState,
  connection: { ...emptyState.connection, state },
  outbox: [waiting(title('a', 1))],
})

describe('notifications', () => {
  it('are not shown if their kind is switched off', () => {
    const notifications = { ...emptyState.settings.notifications, done: false }
    const { notifier, onShow } = desktop({
      ...emptyState,
      settings: { ...emptyState.settings, notifications },
    })
    notifier.finished(done(title('a.jpg', 1), 1))
    notifier.finished(record(title('b.jpg', 1), { kind: 'failed', reason: 'x' }))
    expect(onShow().map(([head]) => head)).toEqual(['b.jpg failed'])
  })

  it('are shown separately for two jobs, and for a third that ends a minute later', () => {
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

  it('are shown as one summary when more than two jobs end together, and separately for two', () => {
    const { notifier, all, pass } = desktop(emptyState, 300)
    for (const name of ['a', 'b', 'c']) notifier.finished(done(title(`${name}.jpg`, 1), 1))
    expect(all).toEqual([])
    pass(300)
    expect(all.map(({ view }) => view.title)).toEqual(['3 jobs are done'])
    pass(60_000)
    for (const name of ['d', 'e']) notifier.finished(done(title(`${name}.jpg`, 1), 1))
    pass(300)
    expect(all.slice(1).map(({ view, closed }) => [view.body, closed])).toEqual([
      ['d.jpg, in ~/Pictures/Web', false],
      ['e.jpg, in ~/Pictures/Web', false],
    ])
  })

  it('are not shown for forgotten jobs, not even as a summary', () => {
    const { notifier, all } = desktop()
    for (const name of ['a', 'b', 'c']) notifier.finished(record(title(name, 1), { kind: 'forgotten' }))
    expect(all).toEqual([])
  })

  it('report once that the key was rejected, and how many jobs wait for a new key', () => {
    const { become, onShow, all } = desktop()
    const rejected = waitingFor({ status: 'keyRefused' })
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

  it('from other modules follow the same rules', () => {
    const view = { choice: 'watch', title: 'a', body: 'b', click: { do: 'settings' }, buttons: [] } as const
    const { notifier, bringToFront, all } = desktop()
    notifier.notify(view)
    bringToFront()
    notifier.notify(view)
    expect(all).toHaveLength(1)
  })

  it('report again that the service is unavailable if it has been available in between', () => {
    const { become, onShow } = desktop()
    become(waitingFor({ status: 'offline', reason: 'refused' }))
    become(waitingFor({ status: 'connecting' }))
    become(waitingFor({ status: 'offline', reason: 'silent' }))
    expect(onShow()).toHaveLength(1)
    become(waitingFor({ status: 'online', version: '1.0.81' }))
    become(waitingFor({ status: 'offline', reason: 'refused' }))
    expect(onShow()).toHaveLength(2)
  })

  it('name another service than the main one', () => {
    const { become, onShow, all } = desktop()
    const baseUrl = 'http://nas:3847/api'
    const nas = { ...emptyState.connection, kind: 'external', baseUrl } as const
    const another = (state: ConnectionState): AppState => ({
      ...emptyState,
      services: [{ ...nas, state }],
      outbox: [
        { ...waiting(title('a', 1)), service: baseUrl },
        { ...waiting(title('b', 1)), service: baseUrl },
        waiting(title('c', 1)),
      ],
    })
    become(another({ status: 'offline', reason: 'refused' }))
    become({ ...another({ status: 'offline', reason: 'refused' }), unseen: 1 })
    become(another({ status: 'keyRefused' }))
    become({ ...another({ status: 'keyRefused' }), unseen: 1 })
    expect(onShow()).toEqual([
      [
        'nas:3847: The service isn’t running',
        '2 jobs are waiting and will be sent when the service is back.',
      ],
      ['nas:3847: The service rejected the API key', '2 jobs are waiting. Click to enter the new key.'],
    ])
    expect(all[1]?.view.click).toEqual({ do: 'settings' })
  })

  it('report once that the service is unavailable, and only if something waits for it', () => {
    const { become, onShow } = desktop()
    const offline = waitingFor({ status: 'offline', reason: 'refused' })
    become({ ...offline, outbox: [] })
    expect(onShow()).toEqual([])
    const three = { ...offline, outbox: ['a', 'b', 'c'].map((name) => waiting(title(name, 1))) }
    become(three)
    become({ ...three, unseen: 1 })
    expect(onShow()).toEqual([
      ['The service isn’t running', '3 jobs are waiting and will be sent when the service is back.'],
    ])
  })
})

it('an unexpected error is shown regardless of the settings', () => {
  const choices = emptyState.settings.notifications
  const off = Object.fromEntries(Object.keys(choices).map((choice) => [choice, false]))
  const { notifier, onShow, bringToFront } = desktop({
    ...emptyState,
    settings: { ...emptyState.settings, notifications: { ...choices, ...off } },
  })
  bringToFront()
  notifier.notify(unexpectedNotification({ t, homeFolder: '/home/ada', settings: DEFAULT_SETTINGS }))
  expect(onShow().map(([said]) => said)).toEqual(['Something went wrong inside Mediatray'])
})

describe('without a window, files picked with a preset', () => {
  const context = { t, homeFolder: '/home/ada', settings: DEFAULT_SETTINGS }

  it('are reported with a way to undo or edit the start', () => {
    const ids = [title('a.jpg', 1).id]
    const starting = {
      kind: 'startingSoon',
      ids,
      photos: 6,
      videos: 0,
      skipped: 0,
      presets: ['Web 2048'],
    } as const
    expect(startingNotification(starting, context)).toMatchObject({
      title: 'Starting 6 photos with Web 2048',
      click: { do: 'showRecord', id: ids[0] },
      buttons: [
        { label: 'Undo', action: { do: 'undoStart', ids } },
        { label: 'Edit', action: { do: 'editStart', ids } },
      ],
    })
    const mixed = { ...starting, photos: 1, videos: 2, presets: ['Web', 'Mail'] }
    expect(startingNotification(mixed, context).title).toBe('Starting 3 files with Web, Mail')
  })

  it.each([
    [{ code: 'noMedia', files: 1 }, 'The file isn’t a photo or video that Mediatray can process.'],
    [{ code: 'presetNotFor', preset: 'Clip', kind: 'photos' }, 'The preset “Clip” isn’t for photos.'],
    [{ code: 'noPresetFor', kind: 'videos', count: 2 }, 'None of the chosen presets handles videos.'],
    [
      { code: 'presetUnknown', preset: 'Old' },
      'There is no preset named “Old”. The files are in a new job. Choose another preset there.',
    ],
  ] as const)('are reported with the reason if nothing was started: %o', (problem, body) => {
    expect(pickProblemNotification(problem, context)).toMatchObject({ title: 'Nothing was started', body })
  })
})

it('a notification that can’t be shown affects neither the others of its batch nor the caller', () => {
  const { notifier, onShow, pass, refuse, logged } = desktop(emptyState, 300)
  refuse('1 photo is ready')
  notifier.finished(done(title('a.jpg', 1), 1))
  notifier.finished(done(title('b.jpg', 2), 2))
  pass(300)
  expect(onShow().map(([heading]) => heading)).toEqual(['2 photos are ready'])
  expect(logged).toEqual(['could not show a notification: Error: refused by the system'])
})
