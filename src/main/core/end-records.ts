/** Ends records that would otherwise stay unfinished forever because the process they depended on has ended. */
import { messageOf } from '../../node/errors.ts'
import { inTicks } from '../../node/serial-queue.ts'
import type { ServiceJob } from '../../shared/api/resources.ts'
import { readServiceTime } from '../../shared/api/service-time.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { outcomeOf } from '../../shared/model/outcome.ts'
import { withOwnNames } from '../aliases/index.ts'
import type { Modules } from './modules.ts'
import type { OwnLine } from './line.ts'
import { jobsOfService, placedFolderIn } from './placement-notes.ts'
import { resumeJobs, type ResumeDeps } from './resume-jobs.ts'
import { unconfirmed, unfinishedJobs } from './service-jobs.ts'

type EndingDeps = Pick<Modules, 'outbox' | 'downloads' | 'log'> & Omit<ResumeDeps, 'placed' | 'isContinued'>

/** @param dataDir absolute; contains the built-in service's folder */
export function createRecordEndings(
  dataDir: string,
  options: EndingDeps &
    Pick<Modules, 'connection'> & { readonly lineToBuiltIn: () => Pick<OwnLine, 'tracker' | 'events'> },
) {
  const { connection, lineToBuiltIn } = options
  const placed = placedFolderIn(dataDir)
  let settled: Promise<unknown> = Promise.resolve()
  let resuming: ReturnType<typeof resumeJobs> | undefined
  /** The jobs that a built-in service continues for this owner. */
  let continued: ReadonlySet<string> = new Set()

  const isContinued = (jobId: string) => continued.has(jobId)
  function resume(): void {
    resuming?.stop()
    resuming = resumeJobs({ ...options, placed, isContinued }, logNotEnded(options))
    settled = Promise.all([settled, resuming.done])
  }

  // Resume first, because this may put the remaining files of jobs back in the outbox.
  resume()
  const orphans = endOrphans(options)
  settled = Promise.all([settled, orphans.done])
  ifWritable(options, () => options.history.applyRetention(options.settings.view().keepHistoryDays))
  connection.onBuiltInLeft((mark) => {
    // The earlier owner was killed while it was sending a job. It isn't certain whether the service has that job until the service ends.
    if (unconfirmed(options.outbox, options.timing.clock()).length > 0) return false
    continued = jobsOfService(placed, mark)
    const { tracker, events } = lineToBuiltIn()
    tracker.reset(unfinishedJobs(options, continued))
    resume()
    // These jobs may have ended since they were last read.
    const read = Promise.withResolvers<void>()
    const stop = events.on('listRead', () => (stop(), read.resolve()))
    settled = Promise.all([settled, read.promise])
    return true
  })
  const stopListening = connection.onBuiltInEnded((jobs) => {
    continued = new Set()
    ifWritable(options, () => recordEnded(options, jobs))
    // Resume the service's other jobs, which don't have an outcome.
    resume()
  })
  /** Stops handling records; the next launch continues. */
  function stop(): void {
    resuming?.stop()
    orphans.stop()
  }

  return {
    stop,
    /** Resolves when everything left by earlier processes has been handled. */
    settled: async (): Promise<void> => {
      for (let seen: unknown; seen !== settled; await seen) seen = settled
    },
    /** Call this when the built-in service has ended and won't be restarted. */
    close(): void {
      stopListening()
      stop()
    },
  }
}

const logNotEnded =
  ({ log }: EndingDeps) =>
  (error: unknown): void =>
    log('records not ended', { error: messageOf(error) })

/** Runs `work` and logs any error. If the history can't be written now, the next launch tries again. */
function ifWritable(deps: EndingDeps, work: () => void): void {
  try {
    work()
  } catch (error) {
    logNotEnded(deps)(error)
  }
}

/**
 * Marks records as *canceled* if their submission was withdrawn or their outbox was damaged (rule 4). The user can retry them from the
 * history. Runs when the owner starts.
 *
 * @returns `stop`, which leaves the remaining records to the next launch, and `done`, which resolves when all records are handled, or on an
 * error or `stop`
 */
function endOrphans(deps: EndingDeps) {
  const { history, outbox, downloads } = deps
  const { clock, after } = deps.timing
  const isGone = (id: RecordId) => outbox.get(id) === undefined && !downloads.isBegun(id)
  const { promise: done, resolve } = Promise.withResolvers<void>()
  function* pages(): Generator<readonly RecordId[]> {
    yield* history.withoutJob()
    resolve()
  }
  const stop = inTicks(
    pages(),
    after,
    (ids) => history.recordOutcomes(ids.filter(isGone), { kind: 'cancelled', results: 0 }, clock()),
    (error) => {
      logNotEnded(deps)(error)
      resolve()
    },
  )
  return {
    stop() {
      stop()
      resolve()
    },
    done,
  }
}

/**
 * Records the outcomes of jobs that ended before the built-in service did.
 *
 * @param jobs the final state of the service's jobs as it reported them
 */
function recordEnded({ history, downloads, aliases, ends }: EndingDeps, jobs: readonly ServiceJob[]): void {
  for (const record of history.unfinished()) {
    const { id } = record.title
    const said = jobs.find(
      ({ jobId, createdAt }) =>
        jobId === record.jobId && (record.jobCreatedAt === null || record.jobCreatedAt === createdAt),
    )
    // A job isn't done if its results still had to be downloaded, because they are gone now.
    if (record.connection !== 'builtIn' || record.remote || downloads.isBegun(id) || said === undefined)
      continue
    const job = withOwnNames(said, aliases.namesOf(id), record.inputs)
    const outcome = outcomeOf(job, record.skipped)
    const endedAt = momentOf(job.completedAt)
    if (outcome === null || endedAt === null) continue
    history.recordJob(id, job, momentOf(job.startedAt))
    ends.ended(id, outcome, endedAt)
  }
}

/** Reads a time of the built-in service, which includes the time zone and comes from this computer's clock. */
const momentOf = (text: string | null): number | null => readServiceTime(text ?? '')?.at ?? null
