/**
 * The app without a window: opens the rooms and hands on from one to the next. Files come in from intake, lie on the draft
 * desk, go through the outbox to the service, are followed by the tracker and kept by the history; the state shows it all.
 */
import { join } from 'node:path'
import { stat } from 'node:fs/promises'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Draft, OutputTarget } from '../../shared/model/draft.ts'
import type { StartResult } from '../../shared/ipc.ts'
import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { problemsOf, resultsOf } from '../../shared/model/outcome.ts'
import type { RecordDetails, WaitingReason } from '../../shared/model/work.ts'
import type { Connection } from '../connection/index.ts'
import {
  createDraftDesk,
  emptyDraft,
  itemsOf,
  splitByKind,
  withFittingPreset,
  type DraftDefaults,
  type DraftDesk,
} from '../draft/index.ts'
import { createDownloads, type Downloads, type Fetched } from '../downloads/index.ts'
import { openHistory, type History } from '../history/index.ts'
import { createTracker, type Followed, type Tracker } from '../jobs/index.ts'
import {
  createSender,
  openOutbox,
  planDraft,
  titleOf,
  type Acceptance,
  type Outbox,
  type PlannedSubmission,
  type Sender,
  type SendingService,
  type StoredSubmission,
} from '../outbox/index.ts'
import type { Settings } from '../settings/index.ts'
import { createStateStore, type StateStore } from '../state/state.ts'
import { fetchingJobs } from './fetching.ts'
import { keepJobs, type EndedJob } from './follow-jobs.ts'
import { createKnownFiles, type KnownFiles } from './known-files.ts'
import { memoryView } from './memory-view.ts'
import { noticesOf, type Trouble } from './notices.ts'
import { createOwnJobs } from './own-jobs.ts'
import { createTakeIn, type TakeIn } from './take-in.ts'

export type Timing = {
  /** ms since 1970; may jump. */
  readonly clock: () => number
  /** ms, never going back. */
  readonly monotonic: () => number
  /** Runs something once after some ms. @returns a function that prevents it */
  readonly after: (ms: number, run: () => void) => () => void
  /** 0..1 */
  readonly random: () => number
}

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

/** How a draft is started. */
export type StartOptions = {
  /** Photos and videos each become a submission of their own. */
  readonly split: boolean
  /** ms in which it can still be undone. */
  readonly grace: number
  /** With the key of an earlier call nothing is started. */
  readonly key?: string
  /** The identity of the only service that it may be sent to; absent: whichever is connected. */
  readonly target?: string
  /** Uploads the files and fetches the results, whatever the service is thought to see. */
  readonly upload?: boolean
}

export type Added = { readonly taken: number; readonly refused: number }

export interface Core {
  readonly state: StateStore
  readonly settings: Settings
  readonly connection: Connection
  readonly tracker: Tracker
  readonly outbox: Outbox
  readonly sender: Sender
  readonly downloads: Downloads
  readonly history: History
  readonly desk: DraftDesk
  readonly knownFiles: KnownFiles
  readonly takeIn: TakeIn
  /** Puts what is found under these paths on the desk. @returns how many files were taken and how many were not */
  addPaths(paths: readonly string[]): Promise<Added>
  /** Starts what lies on the desk, and clears the desk. */
  start(options: StartOptions): StartResult
  /** An empty draft as the settings want it. */
  defaultDraft(): Draft
  /** Starts a draft that never lay on the desk, such as a quick drop. */
  startDraft(draft: Draft, options: StartOptions): StartResult
  /** A waiting or refused submission goes back to the desk. False where it is being sent already. */
  edit(id: RecordId): boolean
  /** Puts another draft on the desk: a record run again. */
  openDraft(draft: Draft): void
  /** What was being edited waits again as it was. */
  stopEditing(): void
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
  const { settings, connection, timing, log } = options
  const { clock } = timing
  const newId = () => asRecordId(options.newId())
  const openedAt = clock()
  let trouble: Trouble = { damaged: null, fullDisk: null }
  /** Until there is a state to show it in, trouble is only noted. */
  let showTrouble: (() => void) | undefined
  const outbox = openOutbox({ file: join(options.dataDir, 'outbox.db'), clock, ids: newId })
  /** One process sends and fetches, however many share these files. */
  const isSender = () => options.sends !== false && outbox.claim()
  let wasSender = isSender()
  const history = openHistory({
    file: join(options.dataDir, 'history.db'),
    clock,
    log,
    onSetAside: (keptAs) => noteTrouble({ damaged: keptAs }),
  })
  history.applyRetention(settings.view().keepHistoryDays)
  rememberSubmissions()

