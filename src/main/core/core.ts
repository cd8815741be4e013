/**
 * The app without a window: opens the rooms and hands on from one to the next. Files come in from intake, lie on the draft
 * desk, go through the outbox to the service, are followed by the tracker and kept by the history; the state shows it all.
 */
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { Job } from '../../shared/api/resources.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import { itemsOf } from '../drafts/index.ts'
import type { History } from '../history/index.ts'
import { createTracker, type Tracker } from '../jobs/index.ts'
import type { Outbox, Sender } from '../outbox/index.ts'
import type { Settings } from '../settings/index.ts'
import type { StateStore } from '../state/state.ts'
import { beginFetching, openDownloads } from './fetch-results.ts'
import { keepJobs } from './record-jobs.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import { createKnownFiles, type KnownFiles } from './known-paths.ts'
import { openMemory } from './memory.ts'
import type { Trouble } from './notices.ts'
import { sendSubmissions } from './send-submissions.ts'
import { showState, type ShownState } from './project-state.ts'
import { openDrafts, type Drafts } from '../drafts/index.ts'
import { createTakeIn, type TakeIn } from '../intake/intake.ts'
import type { Timing } from '../../node/timing.ts'
import { unfinishedJobs } from './unfinished-jobs.ts'

export type CoreOptions = {
  /** Absolute; outbox and history are kept here. */
  readonly dataDir: string
  readonly settings: Settings
  readonly connection: Connection
  /** Where results go while nobody has chosen another place. */
  readonly defaultOutput: string
  readonly newId: () => string
  readonly timing: Timing
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
  /** False: only looks, and leaves sending and fetching to another process or another time. */
  readonly sends?: boolean
  /** False: the jobs of other clients are followed and not kept in the history. */
  readonly rememberOthers?: boolean
  /** False: sends only what is meant for this service by name, not what waits for whichever is connected. */
  readonly takesUnaddressed?: boolean
}

export type Added = { readonly taken: number; readonly refused: number }

export interface Core extends Drafts {
  readonly state: StateStore
  readonly settings: Settings
  readonly connection: Connection
  readonly tracker: Tracker
  readonly outbox: Outbox
  readonly sender: Sender
  readonly downloads: Downloads
  readonly history: History
  readonly knownFiles: KnownFiles
  readonly takeIn: TakeIn
  /** Puts what is found under these paths on the desk. @returns how many files were taken and how many were not */
  addPaths(paths: readonly string[]): Promise<Added>
  pause(): void
  resume(): void
  /** A piece of work that nobody needs to look at any more. */
  markSeen(id: RecordId): void
  /** The history was changed by its own methods: pages on show are asked for again. */
  historyChanged(): void
  /** Something outside of the rooms holds sending up, or no longer does. */
  setFullDisk(folder: string | null): void
  dismissDamage(): void
  /** Whether anything is left that moves by itself: sending, looking for what is in doubt, fetching results. */
  busy(): boolean
  /** What the service in use is called by `StartOptions.target`. */
  identity(): string
  /** Called once for each piece of work that is over. */
  onFinished(listener: (record: RecordDetails) => void): () => void
  close(): Promise<void>
}

/** How often it is looked whether another process has changed something; a counter is read, and nothing else. */
const OTHERS_MS = 2_000

