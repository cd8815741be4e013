/** Records that nothing would ever end: what they were waiting for is gone with an earlier process. */
import { messageOf } from '../../node/errors.ts'
import { inTurns } from '../../node/turns.ts'
import type { Timing } from '../../node/timing.ts'
import type { Job } from '../../shared/api/resources.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { outcomeOf } from '../../shared/model/outcome.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { History, UnfinishedRecord } from '../history/index.ts'
import type { Outbox } from '../outbox/index.ts'
import type { Settings } from '../settings/settings.ts'
import { momentOf } from './record-jobs.ts'

export type EndingDeps = {
  readonly history: Pick<
    History,
    | 'applyRetention'
    | 'endlessJobs'
    | 'withoutJob'
    | 'unfinished'
    | 'details'
    | 'recordJob'
    | 'recordOutcome'
    | 'recordOutcomes'
  >
  readonly outbox: Pick<Outbox, 'get'>
  readonly downloads: Pick<Downloads, 'isBegun'>
  readonly timing: Pick<Timing, 'clock' | 'after'>
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export type RecordEndings = {
  /** This process has begun to be the one that sends. */
  readonly claimed: () => void
  /** Leaves what is not done for another time. */
  readonly stop: () => void
  /** When the built-in service has ended for good. */
  readonly close: () => void
}

export type RecordEndingsOptions = EndingDeps & {
  readonly connection: Pick<Connection, 'view' | 'onBuiltInEnded'>
  /** Whether this process is the one that sends. */
  readonly claim: () => boolean
  readonly settings: Pick<Settings, 'view'>
}

export function createRecordEndings(options: RecordEndingsOptions): RecordEndings {
  const { connection, claim } = options
  let stop: (() => void) | undefined
  const claimed = () => {
    stop = endOrphans(options)
  }
  if (claim()) claimed()
  dropOldRecords(options, options.settings.view().keepHistoryDays)
  const stopListening = connection.onBuiltInEnded((jobs) => void (claim() && endBuiltInJobs(options, jobs)))
  return {
    claimed,
    stop: () => stop?.(),
    close() {
      stopListening()
      // What a service that was killed could not say.
      if (connection.view().kind === 'builtIn' && claim()) endBuiltInJobs(options, [])
    },
  }
}

const notEnded =
  ({ log }: EndingDeps) =>
  (error: unknown): void =>
    log('records not ended', { error: messageOf(error) })

/** A history that can't be written at the moment keeps nobody from working; the next opening does it. */
function ifWritable(deps: EndingDeps, work: () => void): void {
  try {
    work()
  } catch (error) {
    notEnded(deps)(error)
  }
}

/** What has been over for longer than the settings keep it. */
function dropOldRecords(deps: EndingDeps, keepDays: number | null): void {
  ifWritable(deps, () => deps.history.applyRetention(keepDays))
}

/**
 * When a process begins to be the one that sends: a submission that was taken back, or whose outbox was damaged, is
 * *cancelled*, and a job of a built-in service that has ended is *forgotten* (rule 4). Both can be tried again from the
 * history. Jobs come first, since they are about to be followed.
 *
 * @returns a function that leaves the rest for another time
 */
function endOrphans(deps: EndingDeps): () => void {
  const { history, outbox, downloads } = deps
  const { clock, after } = deps.timing
  const isComing = (id: RecordId) => outbox.get(id) !== undefined || downloads.isBegun(id)

  ifWritable(deps, () => {
    const gone = history.endlessJobs().filter((job) => job.connection === 'builtIn' && !isComing(job.id))
    const ids = gone.map(({ id }) => id)
    history.recordOutcomes(ids, { kind: 'forgotten' }, clock())
  })
  return inTurns(
    history.withoutJob(),
    after,
    (ids) => {
      const gone = ids.filter((id) => !isComing(id))
      history.recordOutcomes(gone, { kind: 'cancelled', results: 0 }, clock())
    },
    notEnded(deps),
  )
}

/**
 * The built-in service has ended, and everything with it that it was working on.
 *
 * @param jobs what it said of them; what it did not name counts as cancelled
 */
function endBuiltInJobs(deps: EndingDeps, jobs: readonly Job[]): void {
  const { history, downloads, timing } = deps
  ifWritable(deps, () => {
    for (const record of history.unfinished()) {
      const { id } = record.title
      if (record.connection !== 'builtIn' || downloads.isBegun(id)) continue
      const job = jobs.find((one) => isJobOf(record, one))
      const outcome = job === undefined ? null : outcomeOf(job, record.skipped)
      if (job !== undefined) history.recordJob(id, job, momentOf(job.startedAt))
      const results = history.details(id)?.results.length ?? 0
      const endedAt = momentOf(job?.completedAt ?? null) ?? timing.clock()
      history.recordOutcome(id, outcome ?? { kind: 'cancelled', results }, endedAt)
    }
  })
}

const isJobOf = ({ jobId, jobCreatedAt }: UnfinishedRecord, job: Job): boolean =>
  job.jobId === jobId && (jobCreatedAt === null || jobCreatedAt === job.createdAt)