  noteTrouble({ damaged: outbox.setAside ?? history.setAside })
  const finished = new Set<(record: RecordDetails) => void>()
  const ownJobs = createOwnJobs(history.unfinished().map((job) => job.jobId))

  // ── What is remembered ────────────────────────────────────────────────────────────────────────────────────────────

  /** The outbox is written first; what a crash kept from the history is told again. */
  function rememberSubmissions(): void {
    for (const submission of [...outbox.list(), ...outbox.accepted()]) rememberSubmission(submission)
  }

  function rememberSubmission({ id, plan, createdAt }: StoredSubmission): void {
    history.recordSubmission({
      title: titleOf(id, plan, createdAt),
      inputs: plan.items,
      grouping: plan.grouping,
    })
  }

  const followed = (): readonly Followed[] => {
    const { kind, baseUrl } = connection.view()
    // Each process has a built-in service of its own, which knows nothing of another one's jobs.
    if (kind === 'builtIn' && !isSender()) return []
    return history
      .unfinished()
      .filter((job) => (job.connection === 'builtIn' ? kind === 'builtIn' : job.baseUrl === baseUrl))
      .filter((job) => !downloads.isBegun(job.title.id))
      .map(({ title, jobId, acceptedAt, skipped }) => ({
        title,
        jobId,
        skipped,
        ...(acceptedAt === null ? {} : { acceptedAt }),
      }))
  }

  // ── Sending ───────────────────────────────────────────────────────────────────────────────────────────────────────

  function sendingService(): SendingService | undefined {
    const api = connection.api()
    const { kind, baseUrl, seesFiles } = connection.view()
    if (api === undefined || kind === null) return undefined
    return { api, kind, baseUrl, seesFiles, takesUnaddressed: options.takesUnaddressed !== false }
  }

  function blocked(): WaitingReason | null {
    if (settings.view().outboxPaused) return 'paused'
    const { state } = connection.view()
    if (state.status === 'connecting') return 'offline'
    if (state.status !== 'online') return state.status
    return trouble.fullDisk === null ? null : 'diskFull'
  }

  function accepted(submission: StoredSubmission, acceptance: Acceptance): void {
    const { output } = submission.plan
    if (acceptance.remote === true && output.kind === 'folder') downloads.expect(submission.id, output.path)
    rememberSubmission(submission)
    history.recordAccepted(submission.id, acceptance)
    ownJobs.add(acceptance.jobId)
    tracker.follow({
      title: titleOf(submission.id, submission.plan, submission.createdAt),
      jobId: acceptance.jobId,
      skipped: acceptance.skipped,
      acceptedAt: acceptance.acceptedAt,
    })
    historyChanged()
  }

  const sender = createSender({
    outbox,
    service: sendingService,
    blocked,
    ownJobIds() {
      for (const { jobId } of history.unfinished()) ownJobs.add(jobId)
      return ownJobs.ids()
    },
    sizeOf: async (path) => (await stat(path).catch(() => null))?.size ?? null,
    clock,
    startTimer: timing.after,
    random: timing.random,
    onAccepted: accepted,
    onTrouble: (error) => connection.noteError(error),
    onChange: () => showOutbox(),
    log,
  })

  // ── Fetching ──────────────────────────────────────────────────────────────────────────────────────────────────────

  const downloads = createDownloads({
    file: join(options.dataDir, 'downloads.db'),
    service() {
      const api = connection.api()
      return api === undefined ? undefined : { api, identity: identityOf(connection) }
    },
    claim: isSender,
    clock,
    after: timing.after,
    onFetched: fetched,
    onTrouble: (error) => connection.noteError(error),
    onChange: () => showJobs(),
    log,
  })

  /** Only a completed job's outputs can be downloaded (section 4). */
  function fetchResults({ id, jobId, job, outcome, endedAt }: EndedJob): boolean {
    if (!downloads.isExpected(id)) return false
    if (downloads.isBegun(id)) return true
    const results = job === null ? [] : resultsOf(job)
    if (job === null || results.length === 0 || (outcome.kind !== 'done' && outcome.kind !== 'problems')) {
      downloads.forget(id)
      return false
    }
    downloads.begin({
      id,
      jobId,
      service: identityOf(connection),
      outcome,
      endedAt,
      results: results.map((result, index) => ({ ...result, index })),
      problems: problemsOf(job, history.details(id)?.skipped ?? []),
    })
    return true
  }

