/** Builds the app state from the modules: the source of each part, and the events that update it. */
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../node/errors.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { type Draft, NO_FACTS } from '../../shared/model/draft.ts'
import type { Damage, Dismissible, Notice } from '../../shared/model/notice.ts'
import type { PartAt } from '../../shared/model/job.ts'
import type { Connection } from '../connection/index.ts'
import type { History } from '../history/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { StateStore } from '../state/state.ts'
import { fetchingJobs } from './fetch-results.ts'
import { markHeld } from './mark-held.ts'
import type { JobHolding } from './hold-jobs.ts'
import type { Modules } from './modules.ts'
import { noticesOf } from './notices.ts'
import { entries, jobsOf, noticesFor, servicesOf, withoutOthers, type OtherLines } from './other-lines.ts'

/** Returns the state before the modules have been read. Never shown. */
export const initialState = (settings: Settings, connection: Connection, draft: Draft): AppState => ({
  connection: connection.view(),
  services: [],
  jobs: [],
  queue: null,
  outbox: [],
  endedParts: [],
  quiet: { wait: null, abilities: { battery: 'unknown', idle: false } },
  draft,
  draftFacts: NO_FACTS,
  doneFiles: null,
  intake: null,
  estimate: null,
  foreseen: null,
  contents: [],
  estimateWith: null,
  historyVersion: 0,
  unseen: 0,
  lastProblem: null,
  lastResult: null,
  settings: settings.view(),
  update: { status: 'idle' },
  ending: null,
  notices: [],
})

type Shown =
  | 'events'
  | 'settings'
  | 'connection'
  | 'outbox'
  | 'history'
  | 'downloads'
  | 'tracker'
  | 'sender'
  | 'log'

export type Projected = Pick<Modules, Shown> & {
  readonly state: StateStore
  /** ID of the line's service; undefined for the main line. */
  readonly service: string | undefined
  /** Lines whose jobs and submissions this state also shows, by service. */
  readonly others: OtherLines
  readonly quiet: Pick<JobHolding, 'view' | 'held'>
  readonly diskNotices: () => readonly Notice[]
  readonly stateAside: () => string | null
}

export type StateProjection = ReturnType<typeof projectState>

export function projectState(modules: Projected) {
  const { state, events, settings, connection, outbox, history, tracker, quiet, others } = modules
  const held = markHeld()
  const { later, stop } = createDeferral(modules)
  /** Damage notices to show until the user dismisses them. */
  let damaged: readonly Notice[] = [
    ...keptAside(
      { kind: 'memoryDamaged', what: 'outbox', withHistory: history.setAside !== null },
      outbox.setAside,
    ),
    ...keptAside({ kind: 'memoryDamaged', what: 'history' }, history.setAside),
    ...keptAside({ kind: 'memoryDamaged', what: 'state' }, modules.stateAside()),
    ...keptAside({ kind: 'settingsDamaged' }, settings.keptAs),
  ]
  let damagedPresets: readonly string[] = []
  /** Unreadable settings whose notice the user has dismissed. */
  const dismissedSettings = new Set<string>()

  function jobs(): void {
    const all = jobsIn(modules, held(tracker.jobs(), quiet.held()))
    const before = state.get()
    // Set both lists at once. Otherwise, a job's progress could go backward when one of its parts ends.
    state.set({ jobs: all, queue: tracker.queue(), ...endedParts({ ...before, jobs: all }) })
  }

  const endedParts = (view: AppState) => ({ endedParts: endedPartsIn(history, view) })

  function noticesIn(view: AppState): Pick<AppState, 'notices'> {
    const names = settings.unread().filter((name) => !dismissedSettings.has(name))
    const unread = names.length === 0 ? [] : [{ kind: 'settingsUnread', names } as const]
    const own = noticesOf(withoutOthers(view, others), [...modules.diskNotices(), ...unread, ...damaged])
    const next = own.concat(noticesFor(others, view.settings))
    return { notices: isDeepStrictEqual(next, view.notices) ? view.notices : next }
  }

  const notices = () => state.set(noticesIn(state.get()))

  const waiting = later(() => {
    const outbox = entries(modules, others)
    const view = { ...state.get(), outbox }
    return { outbox: view.outbox, ...endedParts(view), ...noticesIn(view) }
  })

  const historySlices = later(() => newestIn(history, state.get()))

  function settingsSlice(): void {
    state.set({ settings: settings.view() })
    waiting()
  }

  function quietSlice(): void {
    const next = quiet.view()
    if (!isDeepStrictEqual(next, state.get().quiet)) state.set({ quiet: next })
    jobs()
    waiting()
  }

  function connectionSlice(): void {
    state.set({ connection: connection.view() })
    notices()
  }

  historySlices()
  settingsSlice()
  quietSlice()
  // Apply deferred updates to make the first state complete.
  state.get()

  events.on('connectionChanged', connectionSlice)
  events.on('settingsChanged', settingsSlice)
  events.on('quietChanged', quietSlice)
  function linesSlice(): void {
    const services = servicesOf(others, settings.view())
    if (!isDeepStrictEqual(services, state.get().services)) state.set({ services })
    jobs()
    waiting()
  }

  // Only the main line listens, because changes in the other lines' states cause this event.
  if (modules.service === undefined) events.on('linesChanged', linesSlice)
  for (const change of ['outboxChanged', 'sendingChanged', 'diskChanged', 'dataDiskChanged'] as const)
    events.on(change, waiting)
  events.on('submissionAccepted', historySlices)
  events.on('historyChanged', historySlices)
  events.on('fetchingChanged', jobs)
  events.on('originalsChanged', notices)
  events.on('jobsRead', (update) => {
    jobs()
    if (update.events.length > 0) historySlices()
  })
  events.on('databaseSetAside', reportDamage)

  function reportDamage(damage: Damage): void {
    damaged = [...damaged, { kind: 'memoryDamaged', ...damage }]
    notices()
  }

  return {
    reportDamagedPresets(files: readonly string[]): void {
      if (isDeepStrictEqual(files, damagedPresets)) return
      damagedPresets = files
      damaged = [
        ...damaged.filter(({ kind }) => kind !== 'presetsDamaged'),
        ...(files.length === 0 ? [] : [{ kind: 'presetsDamaged', files } as const]),
      ]
      notices()
    },
    /**
     * Dismisses a damage notice; if several databases were damaged, the first one. `settingsUnread` dismisses all settings that can't be
     * read now.
     */
    dismissDamage(kind: Dismissible): void {
      if (kind === 'settingsUnread') for (const name of settings.unread()) dismissedSettings.add(name)
      const first = damaged.find((notice) => notice.kind === kind)
      damaged = damaged.filter((notice) => notice !== first)
      notices()
    },
    /** Call this before closing the modules that the projection reads. */
    close: stop,
  }
}

