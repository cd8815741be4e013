/** The one state as the modules have it now: which slice is taken from where, and after which event it is taken again. */
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../node/errors.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Damage } from '../../shared/model/notice.ts'
import type { RecordSummary } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { Tracker } from '../jobs/index.ts'
import type { Outbox, Sender } from '../outbox/index.ts'
import type { Settings } from '../settings/settings.ts'
import type { StateStore } from '../state/state.ts'
import type { CoreEvents, Events, Log } from './events.ts'
import { fetchingJobs } from './fetch-results.ts'
import { noticesOf } from './notices.ts'

/** The state before the modules are read. Nobody is shown it. */
export const initialState = (settings: Settings, connection: Connection, draft: Draft): AppState => ({
  connection: connection.view(),
  jobs: [],
  queue: null,
  outbox: [],
  outboxPaused: settings.view().outboxPaused,
  draft,
  intake: null,
  forecast: null,
  forecastWith: null,
  historyVersion: 0,
  unseen: 0,
  lastProblem: null,
  lastResult: null,
  settings: settings.view(),
  update: { status: 'idle' },
  ending: null,
  notices: [],
})

export type Projected = {
  readonly state: StateStore
  readonly events: Events<CoreEvents>
  readonly settings: Settings
  readonly connection: Connection
  readonly outbox: Pick<Outbox, 'setAside'>
  readonly history: History
  readonly downloads: Downloads
  readonly tracker: Tracker
  readonly sender: Sender
  /** The folder of the app's own data, where its files are no longer in it. */
  readonly dataGone: () => string | null
  /** The folder on whose disk there is no room; null: there is room everywhere. */
  readonly fullDisk: () => string | null
  readonly log: Log
}

export interface StateProjection {
  /** A database that the core does not open itself was damaged. */
  sayDamage(damage: Damage): void
  /** Presets that can't be used now, by their file names. */
  sayDamagedPresets(files: readonly string[]): void
  /** The person has read that something was damaged; of several databases, the first. */
  dismissDamage(kind: 'settingsDamaged' | 'memoryDamaged' | 'presetsDamaged'): void
  /** Before what it reads is closed. */
  close(): void
}

export function projectState(modules: Projected): StateProjection {
  const { state, events, settings, connection, outbox, history, downloads, tracker, sender, fullDisk } =
    modules
  let isOpen = true
  let damaged: readonly Damage[] = [
    ...damageOf('outbox', outbox),
    ...damageOf('history', history),
    ...damageOf('downloads', downloads),
  ]
  let damagedPresets: readonly string[] = []
  let isPresetsNoticeRead = false
  let damagedSettings = settings.keptAs

  /** Jobs on the service, and before them those whose results are on their way. */
  function jobs(): void {
    const fetching = fetchingJobs(downloads.active(), history)
    const all = fetching.length === 0 ? tracker.jobs() : [...fetching, ...tracker.jobs()]
    state.set({ jobs: all, queue: tracker.queue() })
  }

  function noticesIn(view: AppState): Pick<AppState, 'notices'> {
    const next = noticesOf(view, {
      damaged,
      damagedSettings,
      damagedPresets: isPresetsNoticeRead ? [] : damagedPresets,
      dataGone: modules.dataGone(),
      fullDisk: fullDisk(),
    })
    return { notices: isDeepStrictEqual(next, view.notices) ? view.notices : next }
  }

  const notices = () => state.set(noticesIn(state.get()))

  /** Made once for all that happens in one turn, such as a thousand submissions in a row. */
  const later = (make: () => Partial<AppState>) => {
    const ifOpen = (): Partial<AppState> => {
      try {
        return isOpen ? make() : {}
      } catch (error) {
        modules.log('state not brought up to date', { error: messageOf(error) })
        return {}
      }
    }
    return () => state.setLater(ifOpen)
  }

  const entries = later(() => {
    const outbox = sender.entries()
    return { outbox, ...noticesIn({ ...state.get(), outbox }) }
  })

  const historySlices = later(() => newestIn(history, state.get()))

  function settingsSlice(): void {
    state.set({ settings: settings.view(), outboxPaused: settings.view().outboxPaused })
    entries()
  }

  function connectionSlice(): void {
    state.set({ connection: connection.view() })
    notices()
  }

  jobs()
  historySlices()
  settingsSlice()
  // The first state is whole from the start.
  state.get()

  events.on('connectionChanged', connectionSlice)
  events.on('settingsChanged', settingsSlice)
  events.on('draftChanged', (draft) => state.set({ draft }))
  events.on('intakeProgressed', (intake) => state.set({ intake }))
  events.on('outboxChanged', entries)
  events.on('sendingChanged', entries)
  events.on('otherProcessWrote', entries)
  events.on('submissionAccepted', historySlices)
  events.on('historyChanged', historySlices)
  events.on('fetchingChanged', jobs)
  events.on('diskChanged', entries)
  events.on('dataDiskChanged', entries)
  events.on('jobsRead', (update) => {
    jobs()
    if (update.events.length > 0) historySlices()
  })
  events.on('databaseSetAside', sayDamage)

  function sayDamage(damage: Damage): void {
    damaged = [...damaged, damage]
    notices()
  }

  return {
    sayDamage,
    sayDamagedPresets(files) {
      if (isDeepStrictEqual(files, damagedPresets)) return
      damagedPresets = files
      isPresetsNoticeRead = false
      notices()
    },
    dismissDamage(kind) {
      if (kind === 'memoryDamaged') damaged = damaged.slice(1)
      else if (kind === 'settingsDamaged') damagedSettings = null
      else isPresetsNoticeRead = true
      notices()
    },
    close() {
      isOpen = false
    },
  }
}

const damageOf = (what: Damage['what'], { setAside }: { readonly setAside: string | null }): Damage[] =>
  setAside === null ? [] : [{ what, keptAs: setAside }]

type HistorySlices = Pick<AppState, 'historyVersion' | 'unseen' | 'lastProblem' | 'lastResult'>

/** Problems that nobody has seen are among the newest ones; an older one than that is found in the list. */
const NEWEST = 50

/** What of the history the tray and the badge show. Unchanged parts stay the same objects. */
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

const sameAs = (before: RecordSummary | null, now: RecordSummary | null): RecordSummary | null =>
  isDeepStrictEqual(before, now) ? before : now

/** Where results of waiting or running work go, as far as this computer's disks are concerned. */
export const outputFoldersIn = ({ jobs, outbox, connection }: AppState): readonly string[] =>
  connection.seesFiles
    ? [...jobs, ...outbox].flatMap(({ output }) => (output?.kind === 'folder' ? [output.path] : []))
    : []