  function fetched({ id, outcome, endedAt, results, problems, again }: Fetched): void {
    history.recordResults(id, results, problems)
    history.recordOutcome(id, outcome, endedAt)
    historyChanged()
    if (!again) tellFinished(id)
  }

  // ── Following ─────────────────────────────────────────────────────────────────────────────────────────────────────

  const keeper = keepJobs({
    history,
    clock,
    rememberOthers: options.rememberOthers !== false,
    fetches: fetchResults,
    service: () => ({
      baseUrl: connection.view().baseUrl,
      connection: connection.view().kind ?? 'external',
    }),
  })

  const tracker = createTracker({
    api: () => connection.api(),
    ...timing,
    newId,
    known: followed(),
    isSpokenFor: (job) =>
      history.hasAccepted(job.jobId, openedAt) ||
      outbox.list().some(({ state }) => {
        if (state.kind === 'unknown' && state.settled) {
          return state.lookAlikes.some((candidate) => candidate.jobId === job.jobId)
        }
        return state.kind === 'sending' || state.kind === 'unknown'
      }),
    scale: () => (connection.view().kind === 'builtIn' ? 'percent' : undefined),
    onUpdate(update) {
      const over = keeper.take(update)
      state.set({ queue: update.queue })
      showJobs()
      if (update.events.length > 0) historyChanged()
      for (const id of over) tellFinished(id)
    },
    onList(list) {
      keeper.takeList(list, tracker)
      if (list.queueLength < 10) sender.roomAvailable()
    },
    onError: (error, from) => connection.noteError(error, from),
  })

  let cancelLook: (() => void) | undefined

  /** Another process that shares outbox and history has no way to tell this one that it has added to them. */
  function lookForOthers(): void {
    const sends = isSender()
    if (outbox.changedElsewhere() || sends !== wasSender) noticeOthers()
    wasSender = sends
    cancelLook = timing.after(OTHERS_MS, lookForOthers)
  }

  function noticeOthers(): void {
    const shown = new Set(tracker.jobs().map(({ id }) => id))
    for (const job of followed()) if (!shown.has(job.title.id)) tracker.follow(job)
    showOutbox()
    sender.wake()
    downloads.wake()
  }

  function tellFinished(id: RecordId): void {
    const record = history.details(id)
    if (record !== undefined) for (const listener of finished) listener(record)
  }

  // ── The draft ─────────────────────────────────────────────────────────────────────────────────────────────────────

  function draftDefaults(): DraftDefaults {
    const { defaultPreset, defaultOutput, variations, grouping } = settings.view()
    const output: OutputTarget = defaultOutput ?? { kind: 'folder', path: options.defaultOutput }
    return { preset: defaultPreset, output, variations, grouping }
  }

  const desk = createDraftDesk(draftDefaults, (draft) => state.set({ draft }))

  function startDraft(draft: Draft, how: StartOptions): StartResult {
    const { split, grace, key, target, upload = false } = how
    const { presets, drive, ...view } = connection.view()
    const seesFiles = view.seesFiles && !upload
    const parts = split ? splitByKind(draft).map((part) => withFittingPreset(part, presets)) : [draft]
    const plans = parts.map((part) => planDraft(part, { presets, drive, seesFiles }))
    const problems = plans.flatMap((plan) => (plan.ok ? [] : plan.problems))
    if (problems.length > 0) return { ok: false, problems }
    const submissions = plans.flatMap((plan): readonly PlannedSubmission[] =>
      plan.ok ? plan.submissions : [],
    )
    const addressed = submissions.map((submission) => ({
      ...submission,
      ...(target === undefined ? {} : { target }),
      ...(upload ? { upload } : {}),
    }))
    const entered = outbox.enqueue(addressed, {
      ...(grace > 0 ? { notBefore: clock() + grace } : {}),
      ...(draft.editing === null ? {} : { replacing: draft.editing }),
      ...(key === undefined ? {} : { key }),
    })
    if (draft.editing !== null) history.forget(draft.editing)
    for (const submission of entered) rememberSubmission(submission)
    rememberOutput(draft.output)
    historyChanged()
    sender.wake()
    return { ok: true, ids: entered.map(({ id }) => id) }
  }