/** Returns the jobs whose results are being downloaded, then the service's jobs, then the jobs of the other lines. */
function jobsIn(
  { downloads, history, others, service: own }: Projected,
  tracked: readonly PartAt<'service'>[],
): readonly PartAt<'service'>[] {
  // The main line also shows downloads from services without an open line.
  const isOwn = (service: string) => (own === undefined ? !others.has(service) : service === own)
  const active = downloads.active().filter(({ service }) => isOwn(service))
  const fetching = fetchingJobs(active, history)
  const elsewhere = jobsOf(others)
  return fetching.length + elsewhere.length > 0 ? [...fetching, ...tracked, ...elsewhere] : tracked
}

/** Combines the updates of one event-loop tick. A thousand submissions, for example, cause a single update. */
function createDeferral({ state, log }: Pick<Projected, 'state' | 'log'>) {
  let isOpen = true
  const ifOpen = (make: () => Partial<AppState>) => (): Partial<AppState> => {
    try {
      return isOpen ? make() : {}
    } catch (error) {
      log('state not brought up to date', { error: messageOf(error) })
      return {}
    }
  }
  return {
    later: (make: () => Partial<AppState>): (() => void) => {
      const update = ifOpen(make)
      return () => state.setLater(update)
    },
    stop: (): void => {
      isOpen = false
    },
  }
}

const keptAside = <const What extends object>(what: What, keptAs: string | null) =>
  keptAs === null ? [] : [{ ...what, keptAs }]

/** Returns the finished parts of jobs that also have unfinished parts. An unchanged list keeps its identity. */
function endedPartsIn(
  history: Pick<History, 'details'>,
  { jobs, outbox, endedParts: before }: Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>,
): readonly PartAt<'history'>[] {
  const several = [...jobs, ...outbox].flatMap(({ place }) => (place.parts > 1 ? place.id : []))
  const ended = [...new Set(several)].flatMap((id) =>
    (history.details(id)?.parts ?? []).filter(({ outcome }) => outcome !== null),
  )
  return isDeepStrictEqual(ended, before) ? before : ended
}

type HistorySlices = Pick<AppState, 'historyVersion' | 'unseen' | 'lastProblem' | 'lastResult'>

/** Number of newest records to search for unseen problems. The history list also shows older ones. */
const NEWEST = 50

/** Returns what the tray and the badge need from the history. Unchanged parts keep their identity. */
function newestIn(history: History, before: HistorySlices): HistorySlices {
  const unseen = history.unseenCount()
  const newestProblems =
    unseen === 0
      ? []
      : history.page({ outcomes: ['problems', 'failed'] }, { offset: 0, limit: NEWEST }).records
  const results = history.page({ outcomes: ['done', 'problems'] }, { offset: 0, limit: 1 }).records
  return {
    historyVersion: history.version,
    unseen,
    lastProblem: sameAs(before.lastProblem, newestProblems.find((record) => record.unseen) ?? null),
    lastResult: sameAs(before.lastResult, results[0] ?? null),
  }
}

const sameAs = (before: PartAt<'history'> | null, now: PartAt<'history'> | null): PartAt<'history'> | null =>
  isDeepStrictEqual(before, now) ? before : now

/**
 * Returns the local output folders of submissions in the outbox and unfinished jobs; none if the service can't access this computer's
 * files.
 */
export const outputFoldersIn = ({ jobs, outbox, connection }: AppState): readonly string[] =>
  connection.seesFiles
    ? [...jobs, ...outbox].flatMap(({ output }) => (output?.kind === 'folder' ? [output.path] : []))
    : []