export function createCore(options: CoreOptions): Core {
  const { settings, connection, timing, log, dataDir } = options
  const { clock } = timing
  const openedAt = clock()
  const newId = () => asRecordId(options.newId())
  const finished = new Set<(record: RecordDetails) => void>()
  let trouble: Trouble = { damaged: null, fullDisk: null }
  /** Absent while the rooms are being opened: what happens then is in the first state. */
  let shown: ShownState | undefined

  // ── The rooms ─────────────────────────────────────────────────────────────────────────────────────────────────────

  const memory = openMemory({
    dataDir,
    clock,
    newId,
    keepDays: settings.view().keepHistoryDays,
    onDamage: (keptAs) => noteTrouble({ damaged: keptAs }),
    log,
  })
  const { outbox, history } = memory
  /** One process sends and fetches, however many share these files. */
  const isSender = () => options.sends !== false && outbox.claim()
  let wasSender = isSender()

  const downloads: Downloads = openDownloads({
    dataDir,
    history,
    connection,
    timing,
    claim: isSender,
    onChange: () => shown?.jobs(),
    onOver(id, again) {
      shown?.history()
      if (!again) tellFinished(id)
    },
    log,
  })
  const unfinished = () => unfinishedJobs({ history, connection, downloads, isSender })

  const sender = sendSubmissions({
    outbox,
    history,
    settings,
    connection,
    timing,
    takesUnaddressed: options.takesUnaddressed !== false,
    isDiskFull: () => trouble.fullDisk !== null,
    expectResults: (id, folder) => downloads.expect(id, folder),
    follow: (job) => tracker.follow(job),
    onAccepted: () => shown?.history(),
    onChange: () => shown?.outbox(),
    log,
  })

  const keeper = keepJobs({
    history,
    clock,
    rememberOthers: options.rememberOthers !== false,
    fetches: (ended) => beginFetching(ended, { downloads, history, service: serviceIdOf(connection.view()) }),
    service: () => ({
      baseUrl: connection.view().baseUrl,
      connection: connection.view().kind ?? 'external',
    }),
  })

  const tracker: Tracker = createTracker({
    api: () => connection.api(),
    ...timing,
    newId,
    known: unfinished(),
    isSpokenFor,
    scale: () => (connection.view().kind === 'builtIn' ? 'percent' : undefined),
    onUpdate(update) {
      const over = keeper.take(update)
      shown?.jobs()
      if (update.events.length > 0) shown?.history()
      for (const id of over) tellFinished(id)
    },
    onList(list) {
      keeper.takeList(list, tracker)
      if (list.queueLength < MAX_WAITING_JOBS) sender.spaceAvailable()
    },
    onError: (error, from) => connection.noteError(error, from),
  })

  const drafts = openDrafts({
    outbox,
    history,
    settings,
    connection,
    defaultOutput: options.defaultOutput,
    clock,
    onDraft: (draft) => shown?.store.set({ draft }),
    onEntered() {
      shown?.history()
      sender.wake()
    },
  })
  const { desk } = drafts

  const state = showState({
    settings,
    connection,
    tracker,
    sender,
    downloads,
    history,
    desk,
    trouble: () => trouble,
  })
  shown = state

  const takeIn = createTakeIn({
    already: () => itemsOf(desk.view()).map((item) => item.path),
    show: (intake) => state.store.set({ intake }),
  })

  // ── What one tells the others ─────────────────────────────────────────────────────────────────────────────────────

  /** A job that nobody follows may be what came of a submission whose answer is awaited, or in doubt. */
  function isSpokenFor(job: Job): boolean {
    if (history.hasAccepted(job.jobId, openedAt)) return true
    return outbox.list().some(({ state: now }) => {
      if (now.kind !== 'unknown') return now.kind === 'sending'
      return !now.leftToUser || now.candidates.some((candidate) => candidate.jobId === job.jobId)
    })
  }

  function tellFinished(id: RecordId): void {
    const record = history.details(id)
    if (record !== undefined) for (const listener of finished) listener(record)
  }

  function noteTrouble(change: Partial<Trouble>): void {
    trouble = { ...trouble, ...change }
    shown?.notices()
  }

  let served = serviceIdOf(connection.view())

  function connectionChanged(): void {
    const wasOnline = state.store.get().connection.state.status === 'online'
    const isOnline = connection.view().state.status === 'online'
    state.connection()
    const identity = serviceIdOf(connection.view())
    if (identity !== served) {
      served = identity
      tracker.reset(unfinished())
    } else if (isOnline && !wasOnline) tracker.keyChanged()
    if (isOnline && !wasOnline) void connection.refreshDrive()
    sender.connectionChanged()
    downloads.wake()
  }

  /** Another process that shares outbox and history has no way to tell this one that it has added to them. */
  function lookForOthers(): void {
    const sends = isSender()
    if (outbox.changedElsewhere() || sends !== wasSender) noticeOthers()
    wasSender = sends
    cancelLook = timing.after(OTHERS_MS, lookForOthers)
  }
  let cancelLook: (() => void) | undefined

  function noticeOthers(): void {
    const followed = new Set(tracker.jobs().map(({ id }) => id))
    for (const job of unfinished()) if (!followed.has(job.title.id)) tracker.follow(job)
    state.outbox()
    sender.wake()
    downloads.wake()
  }

  const stops = [
    connection.onChange(connectionChanged),
    outbox.onChange(() => state.outbox()),
    settings.onChange(() => {
      state.settings()
      desk.defaultsChanged()
    }),
  ]
  if (options.sends !== false) {
    sender.start()
    downloads.start()
    lookForOthers()
  }

  return {
    ...drafts,
    state: state.store,
    settings,
    connection,
    tracker,
    outbox,
    sender,
    downloads,
    history,
    knownFiles: createKnownFiles(() => state.store.get()),
    takeIn,

    async addPaths(paths) {
      const found = await takeIn.gather(paths, ({ items, rejected }) => desk.add(items, rejected))
      return { taken: found.items.length, refused: found.rejected.length }
    },

    pause: () => void settings.update({ outboxPaused: true }),
    resume() {
      settings.update({ outboxPaused: false })
      sender.wake()
    },
    markSeen(id) {
      history.markSeen(id)
      state.history()
    },
    historyChanged: () => state.history(),
    setFullDisk(folder) {
      noteTrouble({ fullDisk: folder })
      sender.wake()
      state.outbox()
    },
    dismissDamage: () => noteTrouble({ damaged: null }),
    busy: () => sender.busy() || downloads.busy(),
    identity: () => serviceIdOf(connection.view()),

    onFinished(listener) {
      finished.add(listener)
      return () => finished.delete(listener)
    },

    async close() {
      takeIn.stop()
      cancelLook?.()
      for (const stop of stops) stop()
      tracker.close()
      await sender.stop()
      await downloads.stop()
      await connection.close()
      outbox.close()
      history.close()
    },
  }
}