  function rememberOutput(output: OutputTarget): void {
    if (output.kind !== 'folder') return
    const recent = settings.view().recentOutputs.filter((path) => path !== output.path)
    settings.update({ recentOutputs: [output.path, ...recent].slice(0, 8) })
  }

  /** What was being edited and is not any more waits again. */
  function putBackEdited(next: RecordId | null): void {
    const { editing } = desk.view()
    if (editing !== null && editing !== next) outbox.endEdit(editing)
  }

  // ── The state ─────────────────────────────────────────────────────────────────────────────────────────────────────

  const state: StateStore = createStateStore(firstState())

  function firstState(): AppState {
    const first = {
      connection: connection.view(),
      jobs: [...fetchingJobs(downloads.active(), history), ...tracker.jobs()],
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
    return { ...first, notices: noticesOf(first, trouble) }
  }

  /** Jobs on the service, and before them those whose results are on their way. */
  function showJobs(): void {
    const fetching = fetchingJobs(downloads.active(), history)
    state.set({ jobs: fetching.length === 0 ? tracker.jobs() : [...fetching, ...tracker.jobs()] })
  }

  function showOutbox(): void {
    state.set({ outbox: sender.entries() })
    showNotices()
  }

  function showNotices(): void {
    const notices = noticesOf(state.get(), trouble)
    if (JSON.stringify(notices) !== JSON.stringify(state.get().notices)) state.set({ notices })
  }

  function historyChanged(): void {
    state.set(memoryView(history, state.get()))
  }

  function noteTrouble(change: Partial<Trouble>): void {
    trouble = { ...trouble, ...change }
    showTrouble?.()
  }

  const takeIn = createTakeIn({
    already: () => itemsOf(desk.view()).map((item) => item.path),
    show: (intake) => state.set({ intake }),
  })

  async function addPaths(paths: readonly string[]): Promise<Added> {
    const found = await takeIn.gather(paths, ({ items, rejected }) => desk.add(items, rejected))
    return { taken: found.items.length, refused: found.rejected.length }
  }

  let served = identityOf(connection)

  function connectionChanged(): void {
    const before = state.get().connection
    const view = connection.view()
    state.set({ connection: view })
    showNotices()
    const identity = identityOf(connection)
    if (identity !== served) {
      served = identity
      tracker.reset(followed())
    } else if (view.state.status === 'online' && before.state.status !== 'online') {
      tracker.keyChanged()
    }
    if (view.state.status === 'online' && before.state.status !== 'online') {
      void connection.refreshDrive()
    }
    sender.connectionChanged()
    downloads.wake()
  }

  showTrouble = showNotices
  const stops = [
    connection.onChange(connectionChanged),
    outbox.onChange(showOutbox),
    settings.onChange(() => {
      state.set({ settings: settings.view(), outboxPaused: settings.view().outboxPaused })
      desk.defaultsChanged()
      showOutbox()
    }),
  ]
  if (options.sends !== false) {
    sender.start()
    downloads.start()
    lookForOthers()
  }

  return {
    state,
    settings,
    connection,
    tracker,
    outbox,
    sender,
    downloads,
    history,
    desk,
    knownFiles: createKnownFiles(() => state.get()),
    takeIn,
    addPaths,

    start(how) {
      const result = startDraft(desk.view(), how)
      if (result.ok) desk.started()
      return result
    },
    startDraft,
    defaultDraft: () => emptyDraft(draftDefaults()),

    edit(id) {
      const draft = outbox.edit(id)
      if (draft === undefined) return false
      putBackEdited(id)
      desk.open(draft)
      return true
    },
    openDraft(draft) {
      putBackEdited(null)
      desk.open(draft)
    },
    stopEditing: () => putBackEdited(null),

    pause: () => void settings.update({ outboxPaused: true }),
    resume() {
      settings.update({ outboxPaused: false })
      sender.wake()
    },

    markSeen(id) {
      history.markSeen(id)
      historyChanged()
    },
    historyChanged,
    setFullDisk(folder) {
      noteTrouble({ fullDisk: folder })
      sender.wake()
      showOutbox()
    },
    dismissDamage: () => noteTrouble({ damaged: null }),

    busy: () => sender.busy() || downloads.busy(),
    identity: () => identityOf(connection),

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

/** The built-in service is the same one on whatever port it comes back. */
const identityOf = (connection: Connection): string => {
  const { kind, baseUrl } = connection.view()
  return kind === 'external' ? baseUrl : (kind ?? 'none')
}
