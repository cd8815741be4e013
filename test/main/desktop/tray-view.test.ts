import { describe, expect, it } from 'vitest'
import { trayView } from '../../../src/main/desktop/tray/tray-view.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { ConnectionState } from '../../../src/shared/model/connection.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { waitingFor } from '../../waiting-for.ts'
import { emptyState } from '../state/empty-state.ts'
import { entry, queued, record, running, title, waiting } from '../../part-samples.ts'

const t = createTranslation('en-GB', 'UTC')

const connected = (state: ConnectionState): AppState => ({
  ...emptyState,
  connection: { ...emptyState.connection, kind: 'external', key: 'keychain', state },
})
const online = connected({ status: 'online', version: '1.0.81' })
const heic = title('DSC_4821.heic', 24)
const scan = title('scan_001.tiff', 18)

/** The menu in the notation of design.md. */
const draw = (state: AppState): string[] =>
  trayView(state, t).items.map((item) => (item.kind === 'divider' ? '─' : item.label))

const NEW_JOB = ['New job…', 'Process clipboard']
const PAUSE = ['─', 'Pause']
const ALWAYS = ['─', 'Open Mediatray', 'Settings…', 'Quit Mediatray']

const itemWith = (settings: Partial<AppState['settings']>, state = online) =>
  trayView({ ...state, settings: { ...state.settings, ...settings } }, t).items.find(
    (item) => item.kind === 'action' && item.action.do === 'processClipboard',
  )

