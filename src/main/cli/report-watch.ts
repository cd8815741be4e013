/** Reports what prevents `watch` from processing files: problems with the service, submissions, folders, files and presets. */
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { isAtOrBelow } from '../../node/contained-path.ts'
import { presetsIn, type WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Failure } from '../../shared/failure/failure.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PartAt } from '../../shared/model/job.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import { missingPresets, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { watchedService } from '../core/index.ts'
import { needsUser } from '../outbox/index.ts'
import type { WatchFolders, WatchTrouble } from '../watch/index.ts'
import { isForService, type Context } from './context.ts'
import { explainService, unreadableWords } from './explain-wait.ts'
import { type EventOf, notice } from './output/events.ts'
import type { Explanation } from './output/silence.ts'
import { t } from './output/language.ts'
import { checkUnsent } from './report-unsent.ts'
import { keptEvent } from './submission-events.ts'
import { createStopRule, dataGoneStop, type Stop } from './why-stop.ts'

/** How long `--once` waits, in ms, for a service that has no jobs but doesn't accept any. */
const PATIENCE_MS = 30_000
/**
 * How long sending must have been possible before the end of a problem is reported, in ms. If the service is online and the outbox has no
 * submissions for it, the end is reported immediately.
 */
const FREE_MS = 3_000
/** How long a job's responses from the service must be unreadable before the user sees a report, in ms. */
const UNREADABLE_MS = 5_000

export function createWatchReport(
  context: Context,
  /**
   * Submissions that needed the user before this owner started, or that an earlier run has reported. This run adds those that it reports.
   */
  reported: Set<RecordId>,
  watched: () => Pick<WatchFolders, 'list'> | undefined,
) {
  const { report } = context
  const dataGone = () => dataGoneStop(context)
  /** Whether the data files are gone. In that case, other problems, such as missing presets, are only consequences and aren't reported. */
  const isDataGone = () => dataGone() !== undefined
  const submissions = reportOutbox(context, reported)
  const folders = reportFolders(context)
  const unreadable = reportUnreadable(context, () => watched()?.list() ?? [])
  const patience = createPatience(context)
  const { monotonic } = context.environment.timing
  let blocked = ''
  let freeSince: number | undefined

  /** Reports why sending is blocked whenever the reason changes, and reports when sending is possible again. */
  function reportBlocked(): void {
    const why = explainBlocked(context)
    const now = why === null ? '' : `${why.reason} ${why.message}`
    freeSince = why === null ? (freeSince ?? monotonic()) : undefined
    if (now === blocked) return
    // Don't report the end of the problem immediately: between two attempts, it only seems to be over.
    const isFree = freeSince !== undefined && (monotonic() - freeSince > FREE_MS || isSent(context))
    if (why === null && !isFree) return
    blocked = now
    if (why === null) report.say({ event: 'unblocked' })
    else report.say({ event: 'blocked', ...why })
  }

  return {
    /** Reports files that weren't submitted. `check` reports all other problems. */
    trouble(found: WatchTrouble): void {
      if (!isDataGone()) folders.trouble(found)
    },
    /** Reports everything that has changed. */
    check: (): void => {
      if (isDataGone()) return
      reportBlocked()
      unreadable()
      submissions.check()
      folders.check(watched()?.list() ?? [])
    },
    /** Whether the last report was that sending is blocked. */
    isBlocked: () => blocked !== '',
    /** Returns why to stop; undefined to continue. With `once`, also stops when waiting is no longer useful. */
    whyStop: (once: boolean) => (once ? patience() : dataGone()),
    /**
     * Reports why the command stops and which submissions stay in the outbox. @returns the exit codes of everything that wasn't processed
     */
    end: (stop: Stop | undefined): readonly ExitCode[] => {
      const isReported = blocked !== '' && stop?.words !== t().stops.stuck
      if (stop?.words !== undefined && !isReported) report.say(notice(stop.words))
      if (isDataGone()) return [EXIT.notKept]
      folders.check(watched()?.list() ?? [], true)
      return [
        ...(stop === undefined ? [] : [stop.code]),
        ...submissions.end(stop),
        ...folders.codes(watched()?.list() ?? []),
      ]
    },
  }
}

/** Explains why sending is blocked; null if it isn't. */
function explainBlocked(context: Context): Pick<Explanation, 'reason' | 'message'> | null {
  const { line } = context
  const view = line.connection.view()
  const { status } = view.state
  if (status === 'keyRefused' || status === 'wrongVersion') {
    const blocked = status === 'keyRefused' ? t().waits.blockedByKey : t().waits.blocked
    return { reason: status, message: blocked({ trouble: connectionLine(view, t()) }) }
  }
  if (status === 'connecting') return null
  const service = explainService(context)
  if (service !== null) return service
  const entries = waitingIn(context)
  if (entries.some(({ state }) => state.kind === 'waiting' && state.because === 'queueFull'))
    return { reason: 'queueFull', message: t().waits.blockedByQueue }
  const isRefused = entries.some(({ state }) => state.kind === 'waiting' && state.because === 'offline')
  const trouble = line.sender.trouble()
  if (!isRefused || trouble === null) return null
  return { reason: 'notAnswered', message: t().waits.noneAccepted({ why: trouble.message }) }
}

const isSent = (context: Context): boolean =>
  context.line.connection.view().state.status === 'online' && waitingIn(context).length === 0

/** Returns the entries of the outbox for this service. */
function waitingIn(context: Context): readonly PartAt<'outbox'>[] {
  const { line } = context
  const { submissions } = line.outbox.listSoFar()
  const mine = new Set(submissions.filter((one) => isForService(context, one)).map(({ id }) => id))
  return line.state.get().outbox.filter(({ id }) => mine.has(id))
}

/** Reports each submission that is refused or unconfirmed, or whose results can't be saved now. */
function reportOutbox(context: Context, reported: Set<RecordId>) {
  const { report, line } = context
  const codes = new Map<RecordId, ExitCode>()
  const checked = new Set<RecordId>()
  const unsaved = new Map<RecordId, Failure['code']>()
  // Submissions that an earlier run has reported stay until the user removes them.
  const earlier = line.outbox.list().filter((each) => reported.has(each.id) && needsUser(each)).length
  if (earlier > 0) report.say(notice(t().stops.earlier({ count: earlier })))

  /** Reports each submission whose results can't be saved now, and again if the reason changes. */
  function checkUnsaved(id: RecordId, why: Failure | undefined): void {
    const submission = line.outbox.get(id)
    if (why === undefined || unsaved.get(id) === why.code || submission?.state.kind !== 'waiting') return
    // An earlier run has reported this submission, and this run is about to send it.
    if (submission.state.notBefore === null) return
    unsaved.set(id, why.code)
    report.say(keptEvent(submission, 'output'))
  }

  return {
    check(): void {
      for (const { id, state } of line.state.get().outbox) {
        if (state.kind === 'waiting') checkUnsaved(id, state.unsaved)
        if (state.kind === 'waiting' || reported.has(id)) continue
        const code = checkUnsent(context, { checked, say: (event) => report.say(event) }, id)
        if (code === undefined) continue
        reported.add(id)
        codes.set(id, code)
      }
    },
    /** @param stop why the remaining submissions aren't sent */
    end(stop: Stop | undefined): readonly ExitCode[] {
      this.check()
      const kept = line.outbox
        .list()
        .filter((submission) => !needsUser(submission) && isForService(context, submission))
      const because = stop?.because ?? 'turn'
      const saidAbove = new Set(
        line.state.get().outbox.flatMap(({ id, state }) => {
          const why = state.kind === 'waiting' ? state.unsaved?.code : undefined
          return why !== undefined && unsaved.get(id) === why ? [id] : []
        }),
      )
      report.sayEach(
        kept.filter(({ id }) => !saidAbove.has(id)).map((submission) => keptEvent(submission, because)),
      )
      // A submission is gone from the outbox if its files were moved before it was sent and then processed at their new path.
      const left = [...codes].flatMap(([id, code]) => (line.outbox.get(id) === undefined ? [] : code))
      return kept.length > 0 && stop === undefined ? [...left, EXIT.notReachable] : left
    },
  }
}

/** Creates a function that reports each job whose state can't be read for a while. Such a job may delay new files. */
function reportUnreadable(
  { report, line, environment: { timing } }: Context,
  folders: () => readonly WatchFolderView[],
): () => void {
  /** When each job was first found to be unreadable, in monotonic ms; null if this has been reported. */
  let since = new Map<RecordId, number | null>()

  /** Explains that the job's state can't be read. If the job writes to a watched folder, adds that it delays new files. */
  function explained(job: PartAt<'service'>): string {
    const unreadable = unreadableWords(job)
    if (job.output?.kind !== 'folder') return unreadable
    const { path: folder } = job.output
    const isHeld = folders().some(
      ({ enabled, path }) => enabled && (isAtOrBelow(path, folder) || isAtOrBelow(folder, path)),
    )
    return isHeld ? t().waits.unreadableHolds({ unreadable, folder }) : unreadable
  }

  return () => {
    const jobs = line.state.get().jobs.filter((job) => job.unreadable !== undefined)
    since = new Map(jobs.map(({ id }) => [id, since.has(id) ? (since.get(id) ?? null) : timing.monotonic()]))
    for (const job of jobs) {
      const from = since.get(job.id) ?? null
      if (from === null || timing.monotonic() - from < UNREADABLE_MS) continue
      since.set(job.id, null)
      report.say({ event: 'waiting', reason: 'unreadable', message: explained(job) })
    }
  }
}

/**
 * Returns a key that identifies a problem. While files wait for a missing preset or a program, or are being retried, their number and paths
 * don't matter, only whether there are any.
 */
const keyOf = ({ files = 0, paths = [], ...event }: WatchTroubleEvent): string =>
  event.kind === 'presetMissing' || event.kind === 'open' || event.kind === 'retried'
    ? JSON.stringify([event, files > 0])
    : JSON.stringify([event, paths, files])

type WatchTroubleEvent = EventOf<'watchTrouble'>

/** Reports each problem of a folder once while it lasts, and reports when the folder is available again. */
function reportFolders({ report, line, service }: Context) {
  const serviceOf = watchedService(line, service.isApps ? undefined : service.identity)
  const codes: ExitCode[] = []
  let reported = new Map<string, WatchTroubleEvent>()
  let shown: readonly string[] | undefined
  let lastTried = ''

  /** Reports which folders are watched whenever this changes. */
  function checkPaths(list: readonly WatchFolderView[]): void {
    const paths = list.filter(({ enabled }) => enabled).map(({ path }) => path)
    if (shown !== undefined && shown.join('\0') !== paths.join('\0')) {
      report.say(paths.length === 0 ? notice(t().stops.noFoldersLeft) : { event: 'watching', folders: paths })
    }
    shown = paths
  }

  return {
    /** Reports files that weren't submitted. `check` reports all other kinds, which are in the list of folders while they last. */
    trouble({ folder, ...trouble }: WatchTrouble): void {
      if (trouble.kind !== 'notStarted' && trouble.kind !== 'notTaken') return
      const event = { event: 'watchTrouble', folder: folder.path, ...trouble } as const
      // Report the same problem only once, because the folder retries repeatedly.
      if (lastTried === JSON.stringify(event)) return
      lastTried = JSON.stringify(event)
      report.say(event)
      codes.push(EXIT.failed)
    },
    /** @param isEnd whether the command ends. In that case, short waits also count as problems */
    check(list: readonly WatchFolderView[], isEnd = false): void {
      checkPaths(list)
      const events = list.flatMap((folder) => troublesOf(folder, serviceOf(folder), isEnd))
      const now = new Map(events.map((event) => [keyOf(event), event]))
      for (const [key, event] of now) if (!reported.has(key)) report.say(event)
      const ended = [...reported].filter(([key]) => !now.has(key)).map(([, { folder }]) => folder)
      const troubled = new Set(events.map(({ folder }) => folder))
      const back = [...new Set(ended)].filter((path) => !troubled.has(path) && shown?.includes(path))
      if (back.length > 0) report.say({ event: 'watching', folders: back })
      reported = now
    },
    codes: (list: readonly WatchFolderView[]): readonly ExitCode[] => [
      ...codes,
      ...list
        .flatMap((folder) => troublesOf(folder, serviceOf(folder), true))
        // A second path, a link, a pipe, an ignored name or a file that is still empty isn't a failure.
        .filter(({ kind }) => !['repeated', 'links', 'special', 'ignored', 'empty'].includes(kind))
        .map(() => EXIT.failed),
    ],
  }
}

function troublesOf(
  view: WatchFolderView,
  service: PresetOffer,
  isEnd: boolean,
): readonly WatchTroubleEvent[] {
  const { path: folder, enabled, trouble, unprocessed, waiting, open, rules } = view
  if (!enabled) return []
  const named = rules === 'unreadable' ? [] : presetsIn(view, rules === 'none' ? undefined : rules)
  const event = 'watchTrouble'
  const { count, paths } = unprocessed
  return [
    ...(trouble === null
      ? []
      : [{ event, folder, kind: trouble, ...(count === 0 ? {} : { files: count, paths }) } as const]),
    ...(open.isLong || (isEnd && open.count > 0)
      ? [{ event, folder, kind: 'open', files: open.count, paths: open.paths } as const]
      : []),
    ...(['retried', 'links', 'special', 'ignored', 'empty'] as const).flatMap((kind) =>
      view[kind].count > 0
        ? [{ event, folder, kind, files: view[kind].count, paths: view[kind].paths } as const]
        : [],
    ),
    ...missingPresets(service, named).map((preset) => {
      const files = waiting.find((one) => one.preset === preset)?.files ?? 0
      return { event, folder, kind: 'presetMissing', preset, files } as const
    }),
  ]
}

/** Creates a function that returns why `--once` can stop waiting; undefined while something may still happen. */
function createPatience(context: Context): () => Stop | undefined {
  const { line } = context
  const { monotonic, clock } = context.environment.timing
  const followed = { open: new Set<RecordId>(), accepted: new Set<RecordId>() }
  let lastMove = monotonic()
  const whyStop = createStopRule(context, followed, { wait: true, watch: true })
  let lastState = ''

  /** Whether nothing has happened for too long, and the user's settings, such as quiet mode, aren't the reason. */
  function isStuck(entries: readonly PartAt<'outbox'>[]): boolean {
    const { jobs } = line.state.get()
    const state = JSON.stringify([entries.map(({ id }) => id), jobs.map(({ id }) => id)])
    const isChecked = entries.some(({ state: one }) => one.kind === 'unknown' && (one.until ?? 0) > clock())
    // The built-in service may take longer to start on a slow computer, and has its own limit.
    const isConnecting = line.connection.view().state.status === 'connecting'
    const isHeld = line.state.get().quiet.wait !== null
    const mayMove = jobs.length > 0 || isChecked || isConnecting || isHeld
    if (state !== lastState || entries.length === 0 || mayMove) {
      lastState = state
      lastMove = monotonic()
      return false
    }
    return monotonic() - lastMove > PATIENCE_MS
  }

  return () => {
    const entries = waitingIn(context).filter(
      ({ state }) => state.kind !== 'refused' && (state.kind !== 'unknown' || state.checking),
    )
    const { jobs } = line.state.get()
    followed.open.clear()
    followed.accepted.clear()
    for (const { id } of [...entries, ...jobs]) followed.open.add(id)
    for (const { id } of jobs) followed.accepted.add(id)
    const stop = whyStop()
    if (stop !== undefined) return stop
    if (!isStuck(entries)) return undefined
    const because = entries[0]?.state.kind === 'waiting' ? entries[0].state.because : 'offline'
    return { code: EXIT.notReachable, because, words: t().stops.stuck }
  }
}
