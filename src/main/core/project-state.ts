/** The state as the rooms have it now: which slice is taken from where, and when it is taken again. */
import type { AppState } from '../../shared/model/app-state.ts'
import type { Connection } from '../connection/index.ts'
import type { DraftStore } from '../drafts/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { Tracker } from '../jobs/index.ts'
import type { Sender } from '../outbox/index.ts'
import type { Settings } from '../settings/index.ts'
import { createStateStore, type StateStore } from '../state/state.ts'
import { fetchingJobs } from './fetching.ts'
import { memoryView } from './memory-view.ts'
import { noticesOf, type Trouble } from './notices.ts'

export type ShownRooms = {
  readonly settings: Settings
  readonly connection: Connection
  readonly tracker: Tracker
  readonly sender: Sender
  readonly downloads: Downloads
  readonly history: History
  readonly desk: DraftStore
  readonly trouble: () => Trouble
}

export interface ShownState {
  readonly store: StateStore
  jobs(): void
  outbox(): void
  notices(): void
  history(): void
  settings(): void
  connection(): void
}

export function showState(rooms: ShownRooms): ShownState {
  const { settings, connection, tracker, sender, downloads, history, desk, trouble } = rooms
  const store = createStateStore(firstState())

  function firstState(): AppState {
    const first = {
      connection: connection.view(),
      jobs: allJobs(),
      queue: tracker.queue(),
      outbox: sender.entries(),
      outboxPaused: settings.view().outboxPaused,
      draft: desk.view(),
      intake: null,
      ...memoryView(history, undefined),
      settings: settings.view(),
      update: { status: 'idle' } as const,
      ending: null,
    }
    return { ...first, notices: noticesOf(first, trouble()) }
  }

  /** Jobs on the service, and before them those whose results are on their way. */
  function allJobs(): AppState['jobs'] {
    const fetching = fetchingJobs(downloads.active(), history)
    return fetching.length === 0 ? tracker.jobs() : [...fetching, ...tracker.jobs()]
  }

  function notices(): void {
    const next = noticesOf(store.get(), trouble())
    if (JSON.stringify(next) !== JSON.stringify(store.get().notices)) store.set({ notices: next })
  }

  function outbox(): void {
    store.set({ outbox: sender.entries() })
    notices()
  }

  return {
    store,
    notices,
    outbox,
    jobs: () => store.set({ jobs: allJobs(), queue: tracker.queue() }),
    history: () => store.set(memoryView(history, store.get())),
    settings() {
      store.set({ settings: settings.view(), outboxPaused: settings.view().outboxPaused })
      outbox()
    },
    connection() {
      store.set({ connection: connection.view() })
      notices()
    },
  }
}
