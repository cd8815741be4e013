/** Waits for the service and updates the history from the service's jobs. */
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { Context } from './context.ts'
import { explainService, unreadableWords } from './explain-wait.ts'
import { t } from './output/language.ts'
import { notice } from './output/events.ts'

/** How often to check for changes that no event reports, in ms. */
const POLL_MS = 500
/** How long to wait for the service to respond before leaving the history unchanged, in ms. */
const PATIENCE_MS = 5_000

/**
 * Updates the history with the outcomes of jobs that earlier commands didn't wait for. Waits for the service only if there are such
 * jobs.
 */
export async function bringUpToDate(context: Context): Promise<void> {
  const { service, line, environment } = context
  const stale = line.history
    .unfinished()
    .some(({ connection, baseUrl }) => connection === 'external' && baseUrl === service.identity)
  if (!stale) return
  const isKnown = () => {
    const { status } = line.connection.view().state
    const away = status !== 'online' && status !== 'connecting'
    return away || isRead || environment.interrupted.aborted
  }
  // Wait for the next list, because the owner may have read the last one before the command started.
  let isRead = false
  const stop = line.events.on('listRead', () => void (isRead = true))
  line.tracker.pollSoon()
  await context.waits.during(
    () => explainService(context),
    async () => {
      await until(context, isKnown, PATIENCE_MS)
      stop()
      sayOutOfDate(context, isRead)
    },
  )
}

/** Warns if the service didn't respond or if a job's state can't be read, because the displayed data may then be out of date. */
function sayOutOfDate({ report, environment, line }: Context, isRead: boolean): void {
  if (environment.interrupted.aborted) return
  const { jobs } = line.state.get()
  if (!isRead) {
    const view = line.connection.view()
    const why = line.tracker.unanswered()?.error?.message ?? ''
    const trouble = view.state.status === 'online' ? t().stops.noResponse(view) : connectionLine(view, t())
    report.say(notice(t().stops.lastSeen({ trouble, why }).replace('  ', ' ')))
  }
  for (const job of jobs) {
    if (job.unreadable !== undefined) report.say(notice(unreadableWords(job)))
  }
}

/** Reports why the service can't be used. @returns an exit code; undefined if the service is online or the connection is being made */
export function connectionTrouble({ report, line }: Context): ExitCode | undefined {
  const view = line.connection.view()
  const { status } = view.state
  if (status === 'online' || status === 'connecting') return undefined
  report.progress([])
  report.say(notice(connectionLine(view, t())))
  return status === 'keyRefused' ? EXIT.keyRefused : EXIT.notReachable
}

/** Resolves when the state changes, the service's list has been read, the command is interrupted, or POLL_MS have passed. */
export function change({ line, environment: { timing, interrupted } }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stops = [line.state.onChange(() => resolve()), line.events.on('listRead', () => resolve())]
  const cancel = timing.after(POLL_MS, resolve)
  const onAbort = () => resolve()
  interrupted.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    for (const stop of stops) stop()
    cancel()
    interrupted.removeEventListener('abort', onAbort)
  })
}

/** Resolves when `isDone` returns true, or after the given time in ms. */
export async function until(
  context: Context,
  isDone: () => boolean,
  ms = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { monotonic } = context.environment.timing
  const end = monotonic() + ms
  while (!isDone() && monotonic() < end) await change(context)
}

/**
 * Resolves when the connection attempt has succeeded or failed, or the command is interrupted. Reports the address of a running built-in
 * service.
 */
export async function connected(context: Context): Promise<void> {
  const { report, service, environment, waits, line } = context
  const isOver = () => line.connection.view().state.status !== 'connecting' || environment.interrupted.aborted
  await waits.during(
    () => explainService(context),
    () => until(context, isOver),
  )
  const { state, baseUrl } = line.connection.view()
  if (service.kind === 'builtIn' && state.status === 'online') {
    report.say({ event: 'service', kind: 'builtIn', baseUrl })
  }
}

/** How long to wait, in ms, for the service of a killed owner to exit. */
const ENDING_MS = 4_000

/** Waits until each job of an earlier owner's built-in service is back in the outbox or has an outcome, for at most ENDING_MS. */
export async function settled({ core, environment: { timing } }: Context): Promise<void> {
  const { promise: tooLate, resolve } = Promise.withResolvers<void>()
  const cancel = timing.after(ENDING_MS, resolve)
  await Promise.race([core.settled(), tooLate])
  cancel()
}

/** How long to wait, in ms, for results that the owner is downloading. */
const FETCHING_MS = 30_000

/**
 * Waits for at most FETCHING_MS until the owner has downloaded results whose download failed earlier. Otherwise, a retry would create these
 * results again.
 */
export async function fetched(context: Context): Promise<void> {
  const { line, environment } = context
  const isOver = () => !line.downloads.busy() || environment.interrupted.aborted
  await context.waits.during(
    () => explainService(context),
    () => until(context, isOver, FETCHING_MS),
  )
}
