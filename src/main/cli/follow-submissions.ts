/** Follows a command's submissions from the outbox to their outcomes. */
import { EXIT, type ExitCode, OWNER_ENDS, USER_CANCEL } from '../../shared/command-end.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Line } from '../core/index.ts'
import type { Context } from './context.ts'
import { explainWait } from './explain-wait.ts'
import { t } from './output/language.ts'
import { notice } from './output/events.ts'
import { change, until } from './reach-service.ts'
import { reportSubmissions } from './report-submissions.ts'
import { stepsUnderWay } from './steps-under-way.ts'
import type { FollowOptions } from './why-stop.ts'

/**
 * Waits until the submissions have been accepted or, if requested or at the built-in service, until their jobs have finished.
 * @returns one exit code per submission and per job that replaces originals, plus one if the command stopped waiting early
 */
export async function followSubmissions(
  context: Context,
  submitted: readonly RecordId[],
  options: FollowOptions,
): Promise<readonly ExitCode[]> {
  const { report, service, environment, line } = context
  if (submitted.length > 0) environment.onStored?.('everything')
  const reports = await reportSubmissions(context, submitted, options)
  const { open, accepted, codes } = reports
  // A command always waits for jobs at the built-in service and reports their outcomes.
  const waits = options.wait || service.kind === 'builtIn'
  /**
   * Returns the open submissions that may have news. Skips those that are waiting or being sent, and those whose jobs still run, because
   * there may be thousands. Returns none until the outbox has been read.
   */
  function changed(): readonly RecordId[] {
    const { outbox, jobs } = line.state.get()
    if (!line.outbox.listSoFar().isWhole) return []
    const unsent = outbox.filter(({ state }) => state.kind === 'waiting' || state.kind === 'sending')
    const followed = waits ? jobs.filter(({ id }) => accepted.has(id)) : []
    const same = new Set([...unsent, ...followed].map(({ id }) => id))
    return [...open].filter((id) => !same.has(id))
  }
  try {
    for (;;) {
      const stop = await reports.check(changed(), waits)
      if (reports.isOver()) return codes
      if (stop === undefined) {
        report.progress(stepsUnderWay(line.state.get(), (id) => options.watch || open.has(id)))
        await context.waits.during(
          () => explainWait(context, (id) => open.has(id)),
          () => change(context),
        )
        continue
      }
      if (environment.interrupted.reason === OWNER_ENDS) {
        // Only the originals of ended jobs are left to replace. The next owner repeats the command, which finds them.
        if (open.size === 0) return [EXIT.interrupted]
        environment.continueWith?.(followArguments(context, open, options))
        return codes
      }
      const isCanceled = await settle(context, open, options)
      await reports.stop({ ...stop, isCanceled })
      return codes
    }
  } catch (error) {
    report.progress([])
    if (open.size > 0) report.say(notice(t().stops.unfinished({ count: open.size })))
    throw error
  } finally {
    reports.close()
  }
}

/** Returns the arguments of a command that follows the remaining jobs with the service and the common options of this one. */
function followArguments(
  { service, environment: { argv } }: Context,
  open: ReadonlySet<RecordId>,
  { wait, watch }: FollowOptions,
): readonly string[] {
  const common = argv.filter((word) => ['--json', '--quiet', '--verbose', '--key-stdin'].includes(word))
  const at = service.kind === 'external' ? ['--base-url', service.identity] : []
  return [...common, ...at, 'follow', ...(wait ? ['--wait'] : []), ...(watch ? ['--watch'] : []), ...open]
}

/** How long to wait for the response to a request that creates a job, in ms. */
const RESPONSE_MS = 3_000
/** How long to wait until canceled jobs have ended, in ms. */
const CANCEL_MS = 10_000

/**
 * Waits for requests that are being sent. After Ctrl-C, cancels the command's own jobs and unsent submissions at the built-in service. In
 * the app, leaves them alone, because the app shows them and can cancel them itself.
 * @returns whether the jobs and submissions were canceled
 */
async function settle(
  context: Context,
  open: ReadonlySet<RecordId>,
  { own = false }: FollowOptions,
): Promise<boolean> {
  const { service, environment, line } = context
  const isCancel = environment.interrupted.reason === USER_CANCEL
  const cancels = isCancel && own && service.kind === 'builtIn' && !environment.owner.isApp
  const withdrawn = new Set(cancels ? await line.withdrawWaiting([...open]) : [])
  const isSending = () =>
    line.state.get().outbox.some(({ id, state }) => state.kind === 'sending' && open.has(id))
  // The service may still accept a submission that is being sent.
  await until(context, () => !isSending(), RESPONSE_MS)
  if (!cancels) return false
  const left = [...open].filter((id) => !withdrawn.has(id))
  const records = () => left.flatMap((id) => line.history.summary(id) ?? [])
  for (const { id } of records().filter(isRunning)) void line.cancelParts(id, 'part')
  // Record the cancel requests, so that a job keeps its originals even if it ends before its request arrives.
  line.outbox.cancelRequests.add(...left.filter((id) => line.outbox.get(id) === undefined))
  // Start replacing, which keeps the originals of canceled jobs. Adding the requests doesn't start it.
  line.replacing.start()
  const isEnding = (record: Summary) =>
    isRunning(record) || (record.outcome !== null && line.replacing.isPending(record))
  await until(context, () => !records().some(isEnding), CANCEL_MS)
  return true
}

type Summary = NonNullable<ReturnType<Line['history']['summary']>>

const isRunning = ({ outcome, jobId }: Summary): boolean => outcome === null && jobId !== null
