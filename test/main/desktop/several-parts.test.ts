/** A job with several presets is one job in the notification, the tray and the taskbar. */
import { describe, expect, it } from 'vitest'
import { taskbarView } from '../../../src/main/desktop/menus/taskbar.ts'
import {
  finishedNotification,
  summaryNotification,
} from '../../../src/main/desktop/notifications/notification-view.ts'
import { trayView } from '../../../src/main/desktop/tray/tray-view.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome, PartDetails, PartTitle } from '../../../src/shared/model/job.ts'
import { endOf } from '../../../src/shared/model/job-outcome.ts'
import { countWaiting, unfinishedJobs } from '../../../src/shared/model/job-state.ts'
import { emptyState } from '../state/empty-state.ts'
import { queued, record, running, title, waiting } from '../../part-samples.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const t = createTranslation('en-GB', 'UTC')
const context = { t, homeFolder: '/home/ada', settings: DEFAULT_SETTINGS }

const place = { id: asRecordId('r_a.heic'), parts: 2, photos: 24, videos: 0, presets: 2, folders: 2 }
const part = (index: number, preset: string, presets = 2): PartTitle => ({
  ...title('a.heic', 24),
  id: asRecordId(index === 0 ? 'r_a.heic' : `r_a.heic-${index}`),
  preset,
  place: { ...place, presets, part: index },
})
const web = part(0, 'Web 2048')
const mail = part(1, 'Mail')

/** The first part is done. */
const ended = (outcome: Outcome, presets = 2): PartDetails => {
  const results = presets === 1 ? 12 : 24
  const first = record(part(0, 'Web 2048', presets), { kind: 'done', results, uploaded: null })
  const second = record(part(1, 'Mail', presets), outcome)
  return { ...first, parts: [first, second], ...endOf({ parts: [first, second] }) }
}

const problems: Outcome = { kind: 'problems', results: 22, problems: 2, uploaded: null }
const done: Outcome = { kind: 'done', results: 24, uploaded: null }

describe('the notification', () => {
  it('counts the results of all presets', () => {
    expect(finishedNotification(ended(problems), context)?.title).toBe('46 of 48 results are ready')
    expect(finishedNotification(ended(done), context)?.title).toBe('48 results are ready')
  })

  it('names the files with problems, each once', () => {
    const problem = { file: '/in/b.heic', error: 'x' }
    const whole = { ...ended(problems), problems: [problem, { ...problem, error: 'y' }] }
    expect(finishedNotification(whole, context)?.body).toBe('Couldn’t process 1 file: b.heic')
    expect(finishedNotification({ ...whole, problems: [] }, context)?.body).toBe('a.heic + 23 more')
  })

  it('names the files if there is only one preset', () => {
    const one: Outcome = { kind: 'done', results: 12, uploaded: null }
    expect(finishedNotification(ended(one, 1), context)).toMatchObject({
      title: '24 photos are ready',
      click: { do: 'showRecord', id: 'r_a.heic' },
    })
  })

  it('counts one job in a summary', () => {
    expect(summaryNotification([ended(done)], context)).toMatchObject({
      title: '1 job is done',
      body: '48 files are ready',
    })
  })
})

const online = {
  ...emptyState,
  connection: {
    ...emptyState.connection,
    kind: 'external',
    key: 'keychain',
    state: { status: 'online', version: '1.0.81' },
  },
} as const

describe('the tray and the taskbar', () => {
  it('show the progress of the whole job, without counting its other presets', () => {
    const state = { ...online, jobs: [running(web, 0.5, 60_000), queued(mail, 1)] }
    const { tooltip, items } = trayView(state, t)
    expect(tooltip).toBe('25%, about 3 min left')
    expect(items[0]).toEqual({ kind: 'text', label: 'a.heic + 23 more, 25%' })
    expect(taskbarView(state).progress).toBe(0.25)
  })

  it('count the ended preset, and never go backward between two presets', () => {
    const first = record(web, { kind: 'done', results: 24, uploaded: null })
    const state = { ...online, endedParts: [first], jobs: [queued(mail, 1)] }
    expect(taskbarView(state).progress).toBe(0.5)
    expect(trayView(state, t).icon).toBe('busy')
  })

  it('count a waiting job once', () => {
    const outbox = [
      { ...waiting(web), state: { kind: 'waiting', because: 'turn', notBefore: null } as const },
      { ...waiting(mail), state: { kind: 'waiting', because: 'turn', notBefore: null } as const },
    ]
    expect(countWaiting(unfinishedJobs({ ...online, outbox }))).toBe(1)
  })

  it('count a job with two refused presets once in the badge', () => {
    const refused = { kind: 'refused', message: '', why: 'invalid', skipped: [] } as const
    const outbox = [web, mail].map((work) => ({ ...work, at: 'outbox' as const, state: refused }))
    expect(taskbarView({ ...online, outbox }).badge).toBe(1)
  })
})