describe('the tray', () => {
  it('reports a full disk before the last result', () => {
    const state: AppState = { ...online, notices: [{ kind: 'diskFull', folder: '/home/ada' }] }
    expect(trayView(state, t)).toMatchObject({ icon: 'attention', tooltip: 'The disk is full' })
    expect(draw(state)).toEqual(['The disk is full', '─', ...NEW_JOB, ...PAUSE, ...ALWAYS])
  })

  it('names another service that rejects its key or isn’t there, and shows running jobs before the latter', () => {
    const baseUrl = 'http://nas:3847/api'
    const another = (state: ConnectionState): AppState => ({
      ...online,
      services: [{ ...online.connection, baseUrl, address: 'nas:3847', state }],
      outbox: [{ ...waiting(title('a.jpg', 1)), service: baseUrl }],
    })
    const offline = another({ status: 'offline', reason: 'refused' })
    expect(trayView(offline, t)).toMatchObject({
      icon: 'offline',
      tooltip: expect.stringMatching(/^nas:3847: /),
    })
    expect(draw(offline).slice(0, 4)).toEqual([
      expect.stringMatching(/^nas:3847: /),
      '1 job is waiting',
      '─',
      'New job…',
    ])
    expect(trayView({ ...offline, jobs: [running(heic, 0.29, 110_000)] }, t).icon).toBe('busy')
    const rejected = another({ status: 'keyRefused' })
    expect(trayView({ ...rejected, jobs: [running(heic, 0.29, 110_000)] }, t)).toMatchObject({
      icon: 'attention',
      tooltip: 'nas:3847: The service rejected the API key',
    })
  })

  it('shows that it is busy', () => {
    const state: AppState = {
      ...online,
      jobs: [running(heic, 0.29, 110_000), queued(title('a.mp4', 0, 1), 1), queued(title('b.jpg', 12), 2)],
      outbox: ['x', 'y', 'z'].map((name) => waiting(title(name, 1))),
    }
    expect(trayView(state, t)).toMatchObject({
      icon: 'busy',
      tooltip: '29%, about 2 min left, 5 waiting',
    })
    expect(draw(state)).toEqual([
      'DSC_4821.heic + 23 more, 29%',
      'About 2 min left, 5 waiting',
      '─',
      ...NEW_JOB,
      '─',
      'Cancel this job',
      'Pause',
      ...ALWAYS,
    ])
  })

  it('lists the starred presets that the service offers, before all other ways to start a job', () => {
    const settings = { ...online.settings, starredPresets: ['Mail', 'Gone', 'Clip'] }
    const state: AppState = { ...online, settings }
    const offered: AppState = {
      ...state,
      connection: { ...state.connection, presets: { image: ['Mail'], video: ['Clip', 'Mail'] } },
    }
    expect(draw(offered)).toEqual([
      'Connected, 127.0.0.1:3847',
      '─',
      'Mail…',
      'Clip…',
      '─',
      ...NEW_JOB,
      ...PAUSE,
      ...ALWAYS,
    ])
    expect(trayView(offered, t).items).toContainEqual({
      kind: 'action',
      label: 'Mail…',
      action: { do: 'startWith', preset: 'Mail' },
    })
    // Until the service's presets are known, none is left out.
    expect(draw(state)).toContain('Gone…')
    const busy = draw({ ...offered, jobs: [running(heic, 0.29, 110_000)] })
    expect(busy.slice(3, 10)).toEqual(['Mail…', 'Clip…', '─', ...NEW_JOB, '─', 'Cancel this job'])
    const problems = record(scan, { kind: 'problems', results: 16, problems: 2, uploaded: null })
    const attention = draw({ ...offered, unseen: 1, lastProblem: problems })
    expect(attention.slice(2, 7)).toEqual(['Show problems', 'Retry 2 files', '─', 'Mail…', 'Clip…'])
  })

  it('names the preset that processes the clipboard, and shows its shortcut if that is valid', () => {
    const action = { do: 'processClipboard' }
    const web = { defaultPresets: ['Web', 'Mail'] }
    expect(itemWith({ ...web, clipboardShortcut: 'Control+Alt+C' })).toEqual({
      kind: 'action',
      label: 'Process clipboard with Web',
      action,
      accelerator: 'Control+Alt+C',
    })
    const task = { defaultPresets: ['Make smaller', 'Web'] }
    const builtIn: AppState = { ...online, connection: { ...online.connection, kind: 'builtIn' } }
    expect(itemWith(task, builtIn)).toMatchObject({ label: 'Process clipboard with Make smaller' })
    expect(itemWith(task)).toMatchObject({ label: 'Process clipboard with Web' })
    const clip = { ...web, clipboardPreset: 'Clip', clipboardShortcut: 'Ctrl+Nonsense' }
    expect(itemWith(clip)).toEqual({ kind: 'action', label: 'Process clipboard with Clip', action })
    expect(itemWith({ ...web, clipboardPreset: 'Under a size: 2 MB' })).toMatchObject({
      label: 'Process clipboard with Under 2 MB',
    })
    expect(itemWith({ ...web, clipboardPreset: '' })).toMatchObject({ label: 'Process clipboard' })
  })

  it('doesn’t show a percentage if none is known', () => {
    const state: AppState = { ...online, jobs: [running(heic, null)] }
    expect(draw(state)[0]).toBe('DSC_4821.heic + 23 more, Working')
    expect(trayView(state, t).tooltip).toBe('Working')
  })

  it('pauses for an hour, until tomorrow, or until the user resumes', () => {
    const pause = trayView(online, t).items.find((item) => item.kind === 'submenu')
    expect(pause).toEqual({
      kind: 'submenu',
      label: 'Pause',
      items: [
        { kind: 'action', label: 'For 1 hour', action: { do: 'pause', length: 'hour' } },
        { kind: 'action', label: 'Until tomorrow', action: { do: 'pause', length: 'tomorrow' } },
        { kind: 'action', label: 'Until I resume', action: { do: 'pause', length: 'untilResumed' } },
      ],
    })
    const paused = { ...online, quiet: waitingFor('paused', Date.UTC(2026, 10, 25, 13, 4)) }
    expect(trayView(paused, t)).toMatchObject({ icon: 'idle', tooltip: 'Paused until 13:04' })
    expect(draw(paused)).toEqual(['Paused until 13:04', '─', ...NEW_JOB, '─', 'Resume', ...ALWAYS])
  })

  it('is idle while quiet mode holds jobs back, and says until when', () => {
    const wait = { reason: 'time', until: Date.UTC(2026, 10, 25, 22) } as const
    const quiet = waitingFor('time', wait.until)
    const state: AppState = {
      ...online,
      quiet,
      jobs: [{ ...running(heic, 0.29), held: wait }],
      outbox: ['x', 'y'].map((name) => waiting(title(name, 1))),
    }
    expect(trayView(state, t)).toMatchObject({ icon: 'idle', tooltip: 'Waiting until 22:00, 3 waiting' })
    expect(draw(state).slice(0, 3)).toEqual(['Waiting until 22:00', '3 jobs are waiting', '─'])
    // Nothing waits, so it isn't worth mentioning.
    expect(trayView({ ...online, quiet }, t).tooltip).toBe('Mediatray, nothing to do')
  })

  it('asks for a new key before anything else', () => {
    const state: AppState = {
      ...connected({ status: 'keyRefused' }),
      unseen: 1,
      lastProblem: record(scan, { kind: 'failed', reason: 'no' }),
      jobs: [running(heic, 0.5)],
    }
    expect(draw(state).slice(0, 3)).toEqual(['The service rejected the API key', '─', 'Enter new key…'])
  })

  it('asks about a submission that may have arrived', () => {
    const trip = title('boat-trip.mp4', 0, 1)
    const state: AppState = {
      ...online,
      outbox: [entry(trip, { kind: 'unknown', candidates: [], checking: false })],
    }
    expect(draw(state).slice(0, 3)).toEqual(['Did the service receive boat-trip.mp4?', '─', 'Choose…'])
    const looking = { ...online, outbox: [entry(trip, { kind: 'unknown', candidates: [], checking: true })] }
    expect(trayView(looking as AppState, t).icon).toBe('idle')
  })

  it('gives attention precedence over offline, and offline precedence over busy', () => {
    const busy: AppState = {
      ...connected({ status: 'offline', reason: 'silent' }),
      jobs: [running(heic, 0.5)],
    }
    expect(trayView(busy, t).icon).toBe('offline')
    expect(
      trayView({ ...busy, unseen: 1, lastProblem: record(scan, { kind: 'failed', reason: '' }) }, t).icon,
    ).toBe('attention')
    expect(trayView({ ...busy, connection: online.connection }, t).icon).toBe('busy')
  })
})
